/** Reads imported accounts. */
import { randomUUID } from 'node:crypto';
import type { ImportAccount, ImportedIdentity } from '../../db/import.js';
import { isUuid, NIL_UUID, readUuid } from '../../db/uuid.js';
import { parseStoredHash } from '../../workers/tasks/stored-hash.js';
import { normaliseEmail, normalisePhone } from '../accounts/addresses.js';
import { contactIdentities } from '../accounts/contact-identities.js';
import type { TextSealer } from '../sealing/text-sealer.js';

export type Fields = Readonly<Record<string, unknown>>;

export interface FieldFault {
  /** Null: of the whole row. */
  readonly field: string | null;
  readonly message: string;
}

/** Why a row is rejected; the message completes a sentence that begins with the line number. */
export class RowFault extends Error {
  readonly faults: readonly FieldFault[];

  constructor(message: string, field: string | null = null, faults: readonly FieldFault[] = [{ field, message }]) {
    super(message);
    this.faults = faults;
  }

  /** @param faults at least one */
  static of(faults: readonly FieldFault[]): RowFault {
    return new RowFault(faults.map(({ message }) => message).join('; '), null, faults);
  }
}

/** A row that is left out on purpose. */
export const LEFT_OUT = Symbol('left out');

export interface RowDefaults {
  readonly audience: string;
  readonly role: string;
  /** RFC 3339, for rows without creation time. */
  readonly now: string;
  /** Opens hashes that supabase/auth has encrypted. */
  readonly secrets: Pick<TextSealer, 'open'>;
}

const MOST_METADATA_BYTES = 64 * 1024;

/**
 * Reads one account: the user object of the admin API, or a row of auth.users of supabase/auth with its identities.
 * @param makeId the id of a row without one
 * @returns LEFT_OUT for a soft-deleted account
 * @throws RowFault with all that is wrong with the row
 */
export function readRow(
  row: Fields,
  defaults: RowDefaults,
  makeId: () => string = randomUUID,
): ImportAccount | typeof LEFT_OUT {
  if (optional(row, 'deleted_at') !== null) return LEFT_OUT;
  const faults: FieldFault[] = [];
  const attempt = <Value, Other>(read: () => Value, other: Other): Value | Other => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof RowFault)) throw error;
      faults.push(...error.faults);
      return other;
    }
  };
  const time = (name: string) => attempt(() => readTime(row, name), null);
  const id = attempt(() => readId(row) ?? makeId(), NIL_UUID);
  const email = attempt(() => readAddress(row, 'email', normaliseEmail), null);
  const phone = attempt(() => readAddress(row, 'phone', normalisePhone), null);
  const isAnonymous = attempt(() => readBoolean(row, 'is_anonymous'), false);
  const created_at = time('created_at') ?? defaults.now;
  const identities = attempt(() => readIdentities(row, id, { email, phone }, created_at), []);
  if (faults.length === 0 && email === null && phone === null && identities.length === 0 && !isAnonymous) {
    faults.push({ field: null, message: 'has no email, no phone and no identity' });
  }
  const providers = [...new Set(identities.map(({ provider }) => provider))];
  const appMetadata = attempt(() => readObject(row, 'app_metadata', 'raw_app_meta_data'), null);
  const account: ImportAccount = {
    user: {
      id,
      aud: attempt(() => readText(row, 'aud'), null) ?? defaults.audience,
      role: attempt(() => readText(row, 'role'), null) ?? defaults.role,
      email,
      email_confirmed_at: email === null ? null : time('email_confirmed_at'),
      phone,
      phone_confirmed_at: phone === null ? null : time('phone_confirmed_at'),
      password_hash: attempt(() => readHash(row, id, defaults.secrets), null),
      invited_at: time('invited_at'),
      last_sign_in_at: time('last_sign_in_at'),
      app_metadata: appMetadata ?? (providers.length === 0 ? {} : { provider: providers[0], providers }),
      user_metadata: attempt(() => readObject(row, 'user_metadata', 'raw_user_meta_data'), null) ?? {},
      is_sso_user: attempt(() => readBoolean(row, 'is_sso_user'), false),
      is_anonymous: isAnonymous,
      banned_until: time('banned_until'),
      created_at,
      updated_at: time('updated_at') ?? created_at,
    },
    identities,
  };
  if (faults.length > 0) throw RowFault.of(faults);
  return account;
}

/** The first of these members that is present and not null. */
function optional(row: Fields, ...names: string[]): unknown {
  for (const name of names) if (row[name] !== undefined && row[name] !== null) return row[name];
  return null;
}

function readId(row: Fields): string | null {
  const text = readText(row, 'id');
  if (text === null) return null;
  const id = readUuid(text);
  if (id === null || id === NIL_UUID) throw new RowFault('id is not a UUID', 'id');
  return id;
}

/** Empty counts as absent. */
export function readText(row: Fields, ...names: string[]): string | null {
  const value = optional(row, ...names);
  if (value === null || value === '') return null;
  if (typeof value !== 'string') throw new RowFault(`${names[0]} is not a text`, names[0]);
  if (Buffer.byteLength(value) > 4096) throw new RowFault(`${names[0]} is too long`, names[0]);
  return value;
}

export function readAddress(row: Fields, name: 'email' | 'phone', normalise: (text: string) => string): string | null {
  const text = readText(row, name);
  if (text === null) return null;
  try {
    return normalise(text);
  } catch {
    throw new RowFault(name === 'email' ? 'email is not an address' : 'phone is not a number in E.164', name);
  }
}

export function readBoolean(row: Fields, name: string): boolean {
  const value = optional(row, name) ?? false;
  if (typeof value !== 'boolean') throw new RowFault(`${name} is not true or false`, name);
  return value;
}

const TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.\d{1,9})?(?:Z|[+-]\d\d(?::?\d\d)?)$/;

export function readTime(row: Fields, ...names: string[]): string | null {
  const text = readText(row, ...names);
  if (text === null) return null;
  const [, date, time] = TIME.exec(text) ?? [];
  const plain = new Date(`${date}T${time}.000Z`);
  if (Number.isNaN(plain.getTime()) || plain.toISOString() !== `${date}T${time}.000Z`) {
    throw new RowFault(`${names[0]} is not a time such as 2026-01-31T12:00:00Z`, names[0]);
  }
  return text;
}

function readHash(row: Fields, id: string, secrets: RowDefaults['secrets']): string | null {
  const stored = readText(row, 'password_hash', 'encrypted_password');
  if (stored === null) return null;
  const hash = openColumn(secrets, id, 'password_hash', stored);
  if (parseStoredHash(hash) === null) {
    throw new RowFault(
      'password_hash is no bcrypt, argon2i, argon2id or Firebase scrypt hash of bounded cost',
      'password_hash',
    );
  }
  return hash;
}

/**
 * A text of supabase/auth, which encrypts it with a key of its own and the id of the row, or not at all.
 * @throws RowFault when no key opens it
 */
export function openColumn(secrets: Pick<TextSealer, 'open'>, id: string, name: string, stored: string): string {
  if (!stored.startsWith('{')) return stored;
  const text = secrets.open(id, stored);
  if (text !== null) return text;
  throw new RowFault(`${name} is encrypted, and no key of AUTH_SECURITY_DB_ENCRYPTION_DECRYPTION_KEYS opens it`, name);
}

export function readObject(row: Fields, ...names: string[]): Fields | null {
  const value = optional(row, ...names);
  if (value === null) return null;
  if (typeof value !== 'object' || Array.isArray(value)) throw new RowFault(`${names[0]} is not an object`, names[0]);
  if (Buffer.byteLength(JSON.stringify(value)) > MOST_METADATA_BYTES)
    throw new RowFault(`${names[0]} is over 64 kB`, names[0]);
  return value as Fields;
}

/** The listed identities, or those of the addresses if none are listed. */
function readIdentities(
  row: Fields,
  userId: string,
  addresses: { email: string | null; phone: string | null },
  createdAt: string,
): ImportedIdentity[] {
  const listed = optional(row, 'identities');
  const times = { last_sign_in_at: null, created_at: createdAt, updated_at: createdAt };
  if (listed === null || (Array.isArray(listed) && listed.length === 0)) {
    return contactIdentities(userId, addresses, { email: false, phone: false }).map((identity) => ({
      ...identity,
      id: null,
      provider_id: userId,
      ...times,
    }));
  }
  if (!Array.isArray(listed)) throw new RowFault('identities is not a list', 'identities');
  const seen = new Set<string>();
  return listed.map((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null) throw new RowFault('an identity is not an object', 'identities');
    const fields = entry as Fields;
    const provider = readText(fields, 'provider');
    // `id` was the provider's id before identities had their own, and still is in the API.
    const providerId = readText(fields, 'provider_id', 'id');
    if (provider === null || providerId === null)
      throw new RowFault('an identity lacks its provider or its id there', 'identities');
    if (seen.has(`${provider} ${providerId}`)) throw new RowFault('an identity is there twice', 'identities');
    seen.add(`${provider} ${providerId}`);
    const created_at = readTime(fields, 'created_at') ?? createdAt;
    return {
      id: readIdentityId(fields),
      provider,
      provider_id: providerId,
      identity_data: readObject(fields, 'identity_data') ?? {},
      last_sign_in_at: readTime(fields, 'last_sign_in_at'),
      created_at,
      updated_at: readTime(fields, 'updated_at') ?? created_at,
    };
  });
}

/** Of a row of auth.identities, or of the user object of the API, where `id` is the provider's. */
function readIdentityId(fields: Fields): string | null {
  const id =
    readText(fields, 'identity_id') ?? (optional(fields, 'provider_id') === null ? null : readText(fields, 'id'));
  return id !== null && isUuid(id) ? id.toLowerCase() : null;
}
