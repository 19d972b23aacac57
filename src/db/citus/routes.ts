/** The statements that ask for one session by its id: the node that has it answers them alone. Their text has the mark of a shard. */
import type { SqlValue } from '../types.js';

export interface SessionRoute {
  /** Place of the id of the session among the values; null there: the coordinator answers. */
  readonly session: number;
  /** Place of the version of the account as the caller knows it. */
  readonly version?: number;
  /** Tags of which each has one valid session, and the maximum age of a session in seconds; absent or undefined: none. */
  readonly tags?: (values: readonly SqlValue[]) => readonly [tags: string, timeboxSeconds: number | null] | undefined;
  /** Its node writes down what the coordinator has to know. No row: the node has nothing to change, and the coordinator answers. */
  readonly leavesRecord?: true;
  /** What is answered for a session that another one of its tag supersedes; absent: no row. */
  readonly superseded?: string;
}

/** Of the conditions of a refresh (sessions.redeem_refresh_token). */
function readTags(conditions: SqlValue | undefined): readonly [string, number | null] | undefined {
  if (typeof conditions !== 'string' || !conditions.includes('"tags":')) return undefined;
  const { tags, timebox_seconds: timebox } = JSON.parse(conditions) as { tags?: string; timebox_seconds?: number };
  return tags === undefined ? undefined : [tags, timebox ?? null];
}

export const sessionRoutes: ReadonlyMap<string, SessionRoute> = new Map(
  Object.entries({
    'sessions.redeem_refresh_token': { session: 0, version: 4, tags: ([, , , , , conditions]) => readTags(conditions) },
    'sessions.refresh_state': {
      session: 0,
      tags: ([, , timebox, , tags]) => (tags == null ? undefined : [String(tags), timebox as number | null]),
      superseded: 'is_superseded',
    },
    'users.known_caller': { session: 1, version: 2 },
    'users.caller': { session: 1 },
    'sessions.end_own_session': { session: 1, leavesRecord: true },
    'sessions.revoke_session': { session: 0, leavesRecord: true },
  } satisfies Record<string, SessionRoute>),
);

/** The statements of the coordinator that join copies to a session, so that its node answers alone. */
export const joinsCopies: ReadonlySet<string> = new Set([
  ...[...sessionRoutes].flatMap(([key, { leavesRecord }]) => (leavesRecord ? [] : [key])),
  'account-locks.session',
]);

interface VersionedRow {
  version?: string;
  news?: { version: string } | null;
}

/**
 * The version of an account contains a transaction id (users.caller), which every node counts by itself: one version of two nodes
 * could be two states of the account. So those of a node carry its name.
 */
export function nameVersions<Row>(rows: Row[], node: string): Row[] {
  for (const row of rows as readonly VersionedRow[]) {
    if (typeof row.version === 'string') row.version = `${node} ${row.version}`;
    if (row.news) row.news.version = `${node} ${row.news.version}`;
  }
  return rows;
}

/**
 * @param node empty: the coordinator answers, for any node, so no version is known to be its own
 * @returns the values for this node: a version of another one is none
 */
export function withOwnVersion(
  values: readonly SqlValue[],
  { version }: SessionRoute,
  node: string,
): readonly SqlValue[] {
  if (version === undefined || values[version] === null) return values;
  const known = values[version] as string;
  const own = node !== '' && known.startsWith(`${node} `) ? known.slice(node.length + 1) : '';
  return values.map((value, place) => (place === version ? own : value));
}
