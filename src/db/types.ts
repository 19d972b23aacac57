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

/** What runs statements: the database, each by itself, or a transaction of it. */
export interface Statements {
  /**
   * Runs one named statement of sql/queries and returns its rows.
   * @param name `<file>.<statement>`, e.g. `users.user_for_sign_in`
   * @param values in the order of `$1…$n`
   * @throws DatabaseUnavailableError (code DATABASE_UNAVAILABLE), PoolExhaustedError (code POOL_EXHAUSTED),
   *   or a pg error with its SQLSTATE in `code`
   */
  run<Row>(name: string, values: readonly SqlValue[]): Promise<Row[]>;
}

export interface Database extends Statements {
  /**
   * Runs several statements in one transaction on one connection: what ends sessions or proves an address, not what
   * happens with every request. Nothing but statements may be awaited inside, since the connection is held.
   */
  transaction<Result>(work: (statements: Statements) => Promise<Result>): Promise<Result>;
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
