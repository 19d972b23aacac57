/** WebAuthn credentials of second factors as supabase/auth stores them. */

import { readUuid } from '../../../db/uuid.js';
import type { FactorCredential } from '../../factors/webauthn-credential.js';
import { type Fields, RowFault, readBoolean, readText } from '../../importing/rows.js';

/** Of an authenticator that does not name its model. */
export const NO_MODEL = '00000000-0000-0000-0000-000000000000';
/** WebAuthn Level 3, 4: credential ID. */
const MOST_ID_BYTES = 1023;

/** @param factor a row of auth.mfa_factors @throws RowFault */
export function readMovedCredential(factor: Fields): FactorCredential & Record<string, unknown> {
  const stored = readObject(factor, 'web_authn_credential');
  const flags = readObject(stored, 'flags');
  const authenticator = readObject(stored, 'authenticator');
  const aaguid = readText(factor, 'web_authn_aaguid') ?? readModel(authenticator);
  return {
    id: assertId(decodeBase64(stored, 'id')).toString('base64url'),
    public_key: assertKey(decodeBase64(stored, 'publicKey')).toString('base64url'),
    sign_count: readCount(authenticator, 'signCount'),
    transports: readTransports(stored['transport']),
    backup_eligible: readBoolean(flags, 'backupEligible'),
    backed_up: readBoolean(flags, 'backupState'),
    aaguid: readUuid(aaguid) ?? NO_MODEL,
  };
}

/** @returns the columns of auth.mfa_factors */
export function writeMovedCredential(credential: FactorCredential): {
  web_authn_credential: object;
  web_authn_aaguid: string;
} {
  const { id, public_key, sign_count, transports, backup_eligible, backed_up, aaguid } = credential;
  const base64 = (text: string): string => Buffer.from(text, 'base64url').toString('base64');
  return {
    web_authn_credential: {
      id: base64(id),
      publicKey: base64(public_key),
      attestationType: 'none',
      transport: transports,
      flags: { userPresent: true, userVerified: false, backupEligible: backup_eligible, backupState: backed_up },
      authenticator: {
        AAGUID: Buffer.from(aaguid.replaceAll('-', ''), 'hex').toString('base64'),
        signCount: sign_count,
        cloneWarning: false,
        attachment: '',
      },
      attestation: {
        clientDataJSON: null,
        clientDataHash: null,
        authenticatorData: null,
        publicKeyAlgorithm: 0,
        object: null,
      },
    },
    web_authn_aaguid: aaguid,
  };
}

/** The bytes of a UUID, in base64. */
const readModel = (authenticator: Fields): string =>
  Buffer.from(readText(authenticator, 'AAGUID') ?? '', 'base64').toString('hex');

function readObject(row: Fields, name: string): Fields {
  const value = row[name];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new RowFault(`${name} of the credential cannot be read`);
  }
  return value as Fields;
}

function decodeBase64(row: Fields, name: string): Buffer {
  const text = readText(row, name) ?? '';
  // URL-safe characters are accepted, too: both are the same bytes.
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) throw new RowFault(`${name} of the credential is not base64`);
  return Buffer.from(text, 'base64');
}

export function assertId(id: Buffer): Buffer {
  if (id.length === 0 || id.length > MOST_ID_BYTES) throw new RowFault('the id of the credential is empty or too long');
  return id;
}

/** A map in CBOR (RFC 8949, 3.1), as COSE keys are. */
export function assertKey(key: Buffer): Buffer {
  if (((key[0] ?? 0) & 0xe0) !== 0xa0) throw new RowFault('the public key of the credential is no COSE key');
  return key;
}

export function readCount(row: Fields, name: string): number {
  const count = row[name] ?? 0;
  if (!Number.isSafeInteger(count) || (count as number) < 0) throw new RowFault(`${name} is no count`);
  return count as number;
}

export const readTransports = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string' && one !== '') : [];
