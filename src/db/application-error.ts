/** Errors that triggers of the application raise while the mirror is written (sql/app-schema/mirror.sql). */
import { cutBytes } from '../cut-bytes.js';
import { ExpectedError } from '../expected-error.js';
import { isSqlError, type SqlError } from './errors.js';
import type { SqlValue } from './types.js';

export type MirroredChange = 'insert' | 'update' | 'delete';

/** Fields of a pg error that say where it came from. */
interface LocatedError extends SqlError {
  /** The functions it went through, the innermost first. */
  readonly where?: string;
  readonly schema?: string;
}

/** A trigger, foreign key or policy of the application undid a change of an account. */
export class ApplicationError extends ExpectedError {
  readonly code = 'APPLICATION_REFUSED';
  readonly change: MirroredChange;
  /** What the application raised on purpose, for the client; null: for the log only. */
  readonly raised: { readonly status: number; readonly message: string } | null;
  /** Functions of the application that it went through, the innermost first, e.g. `public.handle_new_user`. */
  readonly functions: readonly string[];
  /** Trigger, functions, table, constraint and SQLSTATE: no text of the application. */
  readonly place: string;

  /** The message is for the log: it says where the error came from. */
  constructor(error: LocatedError, change: MirroredChange, triggers: readonly string[] = []) {
    shorten(error);
    const functions = readFunctions(error.where ?? '');
    const table = error.table === undefined ? [] : [`table ${[error.schema, error.table].filter(Boolean).join('.')}`];
    const constraint = error.constraint === undefined ? [] : [`constraint ${error.constraint}`];
    const places = [...triggers, ...functions.map((name) => `function ${name}`), ...table, ...constraint];
    const place = cutBytes([...places, error.code].join(': '), MAX_TEXT_BYTES);
    super(`${place}: ${error.message}`, { cause: error });
    this.name = 'ApplicationError';
    this.place = place;
    this.change = change;
    this.raised = readRaised(error);
    this.functions = functions;
  }

  /** The same error, with the names of triggers. */
  in(triggers: readonly string[]): ApplicationError {
    return new ApplicationError(this.cause as LocatedError, this.change, triggers);
  }
}

/** Of what the application says, as of the message of a hook. */
const MAX_TEXT_BYTES = 1024;

/** The message and its copies may be of any size. */
function shorten(error: LocatedError): void {
  const { message, stack } = error;
  const text = cutBytes(message, MAX_TEXT_BYTES);
  if (text === message) return;
  error.message = text;
  if (stack !== undefined) error.stack = stack.replace(message, () => text);
}

/** Functions of the mirror, without `mirror_`. */
const MIRRORS = ['users', 'new_users', 'deleted_users', 'identities', 'deleted_identities', 'sign_in'];

/**
 * @param prefix of the namespace
 * @returns undefined for an error that did not come from the mirror
 */
export function applicationErrorOf(error: unknown, prefix: string): ApplicationError | undefined {
  if (!isSqlError(error)) return undefined;
  const { where } = error as LocatedError;
  if (where === undefined) return undefined;
  const isIn = (name: string) => new RegExp(`(?<!\\w)${prefix}mirror_${name}\\(`).test(where);
  if (!MIRRORS.some(isIn)) return undefined;
  const change = isIn('deleted_users') ? 'delete' : isIn('new_users') ? 'insert' : 'update';
  return new ApplicationError(error, change);
}

/** Runs a statement of sql/queries. */
export type RunQuery = <Row>(name: string, values: readonly SqlValue[]) => Promise<Row[]>;

/** Bits of pg_trigger.tgtype. */
const TRIGGER_EVENTS = { insert: 4, delete: 8, update: 16 } as const;

const namesOf = (functions: readonly string[]): string[] =>
  functions.map((name) => name.slice(name.lastIndexOf('.') + 1).replaceAll('"', ''));

const asWords = (row: { name: string; table_name: string }): string => `trigger ${row.name} on ${row.table_name}`;

/**
 * Looks up where an error came from, for the log.
 * @returns the same error: with the names of the triggers whose functions it went through, and as ApplicationError if a trigger or
 *   foreign key of the application raised it that waits for the end of the transaction
 */
export async function locateError(error: SqlError | ApplicationError, run: RunQuery): Promise<Error> {
  if (!(error instanceof ApplicationError)) return (await findDeferred(error, run)) ?? error;
  if (error.functions.length === 0) return error;
  const values = [namesOf(error.functions), TRIGGER_EVENTS[error.change]];
  return error.in((await run<{ name: string; table_name: string }>('application-error.triggers', values)).map(asWords));
}

/** Nothing of the mirror is in the context then, which is the end of the statement or transaction. */
async function findDeferred(error: LocatedError, run: RunQuery): Promise<ApplicationError | undefined> {
  const { where = '', constraint, code } = error;
  // Functions of triggers have no parameters.
  const functions = /\(\)/.test(where) ? namesOf(readFunctions(where)) : [];
  const key = where === '' && code === '23503' ? constraint : undefined;
  if (functions.length === 0 && key === undefined) return undefined;
  const values = [functions, key ?? null];
  const rows = await run<{ name: string | null; table_name: string; events: number }>(
    'application-error.deferred',
    values,
  );
  const events = rows[0]?.events;
  if (events === undefined) return undefined;
  const change = (['insert', 'update', 'delete'] as const).find((name) => (events & TRIGGER_EVENTS[name]) !== 0);
  const triggers = rows.flatMap(({ name, table_name }) => (name === null ? [] : [asWords({ name, table_name })]));
  return new ApplicationError(error, change ?? 'update', triggers);
}

/** `raise exception` without a code, or with PTnnn for a status of its own, as in functions of hooks. */
function readRaised({ code, message }: SqlError): ApplicationError['raised'] {
  if (message === '') return null;
  if (code === 'P0001') return { status: 500, message };
  const status = /^PT([45]\d\d)$/.exec(code)?.[1];
  return status === undefined ? null : { status: Number(status), message };
}

/** Functions of sql/app-schema, after the prefix of the namespace. */
const OURS =
  /mirror_((new_|changed_|deleted_)?(users?|identit(y|ies))|sign_in|differences)$|(take|apply)_application_[a-z]+$|refuse_[a-z_]+$/;

/** The words around the names are in the language of the server. */
function readFunctions(where: string): string[] {
  const found = where
    .split('\n')
    .map((line) => (/PL\/pgSQL/.test(line) ? /([\w."]+)\([^)]*\)/.exec(line)?.[1] : undefined));
  const names = found.filter((name) => name !== undefined);
  return [...new Set(names.filter((name) => !OURS.test(name)))];
}
