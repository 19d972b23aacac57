/** The statements of sql/queries/import-runs.sql. */
import type { Database, Statements } from './types.js';

export interface ImportRunCounts {
  readonly imported: number;
  readonly skipped: number;
  readonly refused: number;
}

/** A file that is imported in pieces. `Layout` and `Place` are stored as they come. */
export interface ImportRun<Layout, Place> {
  readonly id: string;
  readonly operator_id: string;
  readonly operator_name: string;
  readonly file_name: string;
  readonly file_bytes: number;
  readonly fingerprint: string;
  readonly layout: Layout;
  readonly is_dry: boolean;
  readonly place: Place;
  readonly counts: ImportRunCounts;
  readonly created_at: string;
  readonly updated_at: string;
  readonly ended_at: string | null;
}

type NewRun = Pick<
  ImportRun<object, object>,
  | 'operator_id'
  | 'operator_name'
  | 'file_name'
  | 'file_bytes'
  | 'fingerprint'
  | 'layout'
  | 'is_dry'
  | 'place'
  | 'counts'
> & { readonly audit: readonly object[] };

/** @returns its id */
export async function startImportRun(db: Database, run: NewRun): Promise<string> {
  const rows = await db.run<{ id: string }>('import-runs.start', [
    run.operator_id,
    run.operator_name,
    run.file_name,
    run.file_bytes,
    run.fingerprint,
    JSON.stringify(run.layout),
    run.is_dry,
    JSON.stringify(run.place),
    JSON.stringify(run.counts),
    JSON.stringify(run.audit),
  ]);
  return rows[0]!.id;
}

export const listImportRuns = <Layout, Place>(db: Database, most: number): Promise<ImportRun<Layout, Place>[]> =>
  db.run('import-runs.list', [most]);

export async function readImportRun<Layout, Place>(
  db: Database,
  id: string,
): Promise<ImportRun<Layout, Place> | undefined> {
  return (await db.run<ImportRun<Layout, Place>>('import-runs.run', [id]))[0];
}

/** Call it in a transaction. @returns its counts; undefined when it does not stand at this byte, or has ended */
export async function lockImportRun(
  statements: Statements,
  id: string,
  offset: number,
): Promise<ImportRunCounts | undefined> {
  return (await statements.run<{ counts: ImportRunCounts }>('import-runs.lock', [id, offset]))[0]?.counts;
}

export interface ImportPiece {
  readonly offset: number;
  readonly place: object;
  readonly counts: ImportRunCounts;
  readonly results: readonly unknown[];
  readonly isLast: boolean;
  readonly audit: readonly object[];
}

/** Call it in the transaction that has locked the run. */
export async function moveImportRun(statements: Statements, id: string, piece: ImportPiece): Promise<void> {
  const { offset, place, counts, results, isLast, audit } = piece;
  const values = [
    JSON.stringify(place),
    JSON.stringify(counts),
    JSON.stringify(results),
    isLast,
    JSON.stringify(audit),
  ];
  await statements.run('import-runs.progress', [id, offset, ...values]);
}

/**
 * Notes keys of rows that are tried.
 * @returns the line of each that an earlier piece had
 */
export async function noteImportKeys(
  statements: Statements,
  id: string,
  keys: readonly (readonly [hash: string, line: number])[],
): Promise<ReadonlyMap<string, number>> {
  const [hashes, lines] = [keys.map(([hash]) => hash), keys.map(([, line]) => line)];
  const rows = await statements.run<{ key_hash: string; line: number }>('import-runs.seen', [id, hashes, lines]);
  return new Map(rows.map(({ key_hash, line }) => [key_hash, line]));
}

export const readImportResults = <Result>(
  db: Database,
  id: string,
  after: number,
  most: number,
): Promise<{ readonly position: number; readonly results: readonly Result[] }[]> =>
  db.run('import-runs.results', [id, after, most]);
