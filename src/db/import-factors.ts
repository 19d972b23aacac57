/** The statements of sql/queries/import-factors.sql. */
import type { Database } from './types.js';
import type { FactorKind } from './user-rows.js';

/** A verified factor as it is stored. Timestamps are RFC 3339. */
export interface ImportedFactor {
  id: string;
  user_id: string;
  /** Of the factor and its codes as they were read. */
  digest: string;
  kind: FactorKind;
  friendly_name: string;
  /** Of totp: sealed. */
  secret: string | null;
  phone: string | null;
  failed_tries: number;
  locked_until: string | null;
  credential: Readonly<Record<string, unknown>> | null;
  last_challenged_at: string | null;
  created_at: string;
  updated_at: string;
}

export interface ImportedCode {
  id: string;
  code_hash: string;
  consumed_at: string | null;
  created_at: string;
}

export interface ImportFactor {
  factor: ImportedFactor;
  /** Of recovery_code. */
  codes: readonly ImportedCode[];
}

export interface ImportPasskey {
  id: string;
  user_id: string;
  digest: string;
  /** Bytes in hexadecimal after `\x`, as is the key. */
  credential_id: string;
  public_key: string;
  attestation_format: string;
  aaguid: string;
  sign_count: number;
  transports: readonly string[];
  backup_eligible: boolean;
  backed_up: boolean;
  friendly_name: string;
  created_at: string;
  updated_at: string;
  last_used_at: string | null;
}

/** The verdicts are explained at the statement. */
export type FactorVerdict =
  | 'imported'
  | 'changed'
  | 'same'
  | 'kept'
  | 'deleted'
  | 'there'
  | 'no_account'
  | 'name'
  | 'phone'
  | 'set'
  | 'credential'
  | 'raced';

interface Judged {
  readonly position: number;
  readonly verdict: FactorVerdict;
}

/** @returns a verdict for each factor, in order */
export async function importFactors(db: Database, factors: readonly ImportFactor[]): Promise<FactorVerdict[]> {
  const rows = await db.run<Judged>('import-factors.factors', [
    JSON.stringify(factors.map(({ factor }, position) => ({ position, ...factor }))),
    JSON.stringify(factors.flatMap(({ factor, codes }) => codes.map((code) => ({ factor_id: factor.id, ...code })))),
  ]);
  return inOrder(rows);
}

/** @returns a verdict for each passkey, in order */
export async function importPasskeys(db: Database, passkeys: readonly ImportPasskey[]): Promise<FactorVerdict[]> {
  const rows = await db.run<Judged>('import-factors.passkeys', [
    JSON.stringify(passkeys.map((passkey, position) => ({ position, ...passkey }))),
  ]);
  return inOrder(rows);
}

function inOrder(rows: readonly Judged[]): FactorVerdict[] {
  const verdicts: FactorVerdict[] = [];
  for (const { position, verdict } of rows) verdicts[position] = verdict;
  return verdicts;
}

export interface GoneFactor {
  readonly id: string;
  readonly user_id: string;
}

/**
 * What an earlier run brought from between two ids, is as it was, and is no longer there.
 * @param afterId null: from the beginning
 * @param lastId null: to the end
 * @param present the ids that are still there
 */
export const findGoneFactors = (
  db: Database,
  what: 'factors' | 'passkeys',
  afterId: string | null,
  lastId: string | null,
  present: readonly string[],
): Promise<GoneFactor[]> => db.run<GoneFactor>(`import-factors.gone_${what}`, [afterId, lastId, present]);

/** Also lowers the sessions that they have raised. @returns how many there were */
export async function removeFactors(
  db: Database,
  what: 'factors' | 'passkeys',
  ids: readonly string[],
): Promise<number> {
  const [row] = await db.run<{ removed: number }>(`import-factors.remove_${what}`, [ids]);
  return row!.removed;
}
