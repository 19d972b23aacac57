/**
 * Imports of files from the browser, by the rules of `latchkey users import`. The browser sends pieces of the file one after
 * another, and the server stores how far it has come, so that a lost tab loses nothing.
 */
import { createHash } from 'node:crypto';
import {
  type ImportRun,
  type ImportRunCounts,
  listImportRuns,
  readImportRun,
  startImportRun,
} from '../../db/import-runs.js';
import { isUuid } from '../../db/uuid.js';
import { logAudit, storedAudit } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import { columnFields, findColumnFaults } from '../importing/columns.js';
import { type FileFormat, type FileLayout, guessFormat, readLayout } from '../importing/file-rows.js';
import type { RecordPlace } from '../importing/records.js';
import { RowFault } from '../importing/rows.js';
import type { App } from '../runtime/app.js';
import { sampleRows } from './import-sample.js';
import { type OperatorDeed, operatorEntry } from './operator-audit.js';

export type StoredRun = ImportRun<FileLayout, RecordPlace>;

/** The first bytes of a file that an operator has chosen. */
export interface ImportHead {
  readonly fileName: string;
  readonly fileBytes: number;
  readonly bytes: Buffer;
  readonly format: FileFormat | undefined;
}

const MOST_LISTED = 20;
const noCounts: ImportRunCounts = { imported: 0, skipped: 0, refused: 0 };

/**
 * @returns what the file looks like, what its columns may become, and a run of the operator with it that is not over
 * @throws ApiError importFileUnreadable
 */
export async function previewImport(app: App, operatorId: string, head: ImportHead) {
  const { layout, start } = readHead(head);
  const fingerprint = fingerprintOf(head);
  const runs = await listImportRuns<FileLayout, RecordPlace>(app.db, MOST_LISTED);
  const unfinished = runs.find(
    (run) => run.ended_at === null && !run.is_dry && run.operator_id === operatorId && run.fingerprint === fingerprint,
  );
  const csv = layout.format === 'csv' ? layout : null;
  return {
    format: layout.format,
    delimiter: csv?.delimiter ?? null,
    columns: csv?.columns ?? [],
    targets: csv?.targets ?? [],
    fields: columnFields,
    sample: sampleRows(head.bytes, layout, start),
    unfinished: unfinished === undefined ? null : viewRun(unfinished, operatorId),
  };
}

/** @throws ApiError importFileUnreadable */
function readHead({ fileName, fileBytes, bytes, format }: ImportHead) {
  try {
    return readLayout(format ?? guessFormat(fileName, bytes), bytes, fileBytes <= bytes.length);
  } catch (error) {
    if (!(error instanceof RowFault)) throw error;
    throw apiError('importFileUnreadable', { reason: error.message });
  }
}

const fingerprintOf = ({ bytes, fileBytes }: ImportHead): string =>
  createHash('sha256').update(bytes).update(String(fileBytes)).digest('base64url');

/**
 * @param targets what the columns become; undefined: as suggested
 * @param isDry nothing is stored: the results say what would become of the rows
 * @throws ApiError importFileUnreadable, importColumns
 */
export async function startImport(
  app: App,
  deed: OperatorDeed,
  head: ImportHead,
  targets: readonly (string | null)[] | undefined,
  isDry: boolean,
) {
  const { layout: found, start } = readHead(head);
  const layout = found.format === 'csv' && targets !== undefined ? { ...found, targets } : found;
  if (layout.format === 'csv') {
    const faults = findColumnFaults(layout.columns, layout.targets);
    if (faults.length > 0) throw apiError('importColumns', { reason: faults.map(({ message }) => message).join('; ') });
  }
  const file_name = head.fileName.slice(0, 255);
  const traits = { file_name, file_bytes: head.fileBytes, format: layout.format };
  const audit = isDry ? [] : [operatorEntry(deed, 'users_import_started', traits)];
  const id = await startImportRun(app.db, {
    operator_id: deed.operator.id,
    operator_name: deed.operator.name,
    file_name,
    file_bytes: head.fileBytes,
    fingerprint: fingerprintOf(head),
    layout,
    is_dry: isDry,
    place: start,
    counts: noCounts,
    audit: storedAudit(app, audit),
  });
  logAudit(app, deed.requestId, audit);
  return viewRun(await readRun(app, id), deed.operator.id);
}

/** @throws ApiError importNotFound */
export async function readRun({ db }: Pick<App, 'db'>, id: string): Promise<StoredRun> {
  const run = isUuid(id) ? await readImportRun<FileLayout, RecordPlace>(db, id) : undefined;
  if (run === undefined) throw apiError('importNotFound');
  return run;
}

export async function listRuns({ db }: Pick<App, 'db'>, operatorId: string) {
  const runs = await listImportRuns<FileLayout, RecordPlace>(db, MOST_LISTED);
  return runs.map((run) => viewRun(run, operatorId));
}

/** A run as operators see it. */
export const viewRun = (run: StoredRun, operatorId: string) => ({
  id: run.id,
  operator_name: run.operator_name,
  is_own: run.operator_id === operatorId,
  file_name: run.file_name,
  file_bytes: run.file_bytes,
  format: run.layout.format,
  is_dry: run.is_dry,
  offset: run.place.offset,
  lines: run.place.lines,
  counts: run.counts,
  created_at: run.created_at,
  updated_at: run.updated_at,
  ended_at: run.ended_at,
});
