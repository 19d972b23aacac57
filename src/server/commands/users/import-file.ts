/** The file that an import reads: its format, and what its columns become. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { CommandArguments, CommandIo } from '../../cli/types.js';
import { findColumnFaults } from '../../importing/columns.js';
import { type FileFormat, type FileLayout, fileFormats, readLayout } from '../../importing/file-rows.js';
import { MOST_RECORD_BYTES, type RecordPlace } from '../../importing/records.js';
import { RowFault } from '../../importing/rows.js';

export interface ImportFile {
  readonly size: number;
  readonly layout: FileLayout;
  readonly start: RecordPlace;
  /** For the bookmark. */
  readonly source: string;
  readonly refusedFile: string;
  readonly refusedHead: string;
}

/**
 * Opens the file and reads the names of its columns.
 * @throws Error when it is missing, or when its columns are no fields of an account
 */
export function openImportFile({ values }: CommandArguments, io: CommandIo, file: string): ImportFile {
  const { size } = statSync(file);
  const head = readHead(file);
  const given = values['format'] as FileFormat | undefined;
  if (given !== undefined && !fileFormats.includes(given)) throw new Error('--format is csv or ndjson');
  // Without an extension that says otherwise, as before there was CSV.
  const format = given ?? (/\.(csv|tsv)$/i.test(file) ? 'csv' : 'ndjson');
  const columns = values['columns'] as string | undefined;
  const { layout: found, start } = readHeadLine(format, head, size <= head.length);
  if (found.format === 'ndjson' && columns !== undefined) throw new Error('--columns is for CSV');
  const layout = found.format === 'csv' && columns !== undefined ? withColumns(found, columns) : found;
  if (layout.format === 'csv') describeColumns(layout, io);
  const bare = file.replace(/\.(ndjson|jsonl|json|csv|tsv)$/i, '');
  return {
    size,
    layout,
    start,
    source: `file ${basename(file)} of ${size} bytes${columns === undefined ? '' : `, columns ${columns}`}`,
    refusedFile: `${bare}.refused.${format}`,
    refusedHead: layout.format === 'csv' ? head.subarray(0, start.offset).toString('utf8').trim() : '',
  };
}

type Csv = Extract<FileLayout, { format: 'csv' }>;

function readHeadLine(format: FileFormat, head: Buffer, isWhole: boolean) {
  try {
    return readLayout(format, head, isWhole);
  } catch (error) {
    if (!(error instanceof RowFault)) throw error;
    throw new Error(`line 1: ${error.message}`);
  }
}

/** @param given as `E-mail=email,Full name=user_metadata.name`. @throws Error when the file has no such column */
function withColumns(layout: Csv, given: string): Csv {
  const targets: (string | null)[] = layout.columns.map(() => null);
  for (const pair of given.split(',')) {
    const at = pair.lastIndexOf('=');
    const index = layout.columns.indexOf(pair.slice(0, at).trim());
    if (at === -1 || index === -1) throw new Error(`--columns: the file has no column ${pair.slice(0, at).trim()}`);
    targets[index] = pair.slice(at + 1).trim();
  }
  return { ...layout, targets };
}

/** @throws Error with all that is wrong with them */
function describeColumns({ columns, targets }: Csv, io: CommandIo): void {
  const faults = findColumnFaults(columns, targets);
  if (faults.length > 0) {
    throw new Error(
      `${faults.map(({ message }) => message).join('; ')} (--columns NAME=FIELD,… says what they become)`,
    );
  }
  const become = columns.map((name, i) => `${name || '(no name)'}: ${targets[i] ?? 'left out'}`);
  io.err(`Columns: ${become.join(', ')}\n`);
}

function readHead(file: string): Buffer {
  const descriptor = openSync(file, 'r');
  try {
    const head = Buffer.alloc(MOST_RECORD_BYTES);
    return head.subarray(0, readSync(descriptor, head, 0, head.length, 0));
  } finally {
    closeSync(descriptor);
  }
}
