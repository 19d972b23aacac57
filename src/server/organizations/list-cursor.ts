/** Lists by cursor. A cursor names a place in a list, and opens nothing: each statement has its own organization or user. */
import type { TimePlace } from '../../db/types.js';
import { isUuid } from '../../db/uuid.js';
import { apiError } from '../errors.js';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

/** @throws ApiError organizationFieldInvalid */
export function readListLimit(query: ReadonlyMap<string, string>): number {
  const text = query.get('limit');
  if (text === undefined || text === '') return DEFAULT_LIMIT;
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (limit < 1) throw apiError('organizationFieldInvalid', { reason: 'limit must be a number from 1 to 200' });
  return Math.min(limit, MAX_LIMIT);
}

const makeListCursor = (place: readonly unknown[]): string => Buffer.from(JSON.stringify(place)).toString('base64url');

/** @returns the parts of the cursor; null: none is given. @throws ApiError organizationFieldInvalid */
export function readListCursor(
  query: ReadonlyMap<string, string>,
  isPlace: (parts: readonly unknown[]) => boolean,
): readonly unknown[] | null {
  const text = query.get('cursor');
  if (!text) return null;
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    parts = undefined;
  }
  if (Array.isArray(parts) && isPlace(parts)) return parts;
  throw apiError('organizationFieldInvalid', { reason: 'cursor is not the next_cursor of an answer' });
}

/** @throws ApiError organizationFieldInvalid */
export function readTimeCursor(query: ReadonlyMap<string, string>): TimePlace | null {
  const parts = readListCursor(query, ([time, id, ...rest]) => isTime(time) && isId(id) && rest.length === 0);
  return parts && { createdAt: parts[0] as string, id: parts[1] as string };
}

export const isId = (part: unknown): boolean => typeof part === 'string' && isUuid(part);
const isTime = (part: unknown): boolean => typeof part === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]{8,15}Z$/.test(part);

/**
 * @param rows one more than the page has, if there are more
 * @param placeOf of the last row of the page
 */
export function pageOf<Row>(
  rows: readonly Row[],
  limit: number,
  placeOf: (row: Row) => readonly unknown[],
): { readonly rows: readonly Row[]; readonly next_cursor: string | null } {
  if (rows.length <= limit) return { rows, next_cursor: null };
  const shown = rows.slice(0, limit);
  return { rows: shown, next_cursor: makeListCursor(placeOf(shown.at(-1)!)) };
}
