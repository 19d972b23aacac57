/** The first rows of a file, as cells, so that an operator sees what its columns hold. */
import { readCells } from '../importing/csv.js';
import { type FileLayout, isBlank, recordFormatOf } from '../importing/file-rows.js';
import { type RecordPlace, RecordReader } from '../importing/records.js';
import { RowFault } from '../importing/rows.js';

const SAMPLE_ROWS = 5;
const MOST_CHARACTERS = 60;

/** @param head the first bytes of the file. @returns cells; of JSON, the line as the only one */
export function sampleRows(head: Buffer, layout: FileLayout, start: RecordPlace): readonly (readonly string[])[] {
  const rows: string[][] = [];
  for (const record of new RecordReader(recordFormatOf(layout), start).push(head.subarray(start.offset))) {
    if (rows.length === SAMPLE_ROWS) break;
    if (isBlank(record)) continue;
    rows.push(cellsOf(record.bytes, layout).map((cell) => cell.slice(0, MOST_CHARACTERS)));
  }
  return rows;
}

function cellsOf(bytes: Buffer, layout: FileLayout): readonly string[] {
  if (layout.format === 'ndjson') return [bytes.toString('utf8')];
  try {
    return readCells(bytes, layout.delimiter);
  } catch (error) {
    if (!(error instanceof RowFault)) throw error;
    return [];
  }
}
