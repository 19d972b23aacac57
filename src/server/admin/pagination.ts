/** Pages by number, as in supabase/auth, and by cursor. */
import { createHash } from 'node:crypto';
import { isTimestamp } from '../../db/timestamps.js';
import { isUuid } from '../../db/uuid.js';
import { apiError } from '../errors.js';

export interface PageRequest {
  readonly page: number;
  readonly perPage: number;
}

const DEFAULT_PER_PAGE = 50;
/** A larger page would block the thread. Larger values are an error, so that clients do not miss rows. */
const MAX_PER_PAGE = 10_000;
const MAX_UINT64 = 18_446_744_073_709_551_615n;

type Query = ReadonlyMap<string, string>;

/** @throws ApiError badPagination */
export function readPage(query: Query): PageRequest {
  const page = readUnsigned(query.get('page')) ?? 1;
  const perPage = readUnsigned(query.get('per_page')) ?? DEFAULT_PER_PAGE;
  if (perPage === 0) throw apiError('badPagination', { reason: 'per_page must be at least 1' });
  if (perPage > MAX_PER_PAGE) throw apiError('badPagination', { reason: `per_page may be at most ${MAX_PER_PAGE}` });
  return { page: Math.max(1, page), perPage };
}

/** Capped at what Postgres accepts. */
export const offsetOf = ({ page, perPage }: PageRequest): number =>
  Math.min((page - 1) * perPage, Number.MAX_SAFE_INTEGER);

/** @returns null when absent or empty */
function readUnsigned(text: string | undefined): number | null {
  if (!text) return null;
  const fault = (what: string) =>
    apiError('badPagination', { reason: `strconv.ParseUint: parsing ${JSON.stringify(text.slice(0, 100))}: ${what}` });
  if (!/^[0-9]+$/.test(text)) throw fault('invalid syntax');
  if (text.length > 20 || BigInt(text) > MAX_UINT64) throw fault('value out of range');
  return Number(text);
}

/**
 * The headers X-Total-Count and Link (RFC 8288). Query parameters are sorted, since the official client reads the page
 * number after the first equals sign.
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

interface CursorRequest {
  readonly limit: number;
  /** The last row of the previous page; null: the first page. */
  readonly after: { readonly createdAt: string; readonly id: string } | null;
}

const MAX_CURSOR_LIMIT = 1000;

/** @param isDefault AUTH_EXPERIMENTAL_CURSOR_PAGINATION_ENABLED: also without `limit` and `cursor` */
export const wantsCursor = (query: Query, isDefault: boolean): boolean =>
  (isDefault || query.has('limit') || query.has('cursor')) && !query.has('page') && !query.has('per_page');

/** The list that a cursor belongs to: a filter and a direction. */
export const listKeyOf = (isOldestFirst: boolean, filter: string | null): string =>
  createHash('sha256')
    .update(`${isOldestFirst}\0${filter ?? ''}`)
    .digest('base64url')
    .slice(0, 16);

/**
 * @param listKey the list that is asked for
 * @throws ApiError badPagination, also for the cursor of another list
 */
export function readCursor(query: Query, listKey: string): CursorRequest {
  const limit = readUnsigned(query.get('limit')) ?? DEFAULT_PER_PAGE;
  if (limit === 0) throw apiError('badPagination', { reason: 'limit must be at least 1' });
  const text = query.get('cursor');
  return { limit: Math.min(limit, MAX_CURSOR_LIMIT), after: text ? parseCursor(text, listKey) : null };
}

/** Opaque to clients. It grants nothing, so it is validated but not sealed. */
export const makeCursor = ({ created_at, id }: { created_at: string; id: string }, listKey: string): string =>
  Buffer.from(JSON.stringify({ created_at, id, list: listKey })).toString('base64url');

function parseCursor(text: string, listKey: string): { createdAt: string; id: string } {
  const { created_at: createdAt, id, list } = decodeCursor(text);
  const isKnown = typeof createdAt === 'string' && isTimestamp(createdAt) && typeof id === 'string' && isUuid(id);
  if (!isKnown) throw apiError('badPagination', { reason: 'cursor is not one of this list' });
  if (list !== listKey) throw apiError('badPagination', { reason: 'cursor belongs to another filter or direction' });
  return { createdAt, id };
}

function decodeCursor(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')));
  } catch {
    return {};
  }
}
