import {
  assertNoFilter,
  describeServer,
  listResourceKinds,
  listResourceSchemas,
  readResourceKind,
  readResourceSchema,
} from '../scim/scim-discovery.js';
import { defineEndpoint } from './shared/define.js';
import { filterRefused, scimAnswer, scimOpen, scimReply } from './shared/scim-docs.js';

const shared = { ...scimOpen, method: 'GET', query: filterRefused } as const;
const errors = ['scimDisabled', 'scimFilterRefused'] as const;

export const getScimConfig = defineEndpoint({
  ...shared,
  path: '/scim/v2/ServiceProviderConfig',
  id: 'scimServiceProviderConfig',
  summary: 'What provisioning can do here (RFC 7643 5).',
  answers: scimAnswer('ScimResource', 'The configuration.'),
  errors,
  handler(app, { query }) {
    assertNoFilter(query);
    return scimReply(describeServer(app));
  },
});

export const getScimKinds = defineEndpoint({
  ...shared,
  path: '/scim/v2/ResourceTypes',
  id: 'scimListResourceTypes',
  summary: 'The kinds of resources (RFC 7643 6).',
  answers: scimAnswer('ScimList', 'The kinds.'),
  errors,
  handler(app, { query }) {
    assertNoFilter(query);
    return scimReply(listResourceKinds(app));
  },
});

export const getScimKind = defineEndpoint({
  ...shared,
  path: '/scim/v2/ResourceTypes/{id}',
  id: 'scimGetResourceType',
  summary: 'A kind of resources: User or Group.',
  answers: scimAnswer('ScimResource', 'The kind.'),
  errors: [...errors, 'scimNotFound'],
  handler(app, { query, params }) {
    assertNoFilter(query);
    return scimReply(readResourceKind(app, params.id));
  },
});

export const getScimSchemas = defineEndpoint({
  ...shared,
  path: '/scim/v2/Schemas',
  id: 'scimListSchemas',
  summary: 'The schemas of resources (RFC 7643 7).',
  answers: scimAnswer('ScimList', 'The schemas.'),
  errors,
  handler(app, { query }) {
    assertNoFilter(query);
    return scimReply(listResourceSchemas(app));
  },
});

export const getScimSchema = defineEndpoint({
  ...shared,
  path: '/scim/v2/Schemas/{id}',
  id: 'scimGetSchema',
  summary: 'A schema, by its URN.',
  answers: scimAnswer('ScimResource', 'The schema.'),
  errors: [...errors, 'scimNotFound'],
  handler(app, { query, params }) {
    assertNoFilter(query);
    return scimReply(readResourceSchema(app, params.id));
  },
});
