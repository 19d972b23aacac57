/** The statements of sql/queries/factors.sql that concern recovery codes. */
import type { Statements } from './types.js';

export interface NewCodes {
  readonly userId: string;
  readonly hashes: readonly string[];
  readonly audit: readonly object[];
}

/** Call it with the account locked. */
export async function insertRecoveryCodes(
  statements: Statements,
  factorId: string,
  friendlyName: string,
  { userId, hashes, audit }: NewCodes,
): Promise<void> {
  const values = [factorId, userId, friendlyName, hashes, JSON.stringify(audit)];
  await statements.run('factors.insert_recovery_codes', values);
}

export interface RecoverySet {
  readonly id: string;
  readonly friendly_name: string;
}

/** Call it with the account locked. @returns undefined when the user has no codes */
export async function replaceRecoveryCodes(
  statements: Statements,
  { userId, hashes, audit }: NewCodes,
): Promise<RecoverySet | undefined> {
  const values = [userId, hashes, JSON.stringify(audit)];
  return (await statements.run<RecoverySet>('factors.replace_recovery_codes', values))[0];
}

export interface RecoveryCounts {
  readonly id: string;
  readonly total: number;
  readonly remaining: number;
}

/** @returns undefined when the user has no codes */
export async function countRecoveryCodes(statements: Statements, userId: string): Promise<RecoveryCounts | undefined> {
  return (await statements.run<RecoveryCounts>('factors.count_recovery_codes', [userId]))[0];
}

export interface TriedCode {
  /** Of the factor. */
  readonly id: string;
  readonly is_locked: boolean;
  readonly locked_seconds: number;
  /** Of the code with one of the hashes; null: none has it. */
  readonly code_id: string | null;
  /** Codes with the hash of supabase/auth; null: none. */
  readonly imported: readonly { readonly id: string; readonly hash: string }[] | null;
  /** Unused ones, this one included. */
  readonly remaining: number;
}

/** Takes a try. @param hashes that the code may have. @returns undefined when the user has no codes */
export async function tryRecoveryCode(
  statements: Statements,
  userId: string,
  hashes: readonly string[],
  limits: { readonly tries: number; readonly lockSeconds: number },
): Promise<TriedCode | undefined> {
  const values = [userId, limits.tries, limits.lockSeconds, hashes];
  return (await statements.run<TriedCode>('factors.try_recovery_code', values))[0];
}
