/** What endpoints of provisioning share (RFC 7644). */
import type { Reply } from '../../http/types.js';
import type { DocumentedAnswer } from '../../openapi/contract.js';
import { assertScimOn } from '../../scim/scim-on.js';
import { text } from './docs.js';

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
