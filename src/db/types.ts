/** The database as the rest of the server uses it. */
import type { ChangeOrigin } from './origin.js';

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

/** Runs statements: the database, each in a transaction of its own, or an open transaction. */
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
   * Runs several statements in one transaction on one connection: to end sessions or prove an address, not in every
   * request. Await nothing but statements inside, since the connection is held.
   * @param origin in the place of that of the request
   */
  transaction<Result>(work: (statements: Statements) => Promise<Result>, origin?: ChangeOrigin): Promise<Result>;
  /** True when a statement succeeded within the last second, or succeeds now; cached for 1 s (REL-25). */
  isReady(): Promise<boolean>;
  stats(): { readonly open: number; readonly idle: number; readonly waiting: number; readonly limit: number };
  close(): Promise<void>;
}

/** The part of a pino logger that src/db uses. */
export interface DatabaseLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** A text that is stored encrypted. */
export interface SealedRow {
  readonly id: string;
  readonly sealed: string;
}

/** A place in a list that a search by prefix finds, part by part. */
export interface FoundPlace {
  /** By which of several columns it is found, from 1. */
  readonly part: number;
  /** What is found by. */
  readonly key: string;
  readonly id: string;
}

/** A place in a list that is sorted by time. */
export interface TimePlace {
  /** RFC 3339. */
  readonly createdAt: string;
  readonly id: string;
}
