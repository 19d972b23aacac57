import type { FunctionName } from './functions.js';
import type { Statement } from './statements.js';
import type { Database, DatabaseLog } from './types.js';

export interface DatabaseOptions {
  /** postgres:// URL. */
  readonly url: string;
  /** Maximum of this thread. 0: as many as the server permits (docs/decisions.md, Connection pool). */
  readonly maxConnections: number;
  /** From prefixOf(): `''` or `<namespace>_`. */
  readonly prefix: string;
  /** False for poolers that do not support named statements (PgBouncer before 1.21 in transaction mode). */
  readonly preparedStatements: boolean;
  /** Longest wait for a free connection, including opening it. Default 1.8. */
  readonly acquireTimeoutSeconds?: number;
  /** Limit of one statement and of waiting for a lock; 0: none. Default 3. */
  readonly statementTimeoutSeconds?: number;
  /** Callers that may wait for a connection; further ones are rejected at once. Default 512. */
  readonly maxWaiting?: number;
  /** Idle time after which a connection is closed; 0: never. Default 30. */
  readonly idleTimeoutSeconds?: number;
  /** Age at which a connection is replaced; 0: never. Default 0. */
  readonly maxLifetimeSeconds?: number;
  readonly log: DatabaseLog;
  /** Default: sql/queries of this package. */
  readonly queriesDirectory?: string;
  /** In the place of those of `queriesDirectory`. */
  readonly statements?: ReadonlyMap<string, Statement>;
  /** Functions of the operator that may be called. */
  readonly functions?: readonly FunctionName[];
}

export interface DatabasePool extends Database {
  /** Further functions of the operator may be called. @throws Error for a name that is not plain */
  allowFunctions(functions: readonly FunctionName[]): void;
}
