/** What the rest of the server sees of the database. */

/** A value that may be bound to a statement's `$n`. */
export type SqlValue =
  | string
  | number
  | boolean
  | null
  | Date
  | Buffer
  | readonly (string | null)[]
  | readonly number[];

export interface Database {
  /**
   * Runs one named statement of sql/queries and returns its rows.
   * @param name `<file>.<statement>`, e.g. `users.user_for_sign_in`
   * @param values in the order of `$1…$n`
   * @throws DatabaseUnavailableError (code DATABASE_UNAVAILABLE), PoolExhaustedError (code POOL_EXHAUSTED),
   *   or a pg error with its SQLSTATE in `code`
   */
  run<Row>(name: string, values: readonly SqlValue[]): Promise<Row[]>;
  /** Runs several statements in one transaction on one connection. Rare admin flows only (design.md 8). */
  transaction<Result>(work: (database: Pick<Database, 'run'>) => Promise<Result>): Promise<Result>;
  /** True when a statement went through within the last second or goes through now; cached for 1 s (REL-25). */
  isReady(): Promise<boolean>;
  stats(): { readonly open: number; readonly idle: number; readonly waiting: number; readonly limit: number };
  close(): Promise<void>;
}

/** As much of a pino logger as this room uses. */
export interface DatabaseLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}
