import { refuse } from '../errors.js';

/**
 * RFC 7636 4.2, 4.3: both parameters or neither, a challenge of 43 to 128 unreserved characters, S256 or plain.
 * @throws Refusal pkceIncomplete, pkceChallengeLength, pkceChallengeCharacters, pkceMethod
 */
export function assertPkceParameters(challenge: string, method: string): void {
  if (challenge === '' && method === '') return;
  if (challenge === '' || method === '') throw refuse('pkceIncomplete');
  if (challenge.length < 43 || challenge.length > 128) throw refuse('pkceChallengeLength');
  if (!/^[a-zA-Z._~0-9-]+$/.test(challenge)) throw refuse('pkceChallengeCharacters');
  if (!/^(s256|plain)$/i.test(method)) throw refuse('pkceMethod');
}
