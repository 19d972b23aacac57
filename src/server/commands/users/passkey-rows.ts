/** Reads passkeys of supabase/auth. */
import type { ImportPasskey } from '../../../db/import-factors.js';
import type { SupabaseAuthPasskey } from '../../../db/supabase-auth-factors.js';
import { type Fields, RowFault, readBoolean, readText, readTime } from '../../importing/rows.js';
import { assertId, assertKey, NO_MODEL, readCount, readTransports } from './credential-rows.js';
import { digestOf } from './digest.js';
import { readOwner } from './factor-rows.js';

/**
 * Reads one passkey.
 * @throws RowFault
 */
export function readPasskey({ passkey, has_account }: SupabaseAuthPasskey): ImportPasskey {
  const created_at = readTime(passkey, 'created_at');
  if (created_at === null) throw new RowFault('created_at is missing');
  const facts = {
    id: passkey.id,
    user_id: readOwner(passkey, has_account),
    credential_id: toHex(assertId(decodeHex(passkey, 'credential_id'))),
    public_key: toHex(assertKey(decodeHex(passkey, 'public_key'))),
    attestation_format: readText(passkey, 'attestation_type') ?? '',
    aaguid: readText(passkey, 'aaguid') ?? NO_MODEL,
    sign_count: readCount(passkey, 'sign_count'),
    transports: readTransports(passkey['transports']),
    backup_eligible: readBoolean(passkey, 'backup_eligible'),
    backed_up: readBoolean(passkey, 'backed_up'),
    friendly_name: readText(passkey, 'friendly_name') ?? '',
    created_at,
    updated_at: readTime(passkey, 'updated_at') ?? created_at,
    last_used_at: readTime(passkey, 'last_used_at'),
  };
  return { ...facts, digest: digestOf(facts) };
}

/** As Postgres prints bytes in JSON. */
function decodeHex(row: Fields, name: string): Buffer {
  const digits = /^\\x((?:[0-9a-f]{2})*)$/.exec(readText(row, name) ?? '')?.[1];
  if (digits === undefined) throw new RowFault(`${name} is not bytes`);
  return Buffer.from(digits, 'hex');
}

const toHex = (bytes: Buffer): string => `\\x${bytes.toString('hex')}`;
