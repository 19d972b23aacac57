import type { Metadata } from '../../db/users.js';
import type { App } from '../app.js';
import { refuse } from '../errors.js';
import type { ExternalProfile } from '../providers/contract.js';
import { MAX_TOKEN_BYTES } from '../token-limit.js';
import type { Claimed } from './linking.js';
import { assertNewTokenFits, newTokenBytes } from './metadata.js';

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
 * Identity data: the claims, with the address that counts and its flag. They become user_metadata, so the provider's own
 * claims are left out where an access token with them would be too long.
 * @throws Refusal accessTokenTooLong when it would be without them, too
 */
export function identityDataOf({ config }: Pick<App, 'config'>, profile: ExternalProfile, claimed: Claimed): Metadata {
  const flags = { email_verified: claimed.isVerified, phone_verified: false };
  const data = storableDeep({
    ...profile.claims,
    ...(claimed.email === '' ? {} : { email: claimed.email }),
    ...flags,
  }) as Record<string, unknown>;
  const account = { audience: config.jwtAudience, email: claimed.email, phone: null };
  if (newTokenBytes(config, { ...account, userMetadata: data }) > MAX_TOKEN_BYTES) delete data['custom_claims'];
  assertNewTokenFits(config, { ...account, userMetadata: data });
  return data;
}

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
