/** Query parameters that the lists of the console share. */
import { isTimestamp } from '../../db/timestamps.js';
import type { TimePlace } from '../../db/types.js';
import { isUuid } from '../../db/uuid.js';
import { type ApiError, apiError } from '../errors.js';

export type Query = ReadonlyMap<string, string>;

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

/** Before the first row. */
export const beginning: TimePlace = { createdAt: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

/** @throws ApiError badPagination */
export function readLimit(query: Query): number {
  const text = query.get('limit');
  if (!text) return DEFAULT_LIMIT;
  if (!/^[1-9][0-9]{0,5}$/.test(text)) throw apiError('badPagination', { reason: 'limit must be a number from 1' });
  return Math.min(Number(text), MAX_LIMIT);
}

/** A cursor: opaque to clients. It grants nothing, so it is validated but not sealed. */
export const writeCursor = (first: string, second: string): string =>
  Buffer.from(JSON.stringify([first, second])).toString('base64url');

/** @returns null on the first page. @throws ApiError badPagination */
export function readCursorParts(query: Query): readonly [first: string, second: string] | null {
  const text = query.get('cursor');
  if (!text) return null;
  const [first, second] = parse(text);
  if (typeof first === 'string' && typeof second === 'string') return [first, second];
  throw notOfThisList();
}

const notOfThisList = (): ApiError => apiError('badPagination', { reason: 'cursor is not one of this list' });

export const makePlace = ({ createdAt, id }: TimePlace): string => writeCursor(createdAt, id);

/** The place of a row in a list that is sorted by the time of creation. */
export const placeOfCreated = (row: { readonly created_at: string; readonly id: string }): TimePlace => ({
  createdAt: row.created_at,
  id: row.id,
});

/** @returns the cursor of the page after a full one; null: there is none */
export function cursorAfter<Row>(rows: readonly Row[], limit: number, placeOf: (row: Row) => TimePlace): string | null {
  const end = rows.length === limit ? rows.at(-1) : undefined;
  return end === undefined ? null : makePlace(placeOf(end));
}

/**
 * @param isValue whether the first part of a cursor is one of this list; default: a time
 * @returns null on the first page. @throws ApiError badPagination
 */
export function readPlace(query: Query, isValue: (text: string) => boolean = isTimestamp): TimePlace | null {
  const cursor = readCursorParts(query);
  if (cursor === null) return null;
  const [createdAt, id] = cursor;
  if (!isUuid(id) || !isValue(createdAt)) throw notOfThisList();
  return { createdAt, id };
}

function parse(text: string): readonly unknown[] {
  try {
    const read: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return Array.isArray(read) ? read : [];
  } catch {
    return [];
  }
}

/** @returns null when it is not given. @throws ApiError badFilter */
export function readFlag(query: Query, name: string): boolean | null {
  const text = query.get(name);
  if (!text) return null;
  if (text !== 'true' && text !== 'false') throw apiError('badFilter', { reason: `${name} must be true or false` });
  return text === 'true';
}

/** @returns RFC 3339; null when it is not given. @throws ApiError badFilter */
export function readTimeFilter(query: Query, name: string): string | null {
  const text = query.get(name);
  if (!text) return null;
  if (!isTimestamp(text)) throw apiError('badFilter', { reason: `${name} must be a time as in RFC 3339` });
  return text;
}
