/** Calls functions of the operator with JSON (sql/queries/functions.sql). */
import { isSqlError } from './errors.js';
import { type Statement, serverName } from './statements.js';
import type { Database } from './types.js';

/** Both names are plain: letters, digits and underscores. */
export interface FunctionName {
  readonly schema: string;
  readonly name: string;
}

const PLAIN = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/;
const TEMPLATE = 'functions.call';

const keyOf = ({ schema, name }: FunctionName): string => `${TEMPLATE}:${schema}.${name}`;

/**
 * Adds a statement for each function.
 * @throws Error for a name that is not plain
 */
export function addFunctions(statements: Map<string, Statement>, functions: readonly FunctionName[]): void {
  const template = statements.get(TEMPLATE);
  if (template === undefined) return;
  for (const called of functions) {
    if (!PLAIN.test(called.schema) || !PLAIN.test(called.name)) throw new Error('The name of a function is not plain.');
    const text = template.text.replace('/*f*/to_jsonb', `"${called.schema}"."${called.name}"`);
    const key = keyOf(called);
    statements.set(key, { ...template, key, text, name: serverName(key, text) });
  }
}

/**
 * Calls a function in a transaction of its own, which is committed.
 * @returns the JSON that the function returned; null: nothing, or null
 * @throws as {@link Database.run}
 */
export async function callFunction(
  db: Database,
  called: FunctionName,
  input: string,
  timeoutMs: number,
): Promise<string | null> {
  const rows = await db.transaction(async (statements) => {
    await statements.run('functions.limit_time', [String(Math.ceil(timeoutMs))]);
    return statements.run<{ output: string | null }>(keyOf(called), [input]);
  });
  return rows[0]?.output ?? null;
}

/** What `raise exception` says to the client. */
export interface RaisedError {
  /** 0: the function chose none. */
  readonly status: number;
  readonly message: string;
}

/** @returns undefined for an error that the function did not raise by itself */
export function raisedErrorOf(error: unknown): RaisedError | undefined {
  if (!isSqlError(error)) return undefined;
  if (error.code === 'P0001') return { status: 0, message: error.message };
  const status = /^PT(\d{3})$/.exec(error.code)?.[1];
  return status === undefined ? undefined : { status: Number(status), message: error.message };
}

/** @returns what is wrong with a function, in words for the operator */
export function explainFunctionFault(error: unknown, { schema, name }: FunctionName): string {
  const cause = (error as { cause?: unknown } | null)?.cause;
  const fault = isSqlError(error) ? error : isSqlError(cause) ? cause : undefined;
  const signature = `${schema}.${name}(jsonb)`;
  switch (fault?.code) {
    case '42883':
      return `there is no function ${signature}: create it with one parameter of type jsonb`;
    case '3F000':
      return `there is no schema ${schema}`;
    case '42501':
      return `the right is missing: grant usage on schema ${schema} and execute on function ${signature} to the role of AUTH_DB_DATABASE_URL`;
    case '57014':
      return `${signature} took too long`;
    default:
      return fault === undefined
        ? 'the database did not answer'
        : `${signature} failed with SQLSTATE ${fault.code}: ${fault.message}`;
  }
}

/** Whether the function ran into its time limit. */
export function isFunctionTimeout(error: unknown): boolean {
  const cause = (error as { cause?: unknown } | null)?.cause;
  return isSqlError(cause) && cause.code === '57014';
}
