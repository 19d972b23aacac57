/** Sources of rows: a file of JSON lines, or the tables of supabase/auth. */
import type { ImportAccount } from '../../../db/import.js';
import type { ImportSession } from '../../../db/import-sessions.js';
import type { SupabaseAuthReader } from '../../../db/supabase-auth.js';
import { ApiError } from '../../errors.js';
import { parseJsonObject } from '../../http/json.js';
import type { Keys } from '../../sessions/keys.js';
import { digestOf } from './digest.js';
import { readLines } from './lines.js';
import { LEFT_OUT, type RowDefaults, RowFault, readRow } from './rows.js';
import { readSession } from './session-rows.js';
import { BATCH, type Place, type SourceRow } from './stage.js';

const NEWLINES = /^\s*$/;

/** @param size of the file, for the progress */
export async function* rowsOfFile(
  file: string,
  size: number,
  from: Place,
  defaults: RowDefaults,
): AsyncGenerator<SourceRow<ImportAccount>> {
  const start = { end: Number(from.place ?? 0), number: from.line };
  for await (const { number, bytes, end, isTooLong } of readLines(file, start)) {
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

/** With the limits of request bodies: depth, number of values, no unstorable text. @throws RowFault */
function parseLine(bytes: Buffer): Readonly<Record<string, unknown>> {
  try {
    return parseJsonObject(bytes);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new RowFault(error.message.replace(/^Could not parse request body as JSON: /, 'is no JSON object: '));
  }
}

export async function* accountsOfPeer(
  peer: SupabaseAuthReader,
  from: Place,
  defaults: RowDefaults,
): AsyncGenerator<SourceRow<ImportAccount>> {
  const total = Math.max(1, await peer.countUsers());
  let line = from.line;
  for await (const { user, identities } of pages((after) => peer.readUsers(after, BATCH), from.place, userIdOf)) {
    line += 1;
    const row = { ...user, identities: identities ?? [] };
    yield {
      line,
      place: user.id,
      share: Math.min(1, line / total),
      text: JSON.stringify(row),
      read: () => {
        const account = readRow(row, defaults);
        return account === LEFT_OUT ? LEFT_OUT : { ...account, digest: digestOf(account) };
      },
    };
  }
}

export async function* sessionsOfPeer(
  peer: SupabaseAuthReader,
  from: Place,
  keys: Keys,
): AsyncGenerator<SourceRow<ImportSession>> {
  const total = Math.max(1, await peer.countSessions());
  let line = from.line;
  for await (const row of pages((after) => peer.readSessions(after, BATCH), from.place, sessionIdOf)) {
    line += 1;
    yield {
      line,
      place: row.session.id,
      share: Math.min(1, line / total),
      // Without its tokens: the file of refused rows need not sign anyone in.
      text: JSON.stringify({ session_id: row.session.id, user_id: row.session['user_id'] }),
      read: () => readSession(row, keys),
    };
  }
}

const userIdOf = (row: { readonly user: { readonly id: string } }): string => row.user.id;
const sessionIdOf = (row: { readonly session: { readonly id: string } }): string => row.session.id;

/** Rows by id, a page at a time. */
async function* pages<Row>(
  read: (after: string | null) => Promise<readonly Row[]>,
  start: string | null,
  idOf: (row: Row) => string,
): AsyncGenerator<Row> {
  for (let after = start; ; ) {
    const page = await read(after);
    yield* page;
    if (page.length < BATCH) return;
    after = idOf(page.at(-1)!);
  }
}
