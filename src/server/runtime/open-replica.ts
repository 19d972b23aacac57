import { type DatabaseOptions, openDatabase } from '../../db/pool.js';
import { type Replica, watchReplica } from '../../db/replica.js';
import type { Database } from '../../db/types.js';
import type { LastingConfig } from '../config/settings.js';

/** A read that fails on the replica is repeated on the primary, so it gets less time. */
export function openReplica(
  config: LastingConfig,
  primary: Database,
  options: Omit<DatabaseOptions, 'url'>,
): Replica | undefined {
  const { dbReplicaUrl: url, dbReplicaMaxLagSeconds: maxLagSeconds } = config;
  if (url === null) return undefined;
  const replica = openDatabase({ ...options, url, acquireTimeoutSeconds: 1, statementTimeoutSeconds: 1 });
  return watchReplica({ primary, replica, maxLagSeconds, log: options.log });
}
