/** Matrices of tests: `npm test` runs some of their rows, `npm run test:full` all. */
import { isFullRun, isRestRun } from './long-form.js';

/** @returns what a row has in a column; values are compared as a Map compares its keys */
export type Column<Row> = (row: Row) => unknown;

/**
 * Picks the rows of a matrix that run: all in a full run, else as few as show each value of each column; with --rest the others. A pair
 * that must be shown is a column of its own, such as `(row) => `${row.page} ${row.role}``. The choice does not change between runs.
 * Call it in the test file: the runner looks there for what a full run does besides.
 */
export const pickRows = <Row>(rows: readonly Row[], columns: readonly Column<Row>[]): readonly Row[] =>
  pickByForm(rows, () => coverValues(rows, columns));

/** Like {@link pickRows} with the first row as that of a short run. */
export const pickFirst = <Row>(rows: readonly Row[]): readonly Row[] => pickByForm(rows, () => rows.slice(0, 1));

/** Like {@link pickRows} with those rows in a short run of which `isOfShort` is true. */
export const pickWhere = <Row>(rows: readonly Row[], isOfShort: (row: Row) => boolean): readonly Row[] =>
  pickByForm(rows, () => rows.filter(isOfShort));

function pickByForm<Row>(rows: readonly Row[], pickFew: () => readonly Row[]): readonly Row[] {
  if (isRestRun()) return leaveOut(rows, pickFew());
  return isFullRun() ? rows : pickFew();
}

/** @returns the rows without some of them; one that is there twice may be left out once */
export function leaveOut<Row>(rows: readonly Row[], some: readonly Row[]): readonly Row[] {
  const left = [...rows];
  for (const row of some) left.splice(left.indexOf(row), 1);
  return left;
}

/**
 * Picks rows one by one: the one that shows most values for the first time; among equals the one whose values were shown least, so
 * that the values of a short column take turns. @returns them in the order of `rows`
 */
export function coverValues<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): readonly Row[] {
  const shown = columns.map(() => new Map<unknown, number>());
  const waiting = new Map(rows.map((row, index) => [index, columns.map((column) => column(row))]));
  const picked: number[] = [];
  const judge = (values: readonly unknown[]) => {
    const counts = values.map((value, index) => shown[index]!.get(value) ?? 0);
    return { fresh: counts.filter((count) => count === 0).length, sum: counts.reduce((all, one) => all + one, 0) };
  };
  for (;;) {
    let best: { readonly index: number; readonly fresh: number; readonly sum: number } | undefined;
    for (const [index, values] of waiting) {
      const { fresh, sum } = judge(values);
      // It shows nothing new, and never will.
      if (fresh === 0) waiting.delete(index);
      else if (best === undefined || fresh > best.fresh || (fresh === best.fresh && sum < best.sum)) {
        best = { index, fresh, sum };
      }
    }
    if (best === undefined) break;
    picked.push(best.index);
    for (const [column, value] of waiting.get(best.index)!.entries()) {
      shown[column]!.set(value, (shown[column]!.get(value) ?? 0) + 1);
    }
    waiting.delete(best.index);
  }
  return picked.sort((a, b) => a - b).map((index) => rows[index]!);
}

/** @returns the product of lists, the last of which changes fastest */
export function cross<const Lists extends readonly (readonly unknown[])[]>(
  ...lists: Lists
): { -readonly [Index in keyof Lists]: Lists[Index][number] }[] {
  const product = lists.reduce<unknown[][]>(
    (rows, list) => rows.flatMap((row) => list.map((value) => [...row, value])),
    [[]],
  );
  return product as { -readonly [Index in keyof Lists]: Lists[Index][number] }[];
}
