/** What goes into user_metadata and app_metadata, and how much of it: all of it travels in every access token (SEC-96). */
import type { Metadata, MetadataChange } from '../../db/users.js';
import type { Config } from '../config/settings.js';
import { refuse } from '../errors.js';
import { MAX_TOKEN_BYTES } from '../token-limit.js';
import { type ClaimedAccount, tokenBytesOf } from './claims.js';
import type { TokenSettings } from './token-size.js';
import { NIL_UUID } from './uuid.js';

/** An account that is to be made, as far as its tokens repeat it. */
export interface NewAccount {
  readonly audience: string;
  readonly email: string | null;
  readonly phone: string | null;
  readonly userMetadata: Metadata;
  /** Absent: what the server writes. */
  readonly appMetadata?: Metadata;
  /** Absent: that of new accounts. */
  readonly role?: string;
}

/** A change of metadata, for the top-level merge; null: none. */
export interface MetadataPlan {
  readonly userMetadata: MetadataChange | null;
  readonly appMetadata: MetadataChange | null;
}

type NewAccountSettings = TokenSettings & Pick<Config, 'jwtDefaultGroupName'>;

/** @returns how long the tokens of an account get, with what the server adds to its metadata */
export function newTokenBytes(
  config: NewAccountSettings,
  { audience, email, phone, userMetadata, appMetadata = {}, role }: NewAccount,
): number {
  const provider = phone === null ? 'email' : 'phone';
  const fixed = { sub: NIL_UUID, ...(email !== null && { email }), email_verified: false, phone_verified: false };
  return tokenBytesOf(config, {
    id: NIL_UUID,
    aud: audience,
    email,
    phone,
    role: role || config.jwtDefaultGroupName,
    app_metadata: { provider, providers: [provider], ...appMetadata },
    user_metadata: withFixed(userMetadata, fixed),
  });
}

/**
 * Asserts that the tokens of an account stay within what an Authorization header may have, before it is made.
 * @throws Refusal accessTokenTooLong
 */
export function assertNewTokenFits(config: NewAccountSettings, account: NewAccount): void {
  assertFits(newTokenBytes(config, account), 0);
}

/** @param before how long the tokens are now: what is too long already may get shorter */
function assertFits(size: number, before: number): void {
  if (size > Math.max(MAX_TOKEN_BYTES, before)) throw refuse('accessTokenTooLong', { size, limit: MAX_TOKEN_BYTES });
}

/**
 * Plans a change of an account's metadata.
 * @param account as it is now
 * @param patches null: that kind stays
 * @throws Refusal accessTokenTooLong
 */
export function planMetadata(
  settings: TokenSettings,
  account: ClaimedAccount,
  patches: { readonly user: Metadata | null; readonly app: Metadata | null },
): MetadataPlan {
  if (patches.user === null && patches.app === null) return { userMetadata: null, appMetadata: null };
  const userMetadata = patches.user && splitPatch(patches.user);
  const appMetadata = patches.app && splitPatch(patches.app);
  const after = {
    ...account,
    user_metadata: merge(account.user_metadata, userMetadata),
    app_metadata: merge(account.app_metadata, appMetadata),
  };
  assertFits(tokenBytesOf(settings, after), tokenBytesOf(settings, account));
  return { userMetadata, appMetadata };
}

/**
 * Splits a patch for the top-level merge: null drops a key, anything else sets it, nested objects are replaced whole. Maps
 * without a prototype keep `__proto__` an ordinary key (SEC-27).
 */
export function splitPatch(patch: Metadata): MetadataChange {
  const set: Record<string, unknown> = Object.create(null);
  const drop: string[] = [];
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) drop.push(key);
    else set[key] = value;
  }
  return { set, drop };
}

function merge(current: Metadata, change: MetadataChange | null): Metadata {
  if (change === null) return current;
  const merged: Record<string, unknown> = Object.create(null);
  for (const [key, value] of [...Object.entries(current), ...Object.entries(change.set)]) merged[key] = value;
  for (const key of change.drop) delete merged[key];
  return merged;
}

/** A copy of `data` without null members and with `fixed` members that the caller cannot override. */
export function withFixed(data: Metadata, fixed: Metadata): Metadata {
  const merged: Record<string, unknown> = Object.create(null);
  for (const [key, value] of Object.entries(data)) if (value !== null) merged[key] = value;
  for (const [key, value] of Object.entries(fixed)) merged[key] = value;
  return merged;
}
