/** Pages by number, as clients of the compatible peer know them (operations.md 1.3), and by cursor. */
import { refuse } from '../errors.js';
import { isUuid } from './uuid.js';

export interface PageRequest {
  readonly page: number;
  readonly perPage: number;
}

const DEFAULT_PER_PAGE = 50;
/** More in one answer would hold the thread for everybody else; it is refused rather than cut, so that none are missed. */
const MOST_PER_PAGE = 10_000;
const MOST_UINT64 = 18_446_744_073_709_551_615n;

type Query = ReadonlyMap<string, string>;

/** @throws Refusal badPagination */
export function readPage(query: Query): PageRequest {
  const page = readUnsigned(query.get('page')) ?? 1;
  const perPage = readUnsigned(query.get('per_page')) ?? DEFAULT_PER_PAGE;
  if (perPage === 0) throw refuse('badPagination', { reason: 'per_page must be at least 1' });
  if (perPage > MOST_PER_PAGE) throw refuse('badPagination', { reason: `per_page may be at most ${MOST_PER_PAGE}` });
  return { page: Math.max(1, page), perPage };
}

/** Rows before the page; as much as Postgres takes, where the page number is absurd. */
export const offsetOf = ({ page, perPage }: PageRequest): number =>
  Math.min((page - 1) * perPage, Number.MAX_SAFE_INTEGER);

/** @returns null when absent or empty */
function readUnsigned(text: string | undefined): number | null {
  if (!text) return null;
  const fault = (what: string) =>
    refuse('badPagination', { reason: `strconv.ParseUint: parsing ${JSON.stringify(text.slice(0, 100))}: ${what}` });
  if (!/^[0-9]+$/.test(text)) throw fault('invalid syntax');
  if (text.length > 20 || BigInt(text) > MOST_UINT64) throw fault('value out of range');
  return Number(text);
}

/**
 * The headers of a page: X-Total-Count, and Link (RFC 8288) with the request's own path and query. The query's keys are
 * sorted, for the official client reads the page number behind the first equals sign.
 */
export function pageHeaders(
  path: string,
  query: Query,
  { page, perPage }: PageRequest,
  total: number,
): Record<string, string> {
  const last = Math.ceil(total / perPage);
  const links = [...(page < last ? [[page + 1, 'next'] as const] : []), [last, 'last'] as const];
  return {
    'X-Total-Count': String(total),
    Link: links.map(([number, rel]) => link(path, query, { page: String(number) }, rel)).join(', '),
  };
}

/** One entry of a Link header. */
export function link(path: string, query: Query, replaced: Record<string, string>, rel: string): string {
  const parameters = new URLSearchParams([...query]);
  for (const [key, value] of Object.entries(replaced)) parameters.set(key, value);
  parameters.sort();
  return `<${path}?${parameters}>; rel="${rel}"`;
}

export interface CursorRequest {
  readonly limit: number;
  /** The last row that was seen; null: from the beginning. */
  readonly after: { readonly createdAt: string; readonly id: string } | null;
}

const MOST_BY_CURSOR = 1000;

/** Pages go by cursor where `limit` or `cursor` is asked for, and neither `page` nor `per_page`. */
export const wantsCursor = (query: Query): boolean =>
  (query.has('limit') || query.has('cursor')) && !query.has('page') && !query.has('per_page');

/** @throws Refusal badPagination */
export function readCursor(query: Query): CursorRequest {
  const limit = readUnsigned(query.get('limit')) ?? DEFAULT_PER_PAGE;
  if (limit === 0 || limit > MOST_BY_CURSOR) {
    throw refuse('badPagination', { reason: `limit must be from 1 to ${MOST_BY_CURSOR}` });
  }
  const text = query.get('cursor');
  return { limit, after: text ? openCursor(text) : null };
}

/** Opaque to clients: time and id of a row. It grants nothing, so it needs no seal; it is checked all the same. */
export const makeCursor = (row: { created_at: string; id: string }): string =>
  Buffer.from(`${row.created_at} ${row.id}`).toString('base64url');

/** As the database writes it, in UTC. */
const TIMESTAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d{1,6})?\+00:00$/;

function openCursor(text: string): { createdAt: string; id: string } {
  const [createdAt = '', id = '', ...rest] = Buffer.from(text, 'base64url').toString('latin1').split(' ');
  const seconds = `${TIMESTAMP.exec(createdAt)?.[1]}.000Z`;
  const date = new Date(seconds);
  // 30 February would be an error of the database's.
  const isDate = !Number.isNaN(date.getTime()) && date.toISOString() === seconds;
  if (!isDate || !isUuid(id) || rest.length > 0) {
    throw refuse('badPagination', { reason: 'cursor is not one of this list' });
  }
  return { createdAt, id };
}
