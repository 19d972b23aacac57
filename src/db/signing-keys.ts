/** The statements of sql/queries/signing-keys.sql. */
import { appendAudit } from './audit.js';
import type { Database, Statements } from './types.js';

export type SigningKeyState = 'standby' | 'active' | 'previous' | 'retired';

export interface SigningKeyRow {
  readonly kid: string;
  readonly alg: string;
  readonly public_jwk: Readonly<Record<string, string>>;
  readonly sealed: string | null;
  readonly state: SigningKeyState;
  readonly created_at: string;
  /** When its state began. */
  readonly since: string;
  readonly due_at: string | null;
  readonly last_used_at: string | null;
  readonly age_seconds: number;
  readonly since_seconds: number;
  /** Negative when it is overdue; null: its state does not end by itself. */
  readonly due_in_seconds: number | null;
}

export type NewSigningKeyRow = Pick<SigningKeyRow, 'kid' | 'alg' | 'public_jwk' | 'sealed' | 'state'>;

export const listSigningKeys = (db: Statements): Promise<SigningKeyRow[]> =>
  db.run<SigningKeyRow>('signing-keys.list', []);

/** What a change of the keys needs beside its statements. */
export interface SigningKeyChange {
  readonly db: Database;
  /** Of NOTIFY. */
  readonly channel: string;
  /** The audit entries of a change, stored with it; absent: none. Not called when nothing has changed. */
  readonly auditOf?: (before: readonly SigningKeyRow[], after: readonly SigningKeyRow[]) => readonly object[];
}

/**
 * Runs statements in one transaction that no other change of the keys overlaps, and tells all processes.
 * @param work statements only, because it holds a connection; gets the keys as they are
 */
export function changeSigningKeys<Result>(
  { db, channel, auditOf }: SigningKeyChange,
  work: (statements: Statements, rows: readonly SigningKeyRow[]) => Promise<Result>,
): Promise<Result> {
  return db.transaction(async (statements) => {
    await statements.run('signing-keys.take_lock', []);
    const before = await listSigningKeys(statements);
    const result = await work(statements, before);
    if (auditOf !== undefined) {
      const after = await listSigningKeys(statements);
      const statesOf = (rows: readonly SigningKeyRow[]) => rows.map(({ kid, state }) => `${kid} ${state}`).join();
      if (statesOf(before) !== statesOf(after)) await appendAudit(statements, auditOf(before, after));
    }
    await notifyOfSigningKeys(statements, channel, 'changed');
    return result;
  });
}

/** @returns false when the kid is taken */
export async function addSigningKey(
  statements: Statements,
  { kid, alg, public_jwk, sealed, state }: NewSigningKeyRow,
  dueInSeconds: number | null,
): Promise<boolean> {
  const values = [kid, alg, JSON.stringify(public_jwk), sealed, state, dueInSeconds];
  return (await statements.run('signing-keys.add', values)).length === 1;
}

export async function moveSigningKey(
  statements: Statements,
  kid: string,
  state: SigningKeyState,
  dueInSeconds: number | null,
): Promise<void> {
  await statements.run('signing-keys.move', [kid, state, dueInSeconds]);
}

export async function noteSigningKeyUse(db: Statements, kids: readonly string[]): Promise<void> {
  await db.run('signing-keys.note_use', [kids]);
}

/** @returns false when the key has changed since it was read */
export async function resealSigningKey(db: Statements, kid: string, sealed: string, before: string): Promise<boolean> {
  return (await db.run('signing-keys.reseal', [kid, sealed, before])).length === 1;
}

export async function notifyOfSigningKeys(db: Statements, channel: string, payload: string): Promise<void> {
  await db.run('signing-keys.notify', [channel, payload]);
}
