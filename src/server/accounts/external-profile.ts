import type { Metadata } from '../../db/users.js';
import { refuse } from '../errors.js';
import type { ExternalProfile } from '../providers/contract.js';
import type { Claimed } from './linking.js';

/** What an account keeps of a provider's claims: it travels in every access token (SEC-30). */
const MAX_BYTES = 16 * 1024;
const MAX_SUBJECT_LENGTH = 512;

/**
 * The provider's id of the person, as the database can hold it.
 * @throws Refusal providerSubjectMissing for one that could be taken for another's when it is stored (SEC-63)
 */
export function readSubject({ subject }: ExternalProfile): string {
  const isUsable = subject.trim() !== '' && subject.length <= MAX_SUBJECT_LENGTH && storable(subject) === subject;
  if (!isUsable) throw refuse('providerSubjectMissing');
  return subject;
}

/**
 * Identity data: the claims, with the address that counts and its flag (reference/providers.md 3.8).
 * @throws Refusal providerProfileFailed when they are too large even without the provider's own claims
 */
export function identityDataOf(profile: ExternalProfile, claimed: Claimed): Metadata {
  const flags = { email_verified: claimed.isVerified, phone_verified: false };
  const data = storableDeep({
    ...profile.claims,
    ...(claimed.email === '' ? {} : { email: claimed.email }),
    ...flags,
  }) as Record<string, unknown>;
  if (size(data) > MAX_BYTES) delete data['custom_claims'];
  if (size(data) > MAX_BYTES)
    throw refuse('providerProfileFailed', {}, { cause: new Error('the profile is too large') });
  return data;
}

const size = (data: object): number => Buffer.byteLength(JSON.stringify(data));

/** Without what Postgres cannot store (SEC-26): U+0000 and halves of surrogate pairs. */
const storable = (text: string): string => text.replaceAll('\0', '').toWellFormed();

function storableDeep(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return storable(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 32) return null;
  if (Array.isArray(value)) return value.map((item) => storableDeep(item, depth + 1));
  const copy: Record<string, unknown> = Object.create(null);
  for (const [key, item] of Object.entries(value)) copy[storable(key)] = storableDeep(item, depth + 1);
  return copy;
}
