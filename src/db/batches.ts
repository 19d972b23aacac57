/** From the values of many callers to those of one statement, and back from its rows to each caller's. */
import type { SqlValue } from './types.js';

/** A row of a batch statement: whose it is, counted from 1. */
export interface BatchedRow {
  batch_position?: number | undefined;
}

/** `[[a1, b1], [a2, b2]]` → `[[a1, a2], [b1, b2]]` */
export function transpose(jobs: readonly (readonly SqlValue[])[]): SqlValue[] {
  return jobs[0]!.map((_, column) => jobs.map((values) => values[column] as string | null));
}

/**
 * Gives each caller its rows, in their order, without the position. The array they came in is empty afterwards: V8 comes
 * to put such arrays into the old generation at once, where every row that was ever in one would live until the next full
 * collection (6 kB a batch, and 5 % of the processor time of a refresh).
 */
export function distribute(rows: BatchedRow[], callers: number): BatchedRow[][] {
  const answers: BatchedRow[][] = [];
  for (let i = 0; i < callers; i++) answers.push([]);
  for (const row of rows) {
    const position = row.batch_position!;
    row.batch_position = undefined;
    answers[position - 1]!.push(row);
  }
  rows.length = 0;
  return answers;
}
