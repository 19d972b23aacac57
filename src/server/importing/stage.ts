/** One kind of rows on their way in: reads them in batches, stores each batch, sorts out what cannot be stored. */
import { isConnectionFailure, isSqlError, type SqlError } from '../../db/errors.js';
import type { Counts, StageName } from './counts.js';
import { type FieldFault, LEFT_OUT, RowFault } from './rows.js';

/** One row of the source. */
export interface SourceRow<Item> {
  readonly line: number;
  /** Position after it. */
  readonly place: string;
  /** Progress within the source, from 0 to 1. */
  readonly share: number;
  /** Unchanged text, for the file of refused rows. */
  readonly text: string;
  /** @throws RowFault */
  read(): Item | typeof LEFT_OUT;
}

/** Where an interrupted run stopped. */
export interface Place {
  readonly place: string | null;
  readonly line: number;
}

/** What became of a row: the count it belongs to, or why it was refused. */
export type RowResult = Exclude<keyof Counts, 'refused' | 'gone'> | RefusedRow;

interface RefusedRow {
  readonly reason: string;
  /** The same in parts, where fields are known. */
  readonly faults?: readonly FieldFault[];
}

export interface Stage<Item> {
  readonly name: StageName;
  rows(from: Place): AsyncIterable<SourceRow<Item>>;
  /** Stores a batch. @returns a result for each item, in order. @throws SqlError when the database refuses the batch */
  store(items: readonly Item[]): Promise<RowResult[]>;
  /** Unique within a batch. */
  keysOf(item: Item): readonly string[];
  /**
   * Deals with what an earlier run brought from between two places and is no longer there.
   * @param upTo null: to the end
   * @returns how much that is
   */
  findGone?(after: string | null, upTo: string | null, present: readonly string[]): Promise<number>;
}

/** Large enough that round trips do not matter, small enough that a statement takes some 100 ms. */
export const BATCH = 1000;

export async function* inBatches<Row>(rows: AsyncIterable<Row>): AsyncGenerator<Row[]> {
  let batch: Row[] = [];
  for await (const row of rows) {
    batch.push(row);
    if (batch.length === BATCH) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

/** Rows of a batch that can be read, and what became of the others already. */
export interface ReadBatch<Item> {
  readonly results: RowResult[];
  readonly items: readonly { readonly index: number; readonly item: Item }[];
  /** Places of the rows that are there and not left out. */
  readonly present: string[];
}

/** Reads the rows, which asks the database nothing. */
export function readBatch<Item>(
  batch: readonly Pick<SourceRow<Item>, 'place' | 'read'>[],
  keysOf: Stage<Item>['keysOf'],
): ReadBatch<Item> {
  const results: RowResult[] = [];
  const items: { index: number; item: Item }[] = [];
  const present: string[] = [];
  const seen = new Set<string>();
  for (const [index, row] of batch.entries()) {
    try {
      const item = row.read();
      if (item === LEFT_OUT) {
        results[index] = 'skipped';
        continue;
      }
      present.push(row.place);
      assertOnce(seen, keysOf(item));
      items.push({ index, item });
    } catch (error) {
      if (!(error instanceof RowFault)) throw error;
      present.push(row.place);
      results[index] = { reason: error.message, faults: error.faults };
    }
  }
  return { results, items, present };
}

/** @returns a result for each row, in order, and the places of those that are there and not left out */
export async function storeBatch<Item>(
  stage: Stage<Item>,
  batch: readonly SourceRow<Item>[],
): Promise<{ results: RowResult[]; present: string[] }> {
  const { results, items, present } = readBatch(batch, stage.keysOf);
  const stored = await storeOrDivide(
    stage,
    items.map(({ item }) => item),
  );
  for (const [position, { index }] of items.entries()) results[index] = stored[position]!;
  return { results, present };
}

/** Finds duplicates within a batch; the statement finds those of other batches. @throws RowFault */
function assertOnce(seen: Set<string>, keys: readonly string[]): void {
  if (keys.some((key) => seen.has(key)))
    throw new RowFault('its id, one of its identities or its credential is there twice');
  for (const key of keys) seen.add(key);
}

/** One statement for the batch; if it fails, one per row, so that only invalid rows are refused. */
export async function storeOrDivide<Item>(
  stage: Pick<Stage<Item>, 'store'>,
  items: readonly Item[],
): Promise<RowResult[]> {
  if (items.length === 0) return [];
  try {
    return await stage.store(items);
  } catch (error) {
    if (!isFaultOfRow(error)) throw error;
    if (items.length === 1) return [{ reason: `the database does not take it (${(error as SqlError).code})` }];
  }
  const results: RowResult[] = [];
  for (const item of items) results.push(...(await storeOrDivide(stage, [item])));
  return results;
}

/** False: the database is unavailable or full. */
export const isFaultOfRow = (error: unknown): boolean =>
  isSqlError(error) && !isConnectionFailure(error) && !/^(40|42|53|57)/.test(error.code);
