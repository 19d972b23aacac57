/** Files of accounts, CSV or one JSON object a line: what they look like, and their records as accounts. */
import { createHmac } from 'node:crypto';
import type { ImportAccount } from '../../db/import.js';
import { deriveBytes, type ServerSecrets } from '../sealing/key-ring.js';
import { type ColumnTargets, columnOf, fieldsOfCells, suggestTargets } from './columns.js';
import { byteOf, type Delimiter, guessDelimiter, readCells } from './csv.js';
import { parseJsonText } from './json-line.js';
import { type RawRecord, type RecordFormat, type RecordPlace, RecordReader } from './records.js';
import { type FieldFault, type LEFT_OUT, type RowDefaults, RowFault, readRow } from './rows.js';

export const fileFormats = ['csv', 'ndjson'] as const;
export type FileFormat = (typeof fileFormats)[number];

interface CsvLayout {
  readonly format: 'csv';
  readonly delimiter: Delimiter;
  readonly columns: readonly string[];
  readonly targets: ColumnTargets;
}
export type FileLayout = CsvLayout | { readonly format: 'ndjson' };

/** By the name, and by the first character of one that says nothing. */
export function guessFormat(name: string, head: Buffer): FileFormat {
  if (/\.(csv|tsv)$/i.test(name)) return 'csv';
  if (/\.(ndjson|jsonl|json)$/i.test(name)) return 'ndjson';
  return /^\ufeff?\s*\{/.test(head.subarray(0, 1024).toString('utf8')) ? 'ndjson' : 'csv';
}

/**
 * Reads the names of the columns of CSV, and suggests what they become.
 * @param head the first bytes of the file. @param isWhole there are no others
 * @returns the layout, and where the rows begin
 * @throws RowFault when the first line is none of names
 */
export function readLayout(
  format: FileFormat,
  head: Buffer,
  isWhole: boolean,
): { readonly layout: FileLayout; readonly start: RecordPlace } {
  if (format === 'ndjson') return { layout: { format }, start: { offset: 0, lines: 0 } };
  // A line end within quotes ends a record with any delimiter in the same place.
  const delimiter = guessDelimiter(firstRecord(head, isWhole, 'comma').bytes.toString('utf8'));
  const first = firstRecord(head, isWhole, delimiter);
  const columns = readCells(first.bytes, delimiter).map((name) => name.trim());
  if (columns.every((name) => name === '')) throw new RowFault('the first line must name the columns');
  return { layout: { format, delimiter, columns, targets: suggestTargets(columns) }, start: first.next };
}

function firstRecord(head: Buffer, isWhole: boolean, delimiter: Delimiter): RawRecord {
  const reader = new RecordReader({ delimiter: byteOf(delimiter) });
  for (const record of reader.push(head)) return record;
  if (isWhole) for (const record of reader.finish()) return record;
  throw new RowFault(isWhole ? 'the file is empty' : 'the first line, which names the columns, is too long');
}

export const recordFormatOf = (layout: FileLayout): RecordFormat => ({
  delimiter: layout.format === 'csv' ? byteOf(layout.delimiter) : null,
});

export const isBlank = ({ bytes, exceeds }: RawRecord): boolean =>
  exceeds === null && /^\s*$/.test(bytes.toString('utf8'));

export interface FileRules extends RowDefaults {
  /** An id for a row without one. */
  readonly makeRowId: (bytes: Buffer) => string;
}

/** @throws RowFault */
export function readRecord(
  { bytes, exceeds }: RawRecord,
  layout: FileLayout,
  rules: FileRules,
): ImportAccount | typeof LEFT_OUT {
  if (exceeds !== null) throw new RowFault(`the row is over ${exceeds / 1_048_576} MiB: the rest of it was left out`);
  const fields =
    layout.format === 'ndjson'
      ? parseJsonText(bytes)
      : fieldsOfCells(readCells(bytes, layout.delimiter), layout.columns, layout.targets);
  return readRow(fields, rules, () => rules.makeRowId(bytes));
}

/** @returns the faults with the columns of CSV as the file names them */
export const nameColumns = (faults: readonly FieldFault[], layout: FileLayout): readonly FieldFault[] =>
  layout.format === 'ndjson'
    ? faults
    : faults.map(({ field, message }) => ({
        field: field && (columnOf(layout.columns, layout.targets, field) ?? field),
        message,
      }));

/**
 * An id that is the same whenever the same row comes again, so that a repeated import finds the account there. Without the
 * secret, it does not say what the row was.
 */
export function openRowIds({ jwtSecret }: ServerSecrets): (bytes: Buffer) => string {
  const key = deriveBytes(jwtSecret, 'latchkey id of an imported row v1');
  return (bytes) => {
    const digest = createHmac('sha256', key).update(bytes).digest();
    // Version 8, whose bits are the maker's (RFC 9562 5.8).
    digest[6] = (digest[6]! & 0x0f) | 0x80;
    digest[8] = (digest[8]! & 0x3f) | 0x80;
    return digest.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  };
}
