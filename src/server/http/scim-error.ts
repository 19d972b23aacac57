/** Errors as clients of SCIM read them (RFC 7644 3.12). */
import { type ApiError, scimTypes } from '../errors.js';
import { type Answer, addHeader } from './reply.js';

/** Also where nothing is, errors have this form. */
export const SCIM_PLACE = '/scim/v2/';
export const SCIM_TYPE = 'application/scim+json';
const SCHEMAS = ['urn:ietf:params:scim:api:messages:2.0:Error'];

/** The body; `detail` is for people. */
export function scimErrorBody({ entry, status, message }: ApiError) {
  const scimType = scimTypes[entry];
  return { schemas: SCHEMAS, status: String(status), ...(scimType && { scimType }), detail: message };
}

/** @param head headers that every answer has: flat list of names and values */
export function renderScimError(error: ApiError, head: readonly string[]): Answer {
  const { status, errorCode, retryAfterSeconds, headers: own } = error;
  const headers = [...head, 'X-Content-Type-Options', 'nosniff', 'Cache-Control', 'no-store'];
  headers.push('Content-Type', SCIM_TYPE, 'X-Sb-Error-Code', errorCode);
  if (status === 401) headers.push('WWW-Authenticate', 'Bearer');
  if (retryAfterSeconds !== undefined) headers.push('Retry-After', String(Math.max(1, Math.ceil(retryAfterSeconds))));
  for (const name in own) addHeader(headers, name, own[name]!);
  return { status, headers, body: JSON.stringify(scimErrorBody(error)) };
}
