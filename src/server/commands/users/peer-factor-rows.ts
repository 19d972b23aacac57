/** Second factors and passkeys of ours as rows of supabase/auth. */
import type { ExportedAccount, ExportedFactor } from '../../../db/export.js';
import type { PeerBatch } from '../../../db/to-gotrue.js';
import { readCredential } from '../../factors/webauthn-credential.js';
import { RowFault } from '../../importing/rows.js';
import type { TextSealer } from '../../sealing/text-sealer.js';
import { writeMovedCredential } from './credential-rows.js';

/** How secrets of authenticator apps are written. */
export interface PeerSecrets {
  readonly box: TextSealer;
  /** In the encrypted form, with AUTH_SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY; otherwise in clear. */
  readonly encrypts: boolean;
}

/**
 * @param onRefused called with each factor whose secret no key opens
 * @returns what to write for these accounts, in order
 */
export function toFactorBatches(
  accounts: readonly ExportedAccount[],
  secrets: PeerSecrets,
  onRefused: (id: string, reason: string) => void,
): PeerBatch[] {
  const all = accounts.flatMap(({ factors }) => factors ?? []);
  const sets = all.filter(({ kind, codes }) => kind === 'recovery_code' && hasReadableCodes(codes));
  const rows = all
    .filter(({ kind }) => kind !== 'recovery_code')
    .flatMap((factor) => {
      try {
        return [{ ...toFactorRow(factor), ...toKindRow(factor, secrets) }];
      } catch (error) {
        if (!(error instanceof RowFault)) throw error;
        onRefused(factor.id, error.message);
        return [];
      }
    });
  return [
    {
      deleteFrom: 'unverified_factors',
      ids: accounts.filter(({ factors }) => factors !== null).map(({ user }) => user.id),
    },
    { into: 'mfa_factors', rows },
    { into: 'recovery_factors', rows: sets.map((set) => ({ ...toFactorRow(set), secret: '' })) },
    { into: 'mfa_recovery_code_sets', rows: sets.map(toSetRow) },
    { into: 'mfa_recovery_codes', rows: sets.flatMap(toCodeRows) },
    {
      into: 'webauthn_credentials',
      rows: accounts.flatMap(({ passkeys }) =>
        (passkeys ?? []).map((passkey) => ({ ...passkey, attestation_type: passkey['attestation_format'] })),
      ),
    },
  ];
}

/** supabase/auth compares Argon2id only. Codes that were generated here have another hash, which cannot be converted. */
const hasReadableCodes = (codes: ExportedFactor['codes']): boolean =>
  codes?.every(({ code_hash }) => code_hash.startsWith('$argon2')) ?? false;

const toFactorRow = (factor: ExportedFactor): object => ({
  id: factor.id,
  user_id: factor['user_id'],
  friendly_name: factor['friendly_name'],
  factor_type: factor.kind,
  status: 'verified',
  created_at: factor['created_at'],
  updated_at: factor['updated_at'],
});

/** @throws RowFault */
function toKindRow(
  { id, kind, secret, credential, ...factor }: ExportedFactor,
  { box, encrypts }: PeerSecrets,
): object {
  if (kind === 'phone') return { secret: '', phone: factor['phone'] };
  const stored = readCredential(credential);
  if (kind === 'webauthn') return { secret: '', ...(stored !== null && writeMovedCredential(stored)) };
  const text = secret === null ? null : box.open(id, secret);
  if (text === null) throw new RowFault('its secret cannot be opened with any key of this server');
  return { secret: encrypts ? (box.renew(id, secret!) ?? secret) : text };
}

const toSetRow = (set: ExportedFactor): object => ({
  // Of a new set; one that is there keeps its id.
  id: set.id,
  user_id: set['user_id'],
  mfa_factor_id: set.id,
  failed_verification_count: set['failed_tries'],
  verification_locked_until: set['locked_until'],
  created_at: set['created_at'],
  updated_at: set['updated_at'],
});

const toCodeRows = ({ id, codes }: ExportedFactor): object[] =>
  (codes ?? []).map((code) => ({ ...code, mfa_recovery_code_set_id: id }));
