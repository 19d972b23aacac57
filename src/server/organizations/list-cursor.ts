/** Lists by cursor. A cursor names a place in a list, and opens nothing: each statement has its own organization or user. */

import { isTimestamp } from '../../db/timestamps.js';
import type { FoundPlace, TimePlace } from '../../db/types.js';
import { isUuid } from '../../db/uuid.js';
import { apiError } from '../errors.js';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

/** @throws ApiError organizationFieldInvalid */
function readListLimit(query: ReadonlyMap<string, string>): number {
  const text = query.get('limit');
  if (text === undefined || text === '') return DEFAULT_LIMIT;
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (limit < 1) throw apiError('organizationFieldInvalid', { reason: 'limit must be a number from 1 to 200' });
  return Math.min(limit, MAX_LIMIT);
}

const makeListCursor = (place: readonly unknown[]): string => Buffer.from(JSON.stringify(place)).toString('base64url');

/** @returns the parts of the cursor; null: none is given. @throws ApiError organizationFieldInvalid */
function readListCursor(
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

function readTimeCursor(query: ReadonlyMap<string, string>): TimePlace | null {
  const parts = readListCursor(query, ([time, id, ...rest]) => isTime(time) && isId(id) && rest.length === 0);
  return parts && { createdAt: parts[0] as string, id: parts[1] as string };
}

const isId = (part: unknown): boolean => typeof part === 'string' && isUuid(part);
const isTime = (part: unknown): boolean => typeof part === 'string' && isTimestamp(part);

function readFoundCursor(query: ReadonlyMap<string, string>, parts: number): FoundPlace | null {
  const isPart = (part: unknown): boolean =>
    Number.isInteger(part) && (part as number) >= 1 && (part as number) <= parts;
  const place = readListCursor(
    query,
    ([part, key, id, ...rest]) => isPart(part) && typeof key === 'string' && isId(id) && rest.length === 0,
  );
  return place && { part: place[0] as number, key: place[1] as string, id: place[2] as string };
}

export interface ListPage<Row> {
  readonly rows: readonly Row[];
  /** Null: there is no more. */
  readonly next_cursor: string | null;
}

/**
 * A page of a list that is sorted by time.
 * @param query limit, cursor
 * @param load reads so many rows, those after a place
 * @param placeOf a row: its time and id
 * @throws ApiError organizationFieldInvalid
 */
export async function readTimePage<Row>(
  query: ReadonlyMap<string, string>,
  load: (place: TimePlace | null, count: number) => Promise<readonly Row[]>,
  placeOf: (row: Row) => readonly [time: string, id: string],
): Promise<ListPage<Row>> {
  const limit = readListLimit(query);
  return pageOf(await load(readTimeCursor(query), limit + 1), limit, placeOf);
}

/**
 * A page of what a search by prefix finds.
 * @param query limit, cursor
 * @param parts by how many columns it searches
 * @param load reads so many rows, those after a place
 * @param idOf a row
 * @throws ApiError organizationFieldInvalid
 */
export async function readFoundPage<Row extends Pick<FoundPlace, 'part' | 'key'>>(
  query: ReadonlyMap<string, string>,
  parts: number,
  load: (place: FoundPlace | null, count: number) => Promise<readonly Row[]>,
  idOf: (row: Row) => string,
): Promise<ListPage<Row>> {
  const limit = readListLimit(query);
  const found = await load(readFoundCursor(query, parts), limit + 1);
  return pageOf(found, limit, (row) => [row.part, row.key, idOf(row)]);
}

/** @param rows one more than the page has, if there are more */
function pageOf<Row>(rows: readonly Row[], limit: number, placeOf: (row: Row) => readonly unknown[]): ListPage<Row> {
  if (rows.length <= limit) return { rows, next_cursor: null };
  const shown = rows.slice(0, limit);
  return { rows: shown, next_cursor: makeListCursor(placeOf(shown.at(-1)!)) };
}
