/** The statements that ask for one session by its id: the node that has it answers them alone. */
import type { SqlValue } from '../types.js';

export interface SessionRoute {
  /** Place of the id of the session among the values; null there: the coordinator answers. */
  readonly session: number;
  /** Place of the version of the account as the caller knows it. */
  readonly version?: number;
}

export const sessionRoutes: ReadonlyMap<string, SessionRoute> = new Map(
  Object.entries({
    'sessions.redeem_refresh_token': { session: 0, version: 4 },
    'sessions.refresh_state': { session: 0 },
    'users.known_caller': { session: 1, version: 2 },
    'users.caller': { session: 1 },
  } satisfies Record<string, SessionRoute>),
);

interface VersionedRow {
  version?: string;
  news?: { version: string } | null;
}

/**
 * The version of an account contains a transaction id (users.caller), which every node counts by itself: one version of two nodes
 * could be two states of the account. So those of a node carry its name.
 */
export function nameVersions<Row>(rows: readonly Row[], node: string): void {
  for (const row of rows as readonly VersionedRow[]) {
    if (typeof row.version === 'string') row.version = `${node} ${row.version}`;
    if (row.news) row.news.version = `${node} ${row.news.version}`;
  }
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
