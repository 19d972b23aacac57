/** Errors that triggers of the application raise while the mirror is written (sql/app-schema/mirror.sql). */
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

  /** The message is for the log: it says where the error came from. */
  constructor(error: LocatedError, change: MirroredChange, triggers: readonly string[] = []) {
    const functions = readFunctions(error.where ?? '');
    const table = error.table === undefined ? [] : [`table ${[error.schema, error.table].filter(Boolean).join('.')}`];
    const constraint = error.constraint === undefined ? [] : [`constraint ${error.constraint}`];
    const places = [...triggers, ...functions.map((name) => `function ${name}`), ...table, ...constraint];
    super([...places, error.code, error.message].join(': '), { cause: error });
    this.name = 'ApplicationError';
    this.change = change;
    this.raised = readRaised(error);
    this.functions = functions;
  }

  /** The same error, with the names of triggers. */
  in(triggers: readonly string[]): ApplicationError {
    return new ApplicationError(this.cause as LocatedError, this.change, triggers);
  }
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
  const isIn = (name: string) => where?.includes(`${prefix}mirror_${name}(`) === true;
  if (!MIRRORS.some(isIn)) return undefined;
  const change = isIn('deleted_users') ? 'delete' : isIn('new_users') ? 'insert' : 'update';
  return new ApplicationError(error, change);
}

/** Bits of pg_trigger.tgtype. */
const TRIGGER_EVENTS = { insert: 4, delete: 8, update: 16 } as const;

/**
 * Adds the names of the triggers whose functions the error went through.
 * @param run a statement of sql/queries
 */
export async function nameTriggers(
  error: ApplicationError,
  run: (name: string, values: readonly SqlValue[]) => Promise<{ name: string; table_name: string }[]>,
): Promise<ApplicationError> {
  if (error.functions.length === 0) return error;
  const names = error.functions.map((name) => name.slice(name.lastIndexOf('.') + 1).replaceAll('"', ''));
  const rows = await run('application-error.triggers', [names, TRIGGER_EVENTS[error.change]]);
  return error.in(rows.map((row) => `trigger ${row.name} on ${row.table_name}`));
}

/** `raise exception` without a code, or with PTnnn for a status of its own, as in functions of hooks. */
function readRaised({ code, message }: SqlError): ApplicationError['raised'] {
  if (code === 'P0001') return { status: 500, message };
  const status = /^PT([45]\d\d)$/.exec(code)?.[1];
  return status === undefined ? null : { status: Number(status), message };
}

/** The words around the names are in the language of the server. */
function readFunctions(where: string): string[] {
  const found = where
    .split('\n')
    .map((line) => (/PL\/pgSQL/.test(line) ? /([\w."]+)\([^)]*\)/.exec(line)?.[1] : undefined));
  const names = found.filter((name) => name !== undefined);
  return [...new Set(names.filter((name) => !/mirror_|take_application_/.test(name)))];
}
