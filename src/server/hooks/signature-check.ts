/** Verifies a call as its receiver does (https://github.com/standard-webhooks/standard-webhooks). */
import { createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto';
import type { HookSecret } from '../config/settings.js';

const TOLERANCE_SECONDS = 300;
/** The header of an Ed25519 public key in SPKI (RFC 8410, 4). */
const ED25519_SPKI = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * @param headers with names in lower case
 * @returns why the call is not genuine; null: it is
 */
export function findSignatureFault(
  secrets: readonly HookSecret[],
  headers: Readonly<Record<string, string | string[] | undefined>>,
  body: string,
): string | null {
  const [id, time, given] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => headers[name]);
  if (typeof id !== 'string' || typeof time !== 'string') return 'webhook-id or webhook-timestamp is missing';
  if (typeof given !== 'string' || given === '') return 'webhook-signature is missing: the caller has no secret';
  if (!(Math.abs(Date.now() / 1000 - Number(time)) <= TOLERANCE_SECONDS)) return 'webhook-timestamp is 5 minutes away';
  const text = `${id}.${time}.${body}`;
  const isGenuine = given.split(' ').some((one) => secrets.some((secret) => fits(secret, one, text)));
  return isGenuine ? null : 'webhook-signature is of another secret or another body';
}

function fits(secret: HookSecret, given: string, text: string): boolean {
  const [version, signature = ''] = given.split(',');
  if (version !== secret.version) return false;
  const bytes = Buffer.from(signature, 'base64');
  if (secret.version === 'v1') {
    const expected = createHmac('sha256', Buffer.from(secret.key, 'base64')).update(text).digest();
    return bytes.length === expected.length && timingSafeEqual(bytes, expected);
  }
  const der = Buffer.concat([ED25519_SPKI, Buffer.from(secret.publicKey, 'base64')]);
  return verify(null, Buffer.from(text), createPublicKey({ key: der, format: 'der', type: 'spki' }), bytes);
}
