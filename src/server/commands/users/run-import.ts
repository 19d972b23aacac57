/** The loop of every import: batches, verdicts, refusals, bookmark. */
import { closeSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs';
import { isConnectionFailure, isSqlError } from '../../../db/errors.js';
import { type ImportAccount, type ImportVerdict, importUsers } from '../../../db/import.js';
import type { Database } from '../../../db/types.js';
import { type Bookmark, type Counts, removeBookmark, writeBookmark } from './bookmark.js';
import type { Progress } from './progress.js';
import { LEFT_OUT, RowFault } from './rows.js';

/** One row of the source, not yet judged. */
export interface SourceRow {
  readonly line: number;
  /** Where to go on after it. */
  readonly place: string;
  /** How far through the source it is, from 0 to 1. */
  readonly share: number;
  /** As it came, for the file of refusals. */
  readonly text: string;
  /** @throws RowFault */
  read(): ImportAccount | typeof LEFT_OUT;
}

export interface ImportPlan {
  readonly db: Database;
  readonly rows: AsyncIterable<SourceRow>;
  /** What is being read, for the bookmark. */
  readonly source: string;
  readonly bookmarkFile: string;
  readonly refusedFile: string;
  readonly resumed: Bookmark | null;
  readonly progress: Progress;
  /** Told of each refusal: the line, and why. */
  readonly onRefused: (line: number, reason: string) => void;
}

/** Large enough that round trips do not count, small enough that a statement takes some 100 ms. */
export const BATCH = 1000;

const reasons: Readonly<Record<Exclude<ImportVerdict, 'imported' | 'there'>, string>> = {
  email: 'its email belongs to another account',
  phone: 'its phone belongs to another account',
  identity: 'one of its identities belongs to another account',
  raced: 'its id, email or phone is there twice, or was taken meanwhile',
};

/** Imports everything the source still has. The bookmark goes when it is done. */
export async function runImport(plan: ImportPlan): Promise<Counts> {
  const counts: Counts = { ...(plan.resumed?.counts ?? { imported: 0, skipped: 0, refused: 0 }) };
  const refusals = openRefusals(plan.refusedFile, plan.resumed?.refusedBytes ?? 0);
  try {
    for await (const batch of inBatches(plan.rows)) {
      const judged = await judge(plan.db, batch);
      for (const [index, verdict] of judged.entries()) {
        const { line, text } = batch[index]!;
        if (verdict === 'imported') counts.imported += 1;
        else if (verdict === 'there') counts.skipped += 1;
        else {
          counts.refused += 1;
          refusals.add(line, verdict.reason, text);
          plan.onRefused(line, verdict.reason);
        }
      }
      const { line, place, share } = batch.at(-1)!;
      const { source, bookmarkFile } = plan;
      writeBookmark(bookmarkFile, { source, place, line, refusedBytes: refusals.bytes(), counts });
      plan.progress.show(share, counts);
    }
  } finally {
    plan.progress.end();
    refusals.close();
  }
  removeBookmark(plan.bookmarkFile);
  if (counts.refused === 0) rmSync(plan.refusedFile, { force: true });
  return counts;
}

async function* inBatches(rows: AsyncIterable<SourceRow>): AsyncGenerator<SourceRow[]> {
  let batch: SourceRow[] = [];
  for await (const row of rows) {
    batch.push(row);
    if (batch.length === BATCH) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

type Judgement = 'imported' | 'there' | { readonly reason: string };

async function judge(db: Database, batch: readonly SourceRow[]): Promise<Judgement[]> {
  const judged: Judgement[] = [];
  const accounts: { index: number; account: ImportAccount }[] = [];
  const seen = new Set<string>();
  for (const [index, row] of batch.entries()) {
    try {
      const account = row.read();
      if (account === LEFT_OUT) judged[index] = 'there';
      else {
        assertOnce(seen, account);
        accounts.push({ index, account });
      }
    } catch (error) {
      if (!(error instanceof RowFault)) throw error;
      judged[index] = { reason: error.message };
    }
  }
  const verdicts = await store(
    db,
    accounts.map(({ account }) => account),
  );
  for (const [position, { index }] of accounts.entries()) judged[index] = verdicts[position]!;
  return judged;
}

/** The statement sees other batches only, so that what is twice in one is found here. @throws RowFault */
function assertOnce(seen: Set<string>, { user, identities }: ImportAccount): void {
  const keys = [`id ${user.id}`, ...identities.map((one) => `identity ${one.provider} ${one.provider_id}`)];
  if (keys.some((key) => seen.has(key))) throw new RowFault('its id or one of its identities is there twice');
  for (const key of keys) seen.add(key);
}

/** One statement for all; where the database finds fault with it, one for each, so that only the guilty is refused. */
async function store(db: Database, accounts: readonly ImportAccount[]): Promise<Judgement[]> {
  if (accounts.length === 0) return [];
  try {
    return (await importUsers(db, accounts)).map((verdict) =>
      verdict === 'imported' || verdict === 'there' ? verdict : { reason: reasons[verdict] },
    );
  } catch (error) {
    // Away, or full: no row is to blame.
    if (!isSqlError(error) || isConnectionFailure(error) || /^(40|53|57)/.test(error.code)) throw error;
    if (accounts.length === 1) return [{ reason: `the database does not take it (${error.code})` }];
  }
  const judged: Judgement[] = [];
  for (const account of accounts) judged.push(...(await store(db, [account])));
  return judged;
}

/** Refused rows as they came, one a line, so that they can be mended and imported. @param keepBytes of an earlier run */
function openRefusals(file: string, keepBytes: number) {
  let descriptor: number | null = null;
  let bytes = keepBytes;
  const open = (): number => {
    if (descriptor === null) {
      // What an interrupted run wrote after its last bookmark comes again.
      descriptor = openSync(file, keepBytes === 0 ? 'w' : 'r+', 0o600);
      ftruncateSync(descriptor, keepBytes);
    }
    return descriptor;
  };
  return {
    add(_line: number, _reason: string, text: string) {
      const data = Buffer.from(`${text}\n`);
      writeSync(open(), data, 0, data.length, bytes);
      bytes += data.length;
    },
    bytes: () => bytes,
    close: () => {
      if (descriptor !== null) closeSync(descriptor);
    },
  };
}
