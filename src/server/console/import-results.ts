/** What became of the rows of an import, as a file: a line for each row, and for each fault of one. */
import type { ExportKind } from './export-rows.js';
import type { ImportResult } from './import-rows.js';

export interface ImportResultRow extends Pick<ImportResult, 'line' | 'result' | 'id'> {
  readonly column: string | null;
  readonly message: string | null;
}

export const importResultRows: ExportKind<ImportResultRow> & { of(result: ImportResult): readonly ImportResultRow[] } =
  {
    columns: ['line', 'result', 'id', 'column', 'message'],
    cells: ({ line, result, id, column, message }) => [line, result, id, column, message],
    view: (row) => row,
    of: ({ line, result, id, faults }) =>
      faults.length === 0
        ? [{ line, result, id, column: null, message: null }]
        : faults.map(({ field, message }) => ({ line, result, id, column: field, message })),
  };
