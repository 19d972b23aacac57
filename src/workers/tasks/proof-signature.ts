/** Verifies the signatures of DPoP proofs (RFC 9449 4.3, steps 3 to 7). */
import { calculateJwkThumbprint, decodeProtectedHeader, EmbeddedJWK, type JWK, jwtVerify } from 'jose';
import { PROOF_ALGORITHMS } from '../../jws/proof-algorithms.js';
import type { RefusedProof, SignedProof } from '../dpop-wire.js';

/** Members of private and symmetric keys (RFC 7518 6). */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'];
/** RSA keys of more than 4096 bits, or with another exponent than usual, make a verification cost milliseconds. */
const MAX_MODULUS_CHARACTERS = 683;
const RSA_EXPONENT = 'AQAB';
/** A message of the library may repeat what the client sent. */
const PRINTABLE = /^[\x20-\x21\x23-\x5b\x5d-\x7e]{1,120}$/;

/** @returns the proof with the thumbprint of its key, or why it is none */
export async function readSignedProof(proof: string): Promise<SignedProof | RefusedProof> {
  try {
    const refusal = findKeyFault(proof);
    if (refusal !== null) return { refusal };
    const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
      typ: 'dpop+jwt',
      algorithms: [...PROOF_ALGORITHMS],
      requiredClaims: ['jti', 'htm', 'htu', 'iat'],
    });
    const { jti, htm, htu, iat, ath, nonce } = payload as { readonly [claim: string]: unknown };
    if (typeof jti !== 'string' || typeof htm !== 'string' || typeof htu !== 'string' || typeof iat !== 'number') {
      return { refusal: 'a claim has the wrong type' };
    }
    if (!isTextOrAbsent(ath) || !isTextOrAbsent(nonce)) return { refusal: 'a claim has the wrong type' };
    return { jkt: await calculateJwkThumbprint(protectedHeader.jwk!, 'sha256'), jti, htm, htu, iat, ath, nonce };
  } catch (error) {
    const detail = error instanceof Error ? error.message : '';
    return { refusal: PRINTABLE.test(detail) ? detail : 'it is not a signed JWT' };
  }
}

const isTextOrAbsent = (value: unknown): value is string | undefined =>
  value === undefined || typeof value === 'string';

/** A private key in a header has been given away, so a signature by it proves nothing (RFC 9449 4.3, step 7). */
function findKeyFault(proof: string): string | null {
  const { jwk } = decodeProtectedHeader(proof) as { jwk?: JWK };
  if (typeof jwk !== 'object' || jwk === null) return 'its header has no jwk';
  if (PRIVATE_MEMBERS.some((member) => Object.hasOwn(jwk, member))) return 'the jwk in its header is not a public key';
  if (jwk.kty !== 'RSA') return null;
  const isUsual = jwk.e === RSA_EXPONENT && typeof jwk.n === 'string' && jwk.n.length <= MAX_MODULUS_CHARACTERS;
  return isUsual ? null : 'the RSA key in its header has more than 4096 bits or another exponent than 65537';
}
