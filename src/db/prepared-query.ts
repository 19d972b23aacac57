/**
 * Runs a named statement through the extended query protocol of Postgres. pg's own query asks for the columns on every
 * execution and inspects each value twice; without this file a refresh takes 8 % more instructions. pg.Submittable is a
 * public interface (pg-cursor uses it), but the methods of its connection are not.
 */
import type pg from 'pg';
import { typeParserOf } from './connection.js';
import { setOrigin } from './origin.js';
import type { Statement } from './statements.js';
import type { SqlValue } from './types.js';

/** The undocumented members of pg's connection used here. test/db/prepared-query.test.ts pins pg's version. */
interface PgConnection {
  readonly stream: { cork(): void; uncork(): void };
  /** Texts by name: confirmed by ParseComplete, and sent. */
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

/** Text, or raw bytes. */
type WireValue = string | Buffer | null;

/** By connection and statement. The columns are fixed: Postgres rejects the statement once they have changed. */
const columnsOf = new WeakMap<object, Map<string, readonly Column[]>>();

const ORIGIN = { name: 'latchkey_origin', text: setOrigin('$1') } as Statement;
const knowOrigin = new WeakSet<pg.ClientBase>();

/**
 * Runs a statement under its name.
 * @param origin value of latchkey.origin (origin.ts), set in the same transaction and round trip; null: none
 * @returns its rows
 * @throws (rejects) what Postgres or pg reports; RangeError for a date that is none
 */
export async function runPrepared<Row>(
  client: pg.ClientBase,
  statement: Statement,
  values: readonly SqlValue[],
  origin: string | null = null,
): Promise<Row[]> {
  const wireValues = values.map(toWire);
  // Prepared once for each connection, on its own: pg keeps the name of one statement per query.
  if (origin !== null && !knowOrigin.has(client)) {
    knowOrigin.add(client);
    await runPrepared(client, ORIGIN, [origin]);
  }
  try {
    return await new Promise((resolve, reject) => {
      const query: PreparedQuery<Row> = new PreparedQuery<Row>(
        statement,
        wireValues,
        (error) => (error ? reject(error) : resolve(query.answer)),
        origin,
      );
      client.query(query);
    });
  } catch (error) {
    // As pg does: the stack then shows the caller, not only the socket.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  }
}

class PreparedQuery<Row> implements pg.Submittable {
  readonly answer: Row[] = [];
  readonly name: string;
  readonly text: string;
  /** pg wraps it, for the time-out. */
  callback: (error: Error | null) => void;
  readonly #values: readonly WireValue[];
  #known: Map<string, readonly Column[]> | undefined;
  #columns: readonly Column[] | undefined;
  #failure: Error | null = null;
  readonly #origin: string | null;
  /** The answer to set_config comes first. */
  #isAtOrigin: boolean;

  constructor(
    { name, text }: Statement,
    values: readonly WireValue[],
    callback: (error: Error | null) => void,
    origin: string | null,
  ) {
    this.name = name;
    this.text = text;
    this.#values = values;
    this.callback = callback;
    this.#origin = origin;
    this.#isAtOrigin = origin !== null;
  }

  submit(connection: object): void {
    const wire = connection as PgConnection;
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
      // Messages up to one Sync are one transaction.
      if (this.#origin !== null) {
        wire.bind({ portal: '', statement: ORIGIN.name, values: [this.#origin], binary: false });
        wire.execute({ portal: '', rows: 0 });
      }
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
    this.#columns = fields.map(({ name, dataTypeID }) => ({ name, parse: typeParserOf(dataTypeID) }));
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    if (this.#failure !== null || this.#isAtOrigin) return;
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
    if (this.#isAtOrigin) {
      this.#isAtOrigin = false;
      return;
    }
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
    // The Sync sent with the statement was consumed as copy data.
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

/**
 * https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO: quoted, so that only quotes and backslashes matter.
 */
function arrayLiteral(items: readonly (string | number | boolean | null)[]): string {
  let text = '{';
  // The jobs of a batch often have the same conditions or user agent.
  let [last, lastQuoted] = ['', '""'];
  for (const item of items) {
    if (text.length > 1) text += ',';
    if (typeof item === 'string') {
      if (item !== last) [last, lastQuoted] = [item, quoteItem(item)];
      text += lastQuoted;
    } else text += item === null || item === undefined ? 'NULL' : String(item);
  }
  return `${text}}`;
}

const quoteItem = (item: string): string =>
  `"${item.includes('"') || item.includes('\\') ? item.replace(/["\\]/g, '\\$&') : item}"`;
