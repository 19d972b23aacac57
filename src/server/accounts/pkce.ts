import { createHash, timingSafeEqual } from 'node:crypto';
import { refuse } from '../errors.js';

/** A request that wants an auth code rather than tokens. */
export interface PkceRequest {
  readonly challenge: string;
  readonly method: 's256' | 'plain';
  /** What the session's amr will say: email/signup, magiclink, recovery, email_change. */
  readonly authenticationMethod: string;
}

/**
 * RFC 7636 4.2, 4.3: both parameters or neither, a challenge of 43 to 128 unreserved characters, S256 or plain.
 * @returns null when neither was given
 * @throws Refusal pkceIncomplete, pkceChallengeLength, pkceChallengeCharacters, pkceMethod
 */
export function readPkce(challenge: string, method: string, authenticationMethod: string): PkceRequest | null {
  if (challenge === '' && method === '') return null;
  if (challenge === '' || method === '') throw refuse('pkceIncomplete');
  if (challenge.length < 43 || challenge.length > 128) throw refuse('pkceChallengeLength');
  if (!/^[a-zA-Z._~0-9-]+$/.test(challenge)) throw refuse('pkceChallengeCharacters');
  if (!/^(s256|plain)$/i.test(method)) throw refuse('pkceMethod');
  return { challenge, method: method.toLowerCase() as PkceRequest['method'], authenticationMethod };
}

/** RFC 7636 4.6, in constant time. */
export function isVerifierRight(verifier: string, challenge: string, method: string): boolean {
  const derived = method === 's256' ? createHash('sha256').update(verifier).digest('base64url') : verifier;
  const [a, b] = [Buffer.from(derived), Buffer.from(challenge)];
  return a.length === b.length && timingSafeEqual(a, b);
}
