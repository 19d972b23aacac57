/** Nonces that this server wants to find in proofs (RFC 9449 8, 9). They are not stored: any instance makes the same. */
import { createHmac, type KeyObject } from 'node:crypto';
import type { App } from '../runtime/app.js';

/** A nonce is valid in its step and the next one. */
export const NONCE_STEP_MS = 120_000;
const NONCE_BYTES = 18;

/** Everybody may have one, so nothing depends on how it is compared. */
const nonceOf = (key: KeyObject, step: number): string =>
  createHmac('sha256', key).update(String(step)).digest().subarray(0, NONCE_BYTES).toString('base64url');

export const currentNonce = ({ keys }: Pick<App, 'keys'>, nowMs: number): string =>
  nonceOf(keys.dpopNonce.current, Math.floor(nowMs / NONCE_STEP_MS));

/** Also one of an instance whose clock is ahead. */
export function isFreshNonce({ keys }: Pick<App, 'keys'>, nonce: string | undefined, nowMs: number): boolean {
  const step = Math.floor(nowMs / NONCE_STEP_MS);
  const accepted = keys.dpopNonce.accepted(nowMs);
  return accepted.some((key) => [step, step - 1, step + 1].some((one) => nonceOf(key, one) === nonce));
}
