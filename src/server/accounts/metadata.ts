/** Contents and size of user_metadata and app_metadata, which every access token contains (SEC-96). */
import type { Metadata, MetadataChange } from '../../db/user-rows.js';
import { NIL_UUID } from '../../db/uuid.js';
import { MAX_TOKEN_BYTES } from '../../jws/token-limit.js';
import type { Config } from '../config/settings.js';
import { apiError } from '../errors.js';
import { type ClaimedAccount, maxTokenBytesOf } from '../sessions/token-claims.js';
import type { TokenSettings } from '../sessions/token-size.js';

/** The parts of a new account that its tokens contain. */
interface NewAccount {
  readonly audience: string;
  readonly email: string | null;
  readonly phone: string | null;
  readonly userMetadata: Metadata;
  /** Absent: what the server sets. */
  readonly appMetadata?: Metadata;
  /** Absent: JWT_DEFAULT_GROUP_NAME. */
  readonly role?: string;
}

/** Changes for the top-level merge; null: none. */
interface MetadataPlan {
  readonly userMetadata: MetadataChange | null;
  readonly appMetadata: MetadataChange | null;
}

/** A member takes at least five bytes of JSON, `"":1,`, and base64url makes four characters of three bytes. */
const MOST_MEMBERS = Math.floor((MAX_TOKEN_BYTES * 3) / 4 / 5);

type NewAccountSettings = TokenSettings & Pick<Config, 'jwtDefaultGroupName'>;

/** @returns the maximum length of the account's tokens, with what the server adds to its metadata */
export function newTokenBytes(
  config: NewAccountSettings,
  { audience, email, phone, userMetadata, appMetadata = {}, role }: NewAccount,
): number {
  assertMayFit(userMetadata);
  assertMayFit(appMetadata);
  const provider = phone === null ? 'email' : 'phone';
  const fixed = { sub: NIL_UUID, ...(email !== null && { email }), email_verified: false, phone_verified: false };
  return maxTokenBytesOf(config, {
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
 * Asserts that the tokens of a new account fit into an Authorization header.
 * @throws ApiError accessTokenTooLong
 */
export function assertNewTokenFits(config: NewAccountSettings, account: NewAccount): void {
  assertFits(newTokenBytes(config, account), 0);
}

/**
 * Refuses members that fit into no token, before they are copied: a copy of 5,000 members takes longer than parsing them
 * (SEC-87).
 * @throws ApiError accessTokenTooLong, with the length of a token that contains nothing else
 */
function assertMayFit(metadata: Metadata): void {
  if (Object.keys(metadata).length <= MOST_MEMBERS) return;
  const kept = JSON.stringify(metadata, (_, value: unknown) => value ?? undefined);
  assertFits(Math.ceil((Buffer.byteLength(kept) * 4) / 3), 0);
}

/** @param before length of the tokens before the change: tokens that are too long may get shorter */
function assertFits(size: number, before: number): void {
  if (size > Math.max(MAX_TOKEN_BYTES, before)) throw apiError('accessTokenTooLong', { size, limit: MAX_TOKEN_BYTES });
}

/**
 * Plans a change of an account's metadata.
 * @param account before the change
 * @param patches null: no change
 * @throws ApiError accessTokenTooLong
 */
export function planMetadata(
  settings: TokenSettings,
  account: ClaimedAccount,
  patches: { readonly user: Metadata | null; readonly app: Metadata | null },
): MetadataPlan {
  if (patches.user === null && patches.app === null) return { userMetadata: null, appMetadata: null };
  assertMayFit(patches.user ?? {});
  assertMayFit(patches.app ?? {});
  const userMetadata = patches.user && splitPatch(patches.user);
  const appMetadata = patches.app && splitPatch(patches.app);
  const after = {
    ...account,
    user_metadata: merge(account.user_metadata, userMetadata),
    app_metadata: merge(account.app_metadata, appMetadata),
  };
  assertFits(maxTokenBytesOf(settings, after), maxTokenBytesOf(settings, account));
  return { userMetadata, appMetadata };
}

/**
 * Splits a patch for the top-level merge: null drops a key, other values set it; nested objects are replaced. Objects
 * without prototype keep `__proto__` an ordinary key (SEC-27).
 */
export function splitPatch(patch: Metadata): MetadataChange {
  const set: Record<string, unknown> = Object.create(null);
  const drop: string[] = [];
  for (const key of Object.keys(patch)) {
    if (patch[key] === null) drop.push(key);
    else set[key] = patch[key];
  }
  return { set, drop };
}

function merge(current: Metadata, change: MetadataChange | null): Metadata {
  if (change === null) return current;
  const merged: Record<string, unknown> = Object.create(null);
  for (const members of [current, change.set]) {
    for (const key of Object.keys(members)) merged[key] = members[key];
  }
  for (const key of change.drop) delete merged[key];
  return merged;
}

/** Copies `data` without null members, and with `fixed` members, which win. */
export function withFixed(data: Metadata, fixed: Metadata): Metadata {
  const merged: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(data)) if (data[key] !== null) merged[key] = data[key];
  for (const key of Object.keys(fixed)) merged[key] = fixed[key];
  return merged;
}
