/** Which page of which resources a list is asked for (RFC 7644 3.4.2, RFC 9865). */

import { isTimestamp } from '../../db/timestamps.js';
import type { TimePlace } from '../../db/types.js';
import { readUuid } from '../../db/uuid.js';
import { apiError } from '../errors.js';
import { compileFilter, type ScimFilter } from './filter-query.js';
import { type Projection, readProjection } from './project-resource.js';
import { DEFAULT_PAGE, MAX_PAGE } from './scim-discovery.js';
import type { ScimKind } from './scim-schemas.js';

export interface ListRequest {
  readonly filter: ScimFilter | null;
  readonly projection: Projection;
  readonly count: number;
  /** From 1; null: by cursor. */
  readonly startIndex: number | null;
  /** The last resource of the page before; null: from the beginning, or by index. */
  readonly after: TimePlace | null;
}

/** Parameters by name: of the query, or of the body of a search. */
export type ListParameters = (name: string) => unknown;

/** @throws ApiError scimFilterInvalid, scimValueInvalid, scimCursorInvalid */
export function readListRequest(kind: ScimKind, parameter: ListParameters): ListRequest {
  const filter = parameter('filter');
  if (filter !== undefined && typeof filter !== 'string') {
    throw apiError('scimFilterInvalid', { reason: 'The filter must be a text' });
  }
  const cursor = parameter('cursor');
  const isByCursor = typeof cursor === 'string';
  return {
    filter: filter === undefined || filter.trim() === '' ? null : compileFilter(kind, filter),
    projection: readProjection(kind, parameter('attributes'), parameter('excludedAttributes')),
    count: Math.min(MAX_PAGE, Math.max(0, readNumber(parameter('count'), 'count') ?? DEFAULT_PAGE)),
    startIndex: isByCursor ? null : Math.max(1, readNumber(parameter('startIndex'), 'startIndex') ?? 1),
    after: isByCursor && cursor !== '' ? readScimCursor(cursor) : null,
  };
}

/** @throws ApiError scimValueInvalid */
function readNumber(given: unknown, name: string): number | null {
  if (given === undefined || given === '') return null;
  const number = typeof given === 'number' ? given : /^-?\d{1,9}$/.test(String(given)) ? Number(given) : Number.NaN;
  if (!Number.isInteger(number) || Math.abs(number) > 999_999_999) {
    throw apiError('scimValueInvalid', { reason: `${name} must be a whole number` });
  }
  return number;
}

export const writeScimCursor = ({ createdAt, id }: TimePlace): string =>
  Buffer.from(`${createdAt} ${id}`).toString('base64url');

/** @throws ApiError scimCursorInvalid */
function readScimCursor(text: string): TimePlace {
  const found = /^(\S{10,40}) (\S{36})$/.exec(Buffer.from(text, 'base64url').toString('latin1'));
  const [createdAt = '', id = ''] = found?.slice(1) ?? [];
  const uuid = readUuid(id);
  if (uuid === null || !isTimestamp(createdAt)) throw apiError('scimCursorInvalid');
  return { createdAt, id: uuid };
}
