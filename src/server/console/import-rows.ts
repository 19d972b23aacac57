/** One piece of a file that is imported from the browser. */
import type { ImportAccount } from '../../db/import.js';
import { type ImportPiece, lockImportRun, moveImportRun } from '../../db/import-runs.js';
import { MUTED } from '../../db/origin.js';
import type { Statements } from '../../db/types.js';
import { logAudit, storedAudit } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import { keysOfAccount, storeAccounts } from '../importing/account-stage.js';
import { isBlank, nameColumns, openRowIds, readRecord, recordFormatOf } from '../importing/file-rows.js';
import { type RawRecord, type RecordPlace, RecordReader } from '../importing/records.js';
import { type FieldFault, RowFault } from '../importing/rows.js';
import { isFaultOfRow, type ReadBatch, type RowResult, readBatch, storeOrDivide } from '../importing/stage.js';
import type { App } from '../runtime/app.js';
import { isReservedRole } from './impersonate.js';
import { refuseRepeats } from './import-repeats.js';
import { readRun, type StoredRun, viewRun } from './import-runs.js';
import { type OperatorDeed, operatorEntry } from './operator-audit.js';

/** Rows that are read at a time, which takes some 4 ms of the thread. */
const MOST_ROWS = 125;
/** A row of the browser: what a body holds, in base64. */
const MOST_ROW_BYTES = 524_288;
/** Of a piece. */
const MOST_PIECE_BYTES = MOST_ROW_BYTES + 4096;

/** What became of a row: its line, the id of its account, and faults by column. */
export interface ImportResult {
  readonly line: number;
  readonly result: 'imported' | 'skipped' | 'refused';
  readonly id: string | null;
  readonly faults: readonly FieldFault[];
}

interface Cut {
  readonly records: readonly RawRecord[];
  /** After them. */
  readonly place: RecordPlace;
}

/**
 * Imports the first rows of a piece.
 * @param offset byte of the file at which the piece begins: where the run stands
 * @returns the run, its refused rows, and how much is wanted next: more from the same byte, if no row has ended yet
 * @throws ApiError importNotFound, importOfOther, importMoved, importFileChanged
 */
export async function importPiece(app: App, deed: OperatorDeed, id: string, offset: number, bytes: Buffer) {
  const run = await readRun(app, id);
  if (run.operator_id !== deed.operator.id) throw apiError('importOfOther');
  if (run.ended_at !== null || run.place.offset !== offset) throw apiError('importMoved');
  if (bytes.length === 0 && offset < run.file_bytes) throw apiError('importFileChanged');
  if (offset + bytes.length > run.file_bytes) throw apiError('importFileChanged');
  const { records, place } = cutRecords(run, bytes);
  const isLast = place.offset >= run.file_bytes;
  let results: readonly ImportResult[] = [];
  if (place.offset > offset || isLast) {
    const batch = readBatch(records.map(readerOf(app, run)), keysOfAccount);
    results = await storePiece(app, deed, run, { batch, records, place, isLast });
  }
  return {
    run: viewRun(await readRun(app, id), deed.operator.id),
    refused: results.filter(({ result }) => result === 'refused'),
    wants_bytes: place.offset > offset ? null : Math.min(MOST_PIECE_BYTES, bytes.length * 4),
  };
}

/** Reads no further than the rows that are imported now. */
function cutRecords(run: StoredRun, bytes: Buffer): Cut {
  const reader = new RecordReader({ ...recordFormatOf(run.layout), mostBytes: MOST_ROW_BYTES }, run.place);
  const records: RawRecord[] = [];
  let place: RecordPlace = run.place;
  const take = (record: RawRecord): boolean => {
    place = record.next;
    if (!isBlank(record)) records.push(record);
    return records.length < MOST_ROWS;
  };
  for (const record of reader.push(bytes)) if (!take(record)) return { records, place };
  if (run.place.offset + bytes.length < run.file_bytes) {
    return { records, place: place === run.place ? (reader.leaveOut() ?? place) : place };
  }
  for (const record of reader.finish()) take(record);
  return { records, place };
}

const readerOf = (app: App, run: StoredRun) => {
  const { config } = app;
  const role = config.jwtDefaultGroupName.trim();
  const rules = {
    audience: config.jwtAudience,
    role,
    now: run.created_at,
    secrets: app.factorSecrets,
    makeRowId: openRowIds(config),
  };
  return (record: RawRecord) => ({
    place: String(record.next.offset),
    read() {
      const account = readRecord(record, run.layout, rules);
      if (typeof account !== 'symbol' && account.user.role !== role && isReservedRole(app, account.user.role)) {
        throw new RowFault('role is that of administrators or services: only the command gives it', 'role');
      }
      return account;
    },
  });
};

interface Piece extends Cut {
  readonly batch: ReadBatch<ImportAccount>;
  readonly isLast: boolean;
}

/** Rows, results and place in one transaction: a kill in between leaves nothing half. Moving in causes no events. */
async function storePiece(app: App, deed: OperatorDeed, run: StoredRun, piece: Piece) {
  const accounts = piece.batch.items.map(({ item }) => item);
  try {
    return await app.db.transaction(async (statements) => {
      const counts = await lockRun(statements, run);
      const stored = accounts.length === 0 ? [] : await storeAccounts(statements, accounts, run.is_dry);
      return move(app, statements, deed, run, piece, counts, stored);
    }, MUTED);
  } catch (error) {
    if (!isFaultOfRow(error)) throw error;
  }
  // The database does not take one of them: each by itself. A row that was stored before is skipped when it comes again.
  const store = (some: readonly ImportAccount[]) =>
    app.db.transaction((statements) => storeAccounts(statements, some, run.is_dry), MUTED);
  const stored = await storeOrDivide({ store }, accounts);
  return app.db.transaction(async (statements) =>
    move(app, statements, deed, run, piece, await lockRun(statements, run), stored),
  );
}

/** @throws ApiError importMoved: another tab was quicker */
async function lockRun(statements: Statements, { id, place }: StoredRun) {
  const counts = await lockImportRun(statements, id, place.offset);
  if (counts === undefined) throw apiError('importMoved');
  return counts;
}

async function move(
  app: App,
  statements: Statements,
  deed: OperatorDeed,
  run: StoredRun,
  { batch, records, place, isLast }: Piece,
  before: ImportPiece['counts'],
  stored: readonly RowResult[],
): Promise<readonly ImportResult[]> {
  const outcomes = [...batch.results];
  const accounts: ImportAccount[] = [];
  for (const [position, { index, item }] of batch.items.entries()) {
    outcomes[index] = stored[position]!;
    accounts[index] = item;
  }
  if (run.is_dry) await refuseRepeats(app, statements, run.id, records, accounts, outcomes);
  const results = records.map(({ line }, index) => resultOf(run, line, outcomes[index]!, accounts[index]));
  const counts = { ...before };
  for (const { result } of results) counts[result] += 1;
  const traits = { import_id: run.id, file_name: run.file_name, ...counts };
  const audit = isLast && !run.is_dry ? [operatorEntry(deed, 'users_imported', traits)] : [];
  await moveImportRun(statements, run.id, {
    offset: run.place.offset,
    place,
    counts,
    results,
    isLast,
    audit: storedAudit(app, audit),
  });
  logAudit(app, deed.requestId, audit);
  return results;
}

function resultOf(
  { layout }: StoredRun,
  line: number,
  outcome: RowResult,
  account: ImportAccount | undefined,
): ImportResult {
  if (typeof outcome !== 'string') {
    const faults = outcome.faults ?? [{ field: null, message: outcome.reason }];
    return { line, result: 'refused', id: null, faults: nameColumns(faults, layout) };
  }
  return { line, result: outcome === 'imported' ? 'imported' : 'skipped', id: account?.user.id ?? null, faults: [] };
}
