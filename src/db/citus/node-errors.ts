/** What errors of the nodes of a cluster say about the node, the shard or the layout. */
import { DatabaseUnavailableError, isShardLost, isSqlError } from '../errors.js';

/** The node is a standby now (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const READ_ONLY = '25006';

/** The node has done nothing: it cannot be connected to, or is no primary any more. */
export function isAway(error: unknown): error is DatabaseUnavailableError {
  if (!(error instanceof DatabaseUnavailableError)) return false;
  return !error.wasSent || (isSqlError(error.cause) && error.cause.code === READ_ONLY);
}

/** The attempt to connect has had no answer: by connections.ts, pg, or the system. */
export const hadNoAnswer = (cause: unknown): boolean =>
  cause instanceof Error && /timeout|ETIMEDOUT/.test(cause.message);

/** The shard has moved or was split: its table is not here, or is what was left of it, or of a primary (sql/citus/shards.sql). */
export const isNotHere = (error: unknown): boolean =>
  hasLostShard(error) || (isSqlError(error) && (error.code === '42P01' || error.code === 'LK001'));

/** The pool has tried it again already, and says that the database is not available (retry.ts). */
const hasLostShard = (error: unknown): boolean => error instanceof DatabaseUnavailableError && isShardLost(error.cause);

/** Feature not supported, and what has no class. */
const WRONG_LAYOUT = new Set(['0A000', 'XX000']);

/** True for what the coordinator answers to a statement that is not for how the tables are now; nothing was done. */
export const isWrongLayout = (error: unknown): boolean =>
  hasLostShard(error) || (isSqlError(error) && WRONG_LAYOUT.has(error.code));
