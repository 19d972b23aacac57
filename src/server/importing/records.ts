/** Cuts a file of rows into records, piece by piece, in constant memory. */
import { createReadStream } from 'node:fs';

/** How a file separates its rows. CSV may have line ends within quotes (RFC 4180 2). */
export interface RecordFormat {
  /** Byte between two cells of CSV; null: one JSON object a line. */
  readonly delimiter: number | null;
  /** Longest record; default 1 MiB. */
  readonly mostBytes?: number;
}

export interface RawRecord {
  /** Line in which it begins, from 1. */
  readonly line: number;
  /** Without its line end. */
  readonly bytes: Buffer;
  /** Where the next one begins. */
  readonly next: RecordPlace;
  /** How long a row may be, where this one is longer; `bytes` is only its beginning, or empty. */
  readonly exceeds: number | null;
}

/** Where to go on in a file. */
export interface RecordPlace {
  /** In bytes from the start of the file. */
  readonly offset: number;
  /** Lines before that. */
  readonly lines: number;
  /** The offset is in a record that is too long and left out: what the reader knew of it. */
  readonly open?: OpenRecord;
}

interface OpenRecord {
  readonly bytes: number;
  readonly newlines: number;
  readonly state: CellState;
}

/** Where a byte of CSV is: a quote counts at the beginning of a cell, and ends a cell that begins with one. */
type CellState = 'start' | 'plain' | 'quoted' | 'after-quote';

/** Longest record. */
export const MOST_RECORD_BYTES = 1_048_576;
const [NEWLINE, QUOTE] = [0x0a, 0x22];
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const fileStart: RecordPlace = { offset: 0, lines: 0 };

export class RecordReader {
  readonly #format: RecordFormat;
  readonly #mostBytes: number;
  #offset: number;
  #lines: number;
  #held: Buffer[] = [];
  #heldBytes: number;
  #newlines: number;
  #state: CellState;

  constructor(format: RecordFormat, { offset, lines, open }: RecordPlace = fileStart) {
    this.#format = format;
    this.#mostBytes = format.mostBytes ?? MOST_RECORD_BYTES;
    this.#offset = offset - (open?.bytes ?? 0);
    this.#lines = lines;
    this.#heldBytes = open?.bytes ?? 0;
    this.#newlines = open?.newlines ?? 0;
    this.#state = open?.state ?? 'start';
  }

  /** @param chunk the next bytes of the file. @returns the records that end in it */
  *push(chunk: Buffer): Generator<RawRecord> {
    let start = 0;
    for (let end = this.#findEnd(chunk, 0); end !== -1; end = this.#findEnd(chunk, start)) {
      yield this.#finish(chunk.subarray(start, end), 1);
      start = end + 1;
    }
    // The rest of a record that is too long is dropped.
    if (this.#heldBytes <= this.#mostBytes) this.#held.push(Buffer.from(chunk.subarray(start)));
    this.#heldBytes += chunk.length - start;
  }

  /** The file ends. @returns the last record, unless a line end came before */
  *finish(): Generator<RawRecord> {
    if (this.#heldBytes > 0) yield this.#finish(Buffer.alloc(0), 0);
  }

  /** @returns where to go on when the record that has begun is too long already; null: it may still fit */
  leaveOut(): RecordPlace | null {
    if (this.#heldBytes <= this.#mostBytes) return null;
    const open = { bytes: this.#heldBytes, newlines: this.#newlines, state: this.#state };
    return { offset: this.#offset + this.#heldBytes, lines: this.#lines, open };
  }

  #finish(last: Buffer, newline: number): RawRecord {
    const whole = Buffer.concat([...this.#held, last]);
    const length = this.#heldBytes + last.length;
    const line = this.#lines + 1;
    const isFirst = this.#offset === 0 && whole.subarray(0, 3).equals(BYTE_ORDER_MARK);
    this.#offset += length + newline;
    this.#lines += this.#newlines + 1;
    [this.#held, this.#heldBytes, this.#newlines, this.#state] = [[], 0, 0, 'start'];
    return {
      line,
      bytes: whole.subarray(isFirst ? 3 : 0, this.#mostBytes),
      next: { offset: this.#offset, lines: this.#lines },
      exceeds: length > this.#mostBytes ? this.#mostBytes : null,
    };
  }

  /** @returns the place of the line end that ends the record, or -1 */
  #findEnd(chunk: Buffer, from: number): number {
    const { delimiter } = this.#format;
    if (delimiter === null) return chunk.indexOf(NEWLINE, from);
    // The mark is no part of the first cell.
    const hasMark = this.#offset === 0 && this.#heldBytes === 0 && from === 0;
    let state = this.#state;
    for (let i = hasMark && chunk.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : from; i < chunk.length; i++) {
      const byte = chunk[i]!;
      if (byte === QUOTE) {
        if (state === 'start' || state === 'after-quote') state = 'quoted';
        else if (state === 'quoted') state = 'after-quote';
      } else if (state === 'quoted') {
        if (byte === NEWLINE) this.#newlines++;
      } else if (byte === NEWLINE) {
        return i;
      } else {
        state = byte === delimiter ? 'start' : 'plain';
      }
    }
    this.#state = state;
    return -1;
  }
}

/** Reads a file. @param from where to begin */
export async function* readRecords(
  file: string,
  format: RecordFormat,
  from: RecordPlace = fileStart,
): AsyncGenerator<RawRecord> {
  const chunks = createReadStream(file, { start: from.offset, highWaterMark: 1 << 18 }) as AsyncIterable<Buffer>;
  yield* readRecordsOf(chunks, format, from);
}

/** Reads pieces, such as those of standard input. @param from where they begin */
export async function* readRecordsOf(
  chunks: AsyncIterable<Buffer>,
  format: RecordFormat,
  from: RecordPlace = fileStart,
): AsyncGenerator<RawRecord> {
  const reader = new RecordReader(format, from);
  for await (const chunk of chunks) yield* reader.push(chunk);
  yield* reader.finish();
}
