import { createReadStream } from 'node:fs';

export interface Line {
  /** From 1. */
  readonly number: number;
  readonly bytes: Buffer;
  /** Where the next line begins, in bytes from the start of the file. */
  readonly end: number;
  /** Longer than a row may be; `bytes` is only its beginning. */
  readonly isTooLong: boolean;
}

/** Longest line. */
const MOST_LINE_BYTES = 1_048_576;
const NEWLINE = 0x0a;

/** Reads a file line by line in constant memory. @param from where to begin, and the lines before that */
export async function* readLines(file: string, from: { end: number; number: number }): AsyncGenerator<Line> {
  let { end, number } = from;
  let held: Buffer[] = [];
  let heldBytes = 0;
  const finish = (last: Buffer, newline: number): Line => {
    const bytes = Buffer.concat([...held, last]);
    const length = heldBytes + last.length;
    end += length + newline;
    number += 1;
    held = [];
    heldBytes = 0;
    return { number, bytes: bytes.subarray(0, MOST_LINE_BYTES), end, isTooLong: length > MOST_LINE_BYTES };
  };
  for await (const chunk of createReadStream(file, { start: end, highWaterMark: 1 << 18 }) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, start)) {
      yield finish(chunk.subarray(start, at), 1);
      start = at + 1;
    }
    // The rest of a line that is too long is dropped.
    if (heldBytes <= MOST_LINE_BYTES) held.push(Buffer.from(chunk.subarray(start)));
    heldBytes += chunk.length - start;
  }
  if (heldBytes > 0) yield finish(Buffer.alloc(0), 0);
}
