/** What this server can do, for identity providers (RFC 7644 4). It is the same for everybody. */
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { locationOf } from './resource-locations.js';
import { listAll } from './scim-list.js';
import { resourceKinds as kinds, type ScimKind, type ScimSchema, resourceSchemas as schemas } from './scim-schemas.js';

/** Most resources that one list answers with. */
export const MAX_PAGE = 200;
export const DEFAULT_PAGE = 100;
/** Seconds that a cursor is good for. It holds a place in the list and nothing else, so that none expires. */
const CURSOR_SECONDS = 86_400;

const core = (name: string) => `urn:ietf:params:scim:schemas:core:2.0:${name}`;

/** @throws ApiError scimFilterRefused: filters have no meaning here (RFC 7644 4) */
export function assertNoFilter(query: ReadonlyMap<string, string>): void {
  if (query.has('filter')) throw apiError('scimFilterRefused');
}

export const describeServer = (app: Pick<App, 'config'>) => ({
  schemas: [core('ServiceProviderConfig')],
  documentationUri: 'https://www.rfc-editor.org/rfc/rfc7644',
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: MAX_PAGE },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: true },
  pagination: {
    cursor: true,
    index: true,
    defaultPaginationMethod: 'index',
    defaultPageSize: DEFAULT_PAGE,
    maxPageSize: MAX_PAGE,
    cursorTimeout: CURSOR_SECONDS,
  },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'A SCIM token of the identity provider or organization (RFC 6750)',
      specUri: 'https://www.rfc-editor.org/rfc/rfc6750',
      primary: true,
    },
    {
      type: 'httpbasic',
      name: 'Basic',
      description: 'The same token as the password, with any name (RFC 7617)',
      specUri: 'https://www.rfc-editor.org/rfc/rfc7617',
      primary: false,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${locationOf(app, '')}/ServiceProviderConfig` },
});

const viewKind = (app: Pick<App, 'config'>, { name, endpoint, description, schema, extensions }: ScimKind) => ({
  schemas: [core('ResourceType')],
  id: name,
  name,
  endpoint,
  description,
  schema: schema.id,
  schemaExtensions: extensions.map(({ id }) => ({ schema: id, required: false })),
  meta: { resourceType: 'ResourceType', location: `${locationOf(app, '')}/ResourceTypes/${name}` },
});

const viewSchema = (app: Pick<App, 'config'>, { id, name, description, attributes }: ScimSchema) => ({
  schemas: [core('Schema')],
  id,
  name,
  description,
  attributes,
  meta: { resourceType: 'Schema', location: `${locationOf(app, '')}/Schemas/${id}` },
});

export const listResourceKinds = (app: Pick<App, 'config'>) => listAll(kinds.map((kind) => viewKind(app, kind)));

export const listResourceSchemas = (app: Pick<App, 'config'>) =>
  listAll(schemas.map((schema) => viewSchema(app, schema)));

/** @throws ApiError scimNotFound */
export function readResourceKind(app: Pick<App, 'config'>, id: string) {
  const kind = kinds.find(({ name }) => name === id);
  if (kind === undefined) throw apiError('scimNotFound', { id: id.slice(0, 100) });
  return viewKind(app, kind);
}

/** @throws ApiError scimNotFound */
export function readResourceSchema(app: Pick<App, 'config'>, id: string) {
  const schema = schemas.find((one) => one.id.toLowerCase() === id.toLowerCase());
  if (schema === undefined) throw apiError('scimNotFound', { id: id.slice(0, 100) });
  return viewSchema(app, schema);
}
