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

/** Gives each caller its rows, in their order, without the position. */
export function distribute(rows: readonly BatchedRow[], callers: number): BatchedRow[][] {
  const answers: BatchedRow[][] = Array.from({ length: callers }, () => []);
  for (const row of rows) {
    const position = row.batch_position!;
    row.batch_position = undefined;
    answers[position - 1]!.push(row);
  }
  return answers;
}
