/** Verifies the signatures of assertions of clients (RFC 7523 3, RFC 7515 5.2). */
import { compactVerify, decodeProtectedHeader, importJWK, type ProtectedHeaderParameters } from 'jose';
import { PROOF_ALGORITHMS } from '../../jws/proof-algorithms.js';
import { algorithmsOf, type PublicJwk } from '../../jws/public-jwk.js';
import type { ClientAssertionJob, RefusedAssertion, SignedAssertion } from '../client-assertion-wire.js';

/** Tokens of other kinds are no assertions, whoever has signed them (RFC 8725 3.11). */
const TYPES = ['', 'jwt', 'client-authentication+jwt', 'application/jwt'];
/** Without a kid each key is tried that fits. */
const MAX_TRIED = 10;

const refuse = (refusal: string, isKeyUnknown = false): RefusedAssertion => ({ refusal, isKeyUnknown });

export async function readClientAssertion({
  assertion,
  keys,
}: ClientAssertionJob): Promise<SignedAssertion | RefusedAssertion> {
  let header: ProtectedHeaderParameters;
  try {
    header = decodeProtectedHeader(assertion);
  } catch {
    return refuse('it is not a signed JWT');
  }
  const { alg = '', typ = '', kid, crit } = header;
  if (crit !== undefined) return refuse('its header has extensions');
  if (!PROOF_ALGORITHMS.includes(alg)) return refuse(`its alg must be one of ${PROOF_ALGORITHMS.join(', ')}`);
  if (typeof typ !== 'string' || !TYPES.includes(typ.toLowerCase()))
    return refuse('its typ is not that of an assertion');
  const candidates = keys
    .filter((key) => (kid === undefined || key['kid'] === kid) && algorithmsOf(key).includes(alg))
    .slice(0, MAX_TRIED);
  for (const key of candidates) {
    const claims = await verifyBy(assertion, key, alg);
    if (claims !== null) return { claims };
  }
  if (candidates.length === 0) return refuse('no key of the client fits it', true);
  // A key without a name may have been replaced.
  return refuse('its signature is wrong', kid === undefined);
}

/** @returns null when the key has not signed it */
async function verifyBy(assertion: string, jwk: PublicJwk, alg: string): Promise<SignedAssertion['claims'] | null> {
  try {
    const key = await importJWK({ ...jwk, alg }, alg);
    const { payload } = await compactVerify(assertion, key, { algorithms: [alg] });
    const claims: unknown = JSON.parse(new TextDecoder().decode(payload));
    return typeof claims === 'object' && claims !== null && !Array.isArray(claims)
      ? (claims as SignedAssertion['claims'])
      : null;
  } catch {
    return null;
  }
}
