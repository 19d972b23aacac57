import { createHash, timingSafeEqual } from 'node:crypto';
import { apiError } from '../errors.js';

/** The PKCE parameters of a request. */
export interface PkceRequest {
  readonly challenge: string;
  readonly method: 's256' | 'plain';
  /** Method in the session's amr: email/signup, magiclink, recovery, email_change. */
  readonly authenticationMethod: string;
}

/**
 * RFC 7636 4.2, 4.3: both parameters or neither, a challenge of 43 to 128 unreserved characters, S256 or plain.
 * @returns null without both
 * @throws ApiError pkceIncomplete, pkceChallengeLength, pkceChallengeCharacters, pkceMethod
 */
export function readPkce(challenge: string, method: string, authenticationMethod: string): PkceRequest | null {
  if (challenge === '' && method === '') return null;
  if (challenge === '' || method === '') throw apiError('pkceIncomplete');
  if (challenge.length < 43 || challenge.length > 128) throw apiError('pkceChallengeLength');
  if (!/^[a-zA-Z._~0-9-]+$/.test(challenge)) throw apiError('pkceChallengeCharacters');
  if (!/^(s256|plain)$/i.test(method)) throw apiError('pkceMethod');
  return { challenge, method: method.toLowerCase() as PkceRequest['method'], authenticationMethod };
}

/** RFC 7636 4.6, in constant time. */
export function matchesChallenge(verifier: string, challenge: string, method: string): boolean {
  const derived = method === 's256' ? createHash('sha256').update(verifier).digest('base64url') : verifier;
  const [a, b] = [Buffer.from(derived), Buffer.from(challenge)];
  return a.length === b.length && timingSafeEqual(a, b);
}
