/** Cells of CSV (RFC 4180). */
import { isUtf8 } from 'node:buffer';
import { RowFault } from './rows.js';

const delimiters = { comma: 0x2c, semicolon: 0x3b, tab: 0x09 } as const;
export type Delimiter = keyof typeof delimiters;

export const byteOf = (delimiter: Delimiter): number => delimiters[delimiter];

/** @param line the first one. @returns the delimiter that it has most of outside of quotes */
export function guessDelimiter(line: string): Delimiter {
  const plain = line.replace(/"(?:[^"]|"")*"/g, '');
  const names = Object.keys(delimiters) as Delimiter[];
  const countOf = (name: Delimiter): number => plain.split(String.fromCharCode(delimiters[name])).length;
  return names.reduce((best, name) => (countOf(name) > countOf(best) ? name : best));
}

/**
 * @param bytes a record, which may end in a carriage return
 * @returns its cells; in one without quotes a quote stands for itself
 * @throws RowFault for bytes that are no text, and for quotes that are not closed or do not end their cell
 */
export function readCells(bytes: Buffer, delimiter: Delimiter): string[] {
  const text = readRecordText(bytes);
  const separator = String.fromCharCode(delimiters[delimiter]);
  const end = text.endsWith('\r') ? text.length - 1 : text.length;
  const cells: string[] = [];
  let at = 0;
  for (;;) {
    if (text[at] === '"') {
      const close = findClosingQuote(text, at);
      if (close === -1) throw new RowFault(`a quote is not closed: cell ${cells.length + 1}`);
      cells.push(text.slice(at + 1, close).replaceAll('""', '"'));
      at = close + 1;
      if (at < end && text[at] !== separator) throw new RowFault(`text follows a quote: cell ${cells.length}`);
    } else {
      const next = text.indexOf(separator, at);
      const stop = next === -1 ? end : next;
      cells.push(text.slice(at, stop));
      at = stop;
    }
    if (at >= end) return cells;
    at += 1;
  }
}

function findClosingQuote(text: string, open: number): number {
  for (let at = text.indexOf('"', open + 1); at !== -1; at = text.indexOf('"', at + 2)) {
    if (text[at + 1] !== '"') return at;
  }
  return -1;
}

/** @throws RowFault */
function readRecordText(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new RowFault('is no UTF-8: save the file in this encoding, not as Latin-1 or UTF-16');
  const text = bytes.toString('utf8');
  if (text.includes('\0')) throw new RowFault('U+0000 is not allowed');
  return text;
}
