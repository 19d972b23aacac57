import type { Metadata } from '../../db/user-rows.js';
import { MAX_TOKEN_BYTES } from '../../jws/token-limit.js';
import { assertNewTokenFits, newTokenBytes } from '../accounts/metadata.js';
import { apiError } from '../errors.js';
import type { ExternalProfile } from '../providers/contract.js';
import type { App } from '../runtime/app.js';
import type { ClaimedAddresses } from './account-linking.js';

const MAX_SUBJECT_LENGTH = 512;

/**
 * Reads the user's id at the provider.
 * @throws ApiError providerSubjectMissing, also for one that storing would change into another id (SEC-63)
 */
export function readProviderSubject({ subject }: ExternalProfile): string {
  const isUsable = subject.trim() !== '' && subject.length <= MAX_SUBJECT_LENGTH && toStorable(subject) === subject;
  if (!isUsable) throw apiError('providerSubjectMissing');
  return subject;
}

/**
 * Builds identity_data: the claims, the selected address and its flag. It becomes user_metadata, so custom_claims are
 * dropped if they would make access tokens too long.
 * @throws ApiError accessTokenTooLong when tokens are too long without them, too
 */
export function buildIdentityData(
  { config }: Pick<App, 'config'>,
  profile: ExternalProfile,
  claimed: ClaimedAddresses,
): Metadata {
  const flags = { email_verified: claimed.isVerified, phone_verified: false };
  const data = toStorableDeep({
    ...profile.claims,
    ...(claimed.email === '' ? {} : { email: claimed.email }),
    ...flags,
  }) as Record<string, unknown>;
  const account = { audience: config.jwtAudience, email: claimed.email, phone: null };
  if (newTokenBytes(config, { ...account, userMetadata: data }) > MAX_TOKEN_BYTES) delete data['custom_claims'];
  assertNewTokenFits(config, { ...account, userMetadata: data });
  return data;
}

/** Drops what Postgres cannot store (SEC-26): U+0000; replaces lone surrogates. */
const toStorable = (text: string): string => text.replaceAll('\0', '').toWellFormed();

function toStorableDeep(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return toStorable(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 32) return null;
  if (Array.isArray(value)) return value.map((item) => toStorableDeep(item, depth + 1));
  const copy: Record<string, unknown> = Object.create(null);
  for (const [key, item] of Object.entries(value)) copy[toStorable(key)] = toStorableDeep(item, depth + 1);
  return copy;
}
