/** What endpoints of provisioning share (RFC 7644). */
import type { ApiRequest, ObjectSchema, Reply } from '../../http/types.js';
import type { DocumentedAnswer } from '../../openapi/contract.js';
import type { ListParameters } from '../../scim/list-request.js';
import { etagOf, isKnown, type Preconditions } from '../../scim/preconditions.js';
import { readProjection } from '../../scim/project-resource.js';
import type { ScimCaller } from '../../scim/scim-caller.js';
import { assertScimOn } from '../../scim/scim-on.js';
import type { ScimKind } from '../../scim/scim-schemas.js';
import type { ScimAnswer } from '../../scim/scim-user.js';
import type { ScimRequest } from '../../scim/scim-users.js';
import { text } from './docs.js';
import type { BodySchema } from './fields.js';

const SCIM_TYPE = 'application/scim+json';

/** Of everybody, also without a token. */
export const scimOpen = {
  caller: 'none',
  assertOn: assertScimOn,
  scimErrors: true,
  trailingSlash: true,
  tag: 'SCIM',
} as const;

/** Of the holder of a token. */
export const scimEndpoint = { ...scimOpen, caller: 'scim' } as const;

/** The body is sent in the form of SCIM. */
export const scimReply = (body: object, status = 200, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status,
  body: JSON.stringify(body),
  headers: { 'Content-Type': SCIM_TYPE, ...headers },
});

export const scimAnswer = (schema: string, description: string, status = 200): Record<string, DocumentedAnswer> => ({
  [status]: { description, body: schema, contentType: SCIM_TYPE },
});

export const filterRefused = { filter: text('Refused here.') } as const;

const projectionQuery = {
  attributes: text('Names of attributes that the answer has, separated by commas; id and schemas come with them.'),
  excludedAttributes: text('Names of attributes that it does not have.'),
} as const;

export const resourceQuery = projectionQuery;

export const scimListQuery = {
  filter: text('Which resources (RFC 7644 3.4.2.2).'),
  startIndex: { type: 'integer', description: 'The first one, from 1; less counts as 1.' },
  count: { type: 'integer', description: 'How many, 200 at most; default 100; 0 for their number only.' },
  cursor: text('In place of startIndex: empty for the first page, then nextCursor (RFC 9865).'),
  ...projectionQuery,
} as const;

/** A body may be 64 kB, and that of a group, with many members, 1 MiB. */
const USER_VALUES = 5000;

/** The handler gets the whole body. */
export const scimBody = (description: string, maxValues = USER_VALUES) => ({
  body: { type: 'object', properties: {}, description } as ObjectSchema as BodySchema<
    Readonly<Record<string, unknown>>
  >,
  wholeBody: maxValues,
});

type Asked = Pick<ApiRequest<unknown, ScimCaller>, 'id' | 'caller' | 'query' | 'header'>;

export function scimRequestOf(kind: ScimKind, request: Asked): ScimRequest {
  const { id, caller, query } = request;
  return {
    requestId: id,
    caller,
    projection: readProjection(kind, query.get('attributes'), query.get('excludedAttributes')),
    preconditions: { ifMatch: request.header('if-match'), ifNoneMatch: request.header('if-none-match') },
  };
}

/** @param preconditions of a read: 304 for who has the version already */
export function scimResourceReply(
  { body, version, location }: ScimAnswer,
  status = 200,
  preconditions: Preconditions | null = null,
): Reply {
  const headers = { ETag: etagOf(version), Location: location };
  if (preconditions !== null && isKnown(preconditions, version)) return { status: 304, headers };
  return scimReply(body, status, headers);
}

export const listParameters =
  (query: ReadonlyMap<string, string>): ListParameters =>
  (name) =>
    query.get(name);

/** Names of the body without regard to case. */
export function searchParameters(body: Readonly<Record<string, unknown>>): ListParameters {
  const values = new Map(Object.entries(body).map(([name, value]) => [name.toLowerCase(), value]));
  return (name) => values.get(name.toLowerCase()) ?? undefined;
}
