/**
 * A named statement in the words of Postgres's extended protocol, for pg's interface of queries that send themselves
 * (pg.Submittable; pg-cursor is another). pg's own query asks for the columns every time and looks at each value twice.
 */
import type pg from 'pg';
import { parserOf } from './connection.js';
import type { Statement } from './statements.js';
import type { SqlValue } from './types.js';

/** As much as is used of pg's connection, which its types leave out (pinned version; test/db/prepared-query.test.ts). */
interface Wire {
  readonly stream: { cork(): void; uncork(): void };
  /** Texts by name: answered with ParseComplete, and sent. */
  readonly parsedStatements: Record<string, string | undefined>;
  readonly submittedNamedStatements: Record<string, string | undefined>;
  parse(statement: { name: string; text: string; types: readonly number[] }): void;
  bind(values: { portal: string; statement: string; values: readonly WireValue[]; binary: boolean }): void;
  describe(what: { type: 'P' | 'S'; name: string }): void;
  execute(portal: { portal: string; rows: number }): void;
  sync(): void;
}

interface Column {
  readonly name: string;
  readonly parse: (text: string) => unknown;
}

/** Text, or bytes as they are. */
type WireValue = string | Buffer | null;

/** By connection and statement. A prepared statement keeps its columns: Postgres refuses it once they have changed. */
const columnsOf = new WeakMap<object, Map<string, readonly Column[]>>();

/**
 * Runs a statement under its name.
 * @returns its rows
 * @throws (rejects) what Postgres or pg reports; RangeError for a date that is none
 */
export async function runPrepared<Row>(
  client: pg.ClientBase,
  statement: Statement,
  values: readonly SqlValue[],
): Promise<Row[]> {
  const wireValues = values.map(toWire);
  try {
    return await new Promise((resolve, reject) => {
      const query: PreparedQuery<Row> = new PreparedQuery<Row>(statement, wireValues, (error) =>
        error ? reject(error) : resolve(query.answer),
      );
      client.query(query);
    });
  } catch (error) {
    // As pg does: from here the trace leads to whoever asked, where it arose only to the socket.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  }
}

class PreparedQuery<Row> implements pg.Submittable {
  readonly answer: Row[] = [];
  readonly name: string;
  readonly text: string;
  /** pg puts its own around it, for the time-out. */
  callback: (error: Error | null) => void;
  readonly #values: readonly WireValue[];
  #known: Map<string, readonly Column[]> | undefined;
  #columns: readonly Column[] | undefined;
  #failure: Error | null = null;

  constructor({ name, text }: Statement, values: readonly WireValue[], callback: (error: Error | null) => void) {
    this.name = name;
    this.text = text;
    this.#values = values;
    this.callback = callback;
  }

  submit(connection: object): void {
    const wire = connection as Wire;
    const { name, text } = this;
    const isPrepared = wire.parsedStatements[name] !== undefined || wire.submittedNamedStatements[name] !== undefined;
    this.#known = columnsOf.get(connection);
    if (this.#known === undefined) {
      this.#known = new Map();
      columnsOf.set(connection, this.#known);
    }
    this.#columns = isPrepared ? this.#known.get(name) : undefined;
    wire.stream.cork();
    try {
      if (!isPrepared) {
        wire.parse({ name, text, types: [] });
        wire.submittedNamedStatements[name] = text;
      }
      wire.bind({ portal: '', statement: name, values: this.#values, binary: false });
      if (this.#columns === undefined) wire.describe({ type: 'P', name: '' });
      wire.execute({ portal: '', rows: 0 });
      wire.sync();
    } finally {
      wire.stream.uncork();
    }
  }

  handleRowDescription({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({ name, parse: parserOf(dataTypeID) }));
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    if (this.#failure !== null) return;
    try {
      const columns = this.#columns!;
      const row: Record<string, unknown> = {};
      for (let i = 0; i < columns.length; i++) {
        const { name, parse } = columns[i]!;
        const text = fields[i]!;
        row[name] = text === null ? null : parse(text);
      }
      this.answer.push(row as Row);
    } catch (error) {
      this.#failure = error as Error;
    }
  }

  handleCommandComplete(): void {
    this.#columns ??= [];
    this.#known!.set(this.name, this.#columns);
  }

  handleReadyForQuery(): void {
    this.callback(this.#failure);
  }

  handleError(error: Error): void {
    this.callback(error);
  }

  handleEmptyQuery(): void {}

  handlePortalSuspended(): void {}

  handleCopyInResponse(connection: { sendCopyFail(reason: string): void; sync(): void }): void {
    connection.sendCopyFail('statements of sql/queries copy nothing');
    // The one that was sent with the statement has been taken for data.
    connection.sync();
  }

  handleCopyData(): void {}
}

function toWire(value: SqlValue): WireValue {
  if (typeof value === 'string' || Buffer.isBuffer(value)) return value;
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return arrayLiteral(value);
  return value instanceof Date ? value.toISOString() : String(value);
}

/** https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO: quoted, so that only quotes and backslashes matter. */
function arrayLiteral(items: readonly (string | number | boolean | null)[]): string {
  let text = '{';
  for (const item of items) {
    if (text.length > 1) text += ',';
    if (typeof item === 'string') text += `"${item.includes('"') || item.includes('\\') ? escapeItem(item) : item}"`;
    else text += item === null || item === undefined ? 'NULL' : String(item);
  }
  return `${text}}`;
}

const escapeItem = (item: string): string => item.replace(/["\\]/g, '\\$&');
