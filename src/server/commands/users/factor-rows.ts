/** Reads second factors of supabase/auth. */
import type { ImportedCode, ImportFactor } from '../../../db/import-factors.js';
import type { SupabaseAuthFactor } from '../../../db/supabase-auth-factors.js';
import type { FactorKind } from '../../../db/user-rows.js';
import { isUuid, NIL_UUID } from '../../../db/uuid.js';
import { parseStoredHash } from '../../../workers/tasks/stored-hash.js';
import { normalisePhone } from '../../accounts/addresses.js';
import { openMovedSecret } from '../../factors/secret-box.js';
import { type Fields, RowFault, readAddress, readText, readTime } from '../../importing/rows.js';
import type { TextSealer } from '../../sealing/text-sealer.js';
import { hashOpaqueToken } from '../../sessions/peer-token.js';
import { readMovedCredential } from './credential-rows.js';
import { digestOf } from './digest.js';
import type { ImportKeys } from './import-keys.js';

const kinds = new Set<string>(['totp', 'phone', 'webauthn', 'recovery_code']);
/** Of the column here. */
const MOST_TRIES = 32_767;

/**
 * Reads one verified factor.
 * @throws RowFault
 */
export function readFactor(row: SupabaseAuthFactor, { keys, secrets }: ImportKeys): ImportFactor {
  const { factor } = row;
  const { id } = factor;
  const user_id = readOwner(factor, row.has_account);
  const kind = readText(factor, 'factor_type') ?? '';
  if (!kinds.has(kind)) throw new RowFault('factor_type is not totp, phone, webauthn or recovery_code');
  const created_at = readTime(factor, 'created_at');
  if (created_at === null) throw new RowFault('created_at is missing');
  const secret = kind === 'totp' ? readSecret(factor, secrets) : null;
  const phone = kind === 'phone' ? readAddress(factor, 'phone', normalisePhone) : null;
  if (kind === 'phone' && phone === null) throw new RowFault('phone is missing');
  const set = kind === 'recovery_code' ? row.recovery_set : null;
  const codes = kind === 'recovery_code' ? readCodes(row) : [];
  const facts = {
    id,
    user_id,
    kind: kind as FactorKind,
    friendly_name: readName(factor),
    phone,
    failed_tries: set === null ? 0 : readTries(set),
    locked_until: set === null ? null : readTime(set, 'verification_locked_until'),
    credential: kind === 'webauthn' ? readMovedCredential(factor) : null,
    last_challenged_at: readTime(factor, 'last_challenged_at'),
    created_at,
    updated_at: readTime(factor, 'updated_at') ?? created_at,
  };
  const secretHash = secret === null ? null : hashOpaqueToken(secret, keys.movedToken.current);
  return {
    factor: {
      ...facts,
      secret: secret === null ? null : secrets.seal(id, secret),
      digest: digestOf([facts, codes, secretHash]),
    },
    codes,
  };
}

/** @throws RowFault */
export function readOwner(row: Fields, hasAccount: boolean): string {
  const userId = readText(row, 'user_id') ?? '';
  if (!isUuid(userId) || userId === NIL_UUID) throw new RowFault('user_id is not a UUID');
  if (!hasAccount) throw new RowFault(`its account ${userId} does not exist there`);
  return userId.toLowerCase();
}

/** White space alone is no name there, and may be there twice. */
function readName(factor: Fields): string {
  const name = readText(factor, 'friendly_name') ?? '';
  return name.trim() === '' ? '' : name;
}

function readSecret(factor: Fields & { readonly id: string }, secrets: TextSealer): string {
  const stored = readText(factor, 'secret');
  if (stored === null) throw new RowFault('secret is missing');
  const secret = openMovedSecret(secrets, factor.id, stored);
  if (secret !== null) return secret;
  throw new RowFault(
    stored.startsWith('{')
      ? 'secret is encrypted, and no key of AUTH_SECURITY_DB_ENCRYPTION_DECRYPTION_KEYS opens it'
      : 'secret is not base32',
  );
}

function readTries(set: Fields): number {
  const tries = set['failed_verification_count'] ?? 0;
  if (!Number.isSafeInteger(tries) || (tries as number) < 0)
    throw new RowFault('failed_verification_count is no count');
  return Math.min(tries as number, MOST_TRIES);
}

function readCodes({ recovery_set: set, codes }: SupabaseAuthFactor): ImportedCode[] {
  if (set === null) throw new RowFault('its set of recovery codes is missing');
  return (codes ?? []).map((code) => {
    const id = readText(code, 'id') ?? '';
    if (!isUuid(id)) throw new RowFault('the id of a recovery code is not a UUID');
    const hash = readText(code, 'code_hash') ?? '';
    if (parseStoredHash(hash)?.kind !== 'argon2') {
      throw new RowFault('the hash of a recovery code is no Argon2 hash of bounded cost');
    }
    const created_at = readTime(code, 'created_at') ?? readTime(set, 'created_at');
    if (created_at === null) throw new RowFault('created_at of a recovery code is missing');
    return { id: id.toLowerCase(), code_hash: hash, consumed_at: readTime(code, 'consumed_at'), created_at };
  });
}
