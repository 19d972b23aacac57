/** Second factors and passkeys in the tables of supabase/auth. */
import { randomUUID } from 'node:crypto';
import type pg from 'pg';

type Columns = Readonly<Record<string, unknown>>;

async function insert(admin: pg.Client, table: string, row: Columns): Promise<string> {
  await admin.query(`insert into auth.${table} select * from jsonb_populate_record(null::auth.${table}, $1)`, [row]);
  return row['id'] as string;
}

/** Adds a verified TOTP factor. @param columns of auth.mfa_factors that differ */
export const addPeerFactor = (admin: pg.Client, userId: string, columns: Columns = {}): Promise<string> =>
  insert(admin, 'mfa_factors', {
    id: randomUUID(),
    user_id: userId,
    friendly_name: 'App',
    factor_type: 'totp',
    status: 'verified',
    created_at: '2026-01-01T10:00:00.123456Z',
    updated_at: '2026-01-02T10:00:00Z',
    secret: '',
    ...columns,
  });

/** Adds a set of recovery codes with these hashes. @returns the id of its factor */
export async function addPeerCodes(
  admin: pg.Client,
  userId: string,
  codes: readonly Columns[],
  columns: Columns = {},
): Promise<string> {
  const factorId = await addPeerFactor(admin, userId, {
    factor_type: 'recovery_code',
    friendly_name: 'Recovery codes',
  });
  const time = '2026-01-01T10:00:00Z';
  const times = { created_at: time, updated_at: time };
  const setId = await insert(admin, 'mfa_recovery_code_sets', {
    ...{ id: randomUUID(), user_id: userId, mfa_factor_id: factorId, failed_verification_count: 0, ...times },
    ...columns,
  });
  for (const code of codes) {
    const row = { id: randomUUID(), mfa_recovery_code_set_id: setId, created_at: time, ...code };
    await insert(admin, 'mfa_recovery_codes', row);
  }
  return factorId;
}

/** A credential as supabase/auth keeps it in a factor. @param publicKey COSE key */
export const peerCredential = (id: Buffer, publicKey: Buffer): Columns => ({
  id: id.toString('base64'),
  publicKey: publicKey.toString('base64'),
  attestationType: 'none',
  transport: ['usb'],
  flags: { userPresent: true, userVerified: true, backupEligible: true, backupState: true },
  authenticator: { AAGUID: Buffer.alloc(16).toString('base64'), signCount: 0, cloneWarning: false, attachment: '' },
  attestation: {
    clientDataJSON: null,
    clientDataHash: null,
    authenticatorData: null,
    publicKeyAlgorithm: 0,
    object: null,
  },
});

/** Adds a passkey. @param credentialId base64url @param publicKey COSE key */
export const addPeerPasskey = (
  admin: pg.Client,
  userId: string,
  credentialId: string,
  publicKey: Buffer,
  columns: Columns = {},
): Promise<string> =>
  insert(admin, 'webauthn_credentials', {
    id: randomUUID(),
    user_id: userId,
    credential_id: `\\x${Buffer.from(credentialId, 'base64url').toString('hex')}`,
    public_key: `\\x${publicKey.toString('hex')}`,
    attestation_type: 'none',
    aaguid: null,
    sign_count: 0,
    transports: ['internal'],
    backup_eligible: true,
    backed_up: true,
    friendly_name: 'Laptop',
    created_at: '2026-01-01T10:00:00Z',
    updated_at: '2026-01-01T10:00:00Z',
    ...columns,
  });
