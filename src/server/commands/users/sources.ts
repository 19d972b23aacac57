/** Where accounts come from: a file of JSON lines, or the peer's tables. */
import type { PeerReader } from '../../../db/peer.js';
import { Refusal } from '../../errors.js';
import { parseJsonObject } from '../../http/json.js';
import type { Bookmark } from './bookmark.js';
import { readLines } from './lines.js';
import { type RowDefaults, RowFault, readRow } from './rows.js';
import { BATCH, type SourceRow } from './run-import.js';

const NEWLINES = /^\s*$/;

/** @param size of the file, for the progress */
export async function* rowsOfFile(
  file: string,
  size: number,
  resumed: Bookmark | null,
  defaults: RowDefaults,
): AsyncGenerator<SourceRow> {
  const from = { end: Number(resumed?.place ?? 0), number: resumed?.line ?? 0 };
  for await (const { number, bytes, end, isTooLong } of readLines(file, from)) {
    const text = bytes.toString('utf8');
    if (NEWLINES.test(text)) continue;
    yield {
      line: number,
      place: String(end),
      share: size === 0 ? 1 : end / size,
      text,
      read: () => {
        if (isTooLong) throw new RowFault('the line is over 1 MiB; only its beginning is in the file of refusals');
        return readRow(parseLine(bytes), defaults);
      },
    };
  }
}

/** Under the rules of request bodies: depth, number of values, nothing that cannot be stored. @throws RowFault */
function parseLine(bytes: Buffer): Readonly<Record<string, unknown>> {
  try {
    return parseJsonObject(bytes);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new RowFault(error.message.replace(/^Could not parse request body as JSON: /, 'is no JSON object: '));
  }
}

export async function* rowsOfPeer(
  peer: PeerReader,
  resumed: Bookmark | null,
  defaults: RowDefaults,
): AsyncGenerator<SourceRow> {
  const total = Math.max(1, await peer.count());
  let line = resumed?.line ?? 0;
  let after = resumed?.place ?? null;
  for (;;) {
    const page = await peer.read(after, BATCH);
    for (const { user, identities } of page) {
      line += 1;
      after = user.id;
      const row = { ...user, identities: identities ?? [] };
      yield {
        line,
        place: user.id,
        share: Math.min(1, line / total),
        text: JSON.stringify(row),
        read: () => readRow(row, defaults),
      };
    }
    if (page.length < BATCH) return;
  }
}
