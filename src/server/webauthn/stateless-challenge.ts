/**
 * Challenges that are not stored: the id carries expiry and a MAC, and the challenge is a MAC of the id. A row is made
 * when one is used, so that it is used once (sql/queries/webauthn.sql).
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { memoize } from '../../caching/memoize.js';
import type { Config } from '../config/settings.js';
import { deriveBytes, openKeyRing } from '../sealing/key-ring.js';

/** What a challenge is for. One of another ceremony or owner is unknown. */
export interface ChallengePurpose {
  readonly ceremony:
    | 'passkey_registration'
    | 'passkey_authentication'
    | 'operator_registration'
    | 'operator_authentication'
    | 'wallet_sign_in';
  /** Id of the session that may use it, or hash of the link of an operator; empty: anybody. */
  readonly owner: string;
}

export interface IssuedChallenge {
  readonly id: string;
  /** base64url, 32 bytes. */
  readonly challenge: string;
  /** Seconds since the epoch. */
  readonly expiresAt: number;
}

/** Bytes of an id: 4 of the expiry, 6 random ones without the 6 bits of version and variant, 6 of the MAC. */
const SIGNED_BYTES = 10;
const MAC_BYTES = 6;
/** RFC 9562 5.8. */
const VERSION = 0x80;
const VARIANT = 0x80;

const keysOf = memoize((config: Config) =>
  openKeyRing(config, (secret) => deriveBytes(secret, 'latchkey webauthn challenge v1')),
);

/** @param lifetimeSeconds whole seconds or a fraction, which counts as one */
export function issueChallenge(config: Config, purpose: ChallengePurpose, lifetimeSeconds: number): IssuedChallenge {
  const expiresAt = Math.floor(Date.now() / 1000) + Math.ceil(lifetimeSeconds);
  const head = randomBytes(SIGNED_BYTES);
  head.writeUInt32BE(expiresAt);
  head[6] = (head[6]! & 0x0f) | VERSION;
  head[8] = (head[8]! & 0x3f) | VARIANT;
  const key = keysOf(config).current;
  const bytes = Buffer.concat([head, macOf(key, 'id', purpose, head).subarray(0, MAC_BYTES)]);
  return { id: asUuid(bytes), challenge: macOf(key, 'challenge', purpose, bytes).toString('base64url'), expiresAt };
}

/**
 * @param id a UUID in lower case
 * @returns null for an id that was not issued for this purpose; an expired one is returned, too
 */
export function openChallenge(config: Config, purpose: ChallengePurpose, id: string): IssuedChallenge | null {
  const bytes = Buffer.from(id.replaceAll('-', ''), 'hex');
  const head = bytes.subarray(0, SIGNED_BYTES);
  for (const key of keysOf(config).accepted(Date.now())) {
    const mac = macOf(key, 'id', purpose, head).subarray(0, MAC_BYTES);
    if (!timingSafeEqual(mac, bytes.subarray(SIGNED_BYTES))) continue;
    const challenge = macOf(key, 'challenge', purpose, bytes).toString('base64url');
    return { id, challenge, expiresAt: head.readUInt32BE() };
  }
  return null;
}

export const isExpired = ({ expiresAt }: IssuedChallenge): boolean => expiresAt <= Date.now() / 1000;

function macOf(key: Buffer, use: 'id' | 'challenge', { ceremony, owner }: ChallengePurpose, bytes: Buffer): Buffer {
  return createHmac('sha256', key).update(`${use}\0${ceremony}\0${owner}\0`).update(bytes).digest();
}

const asUuid = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
