/** Proofs that a request comes from the holder of a key (RFC 9449 4.3). */
import { createHash } from 'node:crypto';
import { useProof } from '../../db/dpop.js';
import type { SignedProof } from '../../workers/dpop-wire.js';
import type { ApiRequest } from '../http/types.js';
import { issuerBase } from '../keys/issuer.js';
import type { App } from '../runtime/app.js';
import { isFreshNonce } from './nonce.js';

export type ProvingApp = Pick<App, 'config' | 'crypto' | 'db' | 'keys'>;

/** A request as far as a proof is about it. */
export type ProvingRequest = Pick<ApiRequest, 'method' | 'path' | 'header' | 'headerValues'>;

/** Why a proof does not count. */
export interface ProofFault {
  /** foreign: another key than that of the access token. */
  readonly kind: 'invalid' | 'nonce' | 'foreign';
  readonly reason: string;
}

export interface ProofResult {
  readonly fault?: never;
  /** Thumbprint of the key (RFC 7638). */
  readonly jkt: string;
}

/** What comes along with a proof at a resource. */
export interface BoundToken {
  readonly token: string;
  /** Thumbprint of the key that it is bound to. */
  readonly jkt: string;
}

/** A proof is made for its request, so what takes longer is the way. */
const MAX_AGE_SECONDS = 60;
/** Of clocks that differ (docs/decisions.md, Access token verification). */
const LEEWAY_SECONDS = 30;
/** The longest, of an RSA key of 4096 bits, have some 2,500. */
const MAX_CHARACTERS = 4096;
const MAX_JTI_CHARACTERS = 512;

/**
 * Verifies the proof of a request, and uses it up.
 * @param bound the access token of the request; null at endpoints that issue tokens
 * @throws CryptoPoolFullError when too many proofs wait
 */
export async function verifyProof(
  app: ProvingApp,
  request: ProvingRequest,
  bound: BoundToken | null,
): Promise<{ readonly fault: ProofFault } | ProofResult> {
  const [text, ...others] = request.headerValues('dpop');
  if (text === undefined) return invalid('the header DPoP is missing');
  if (others.length > 0) return invalid('there is more than one');
  if (text.length > MAX_CHARACTERS) return invalid('it is too long');
  const proof = await app.crypto.verifyProof(text);
  if (proof.refusal !== undefined) return invalid(proof.refusal);
  const nowMs = Date.now();
  const mismatch = findMismatch(app, request, proof, Math.floor(nowMs / 1000));
  if (mismatch !== null) return invalid(mismatch);
  if (app.config.oauthServerDpopNonceRequired && !isFreshNonce(app, proof.nonce, nowMs)) {
    return { fault: { kind: 'nonce', reason: 'its nonce is missing or too old' } };
  }
  if (bound !== null) {
    if (proof.ath !== hash(bound.token).toString('base64url')) return invalid('ath is not that of the access token');
    if (proof.jkt !== bound.jkt) return { fault: { kind: 'foreign', reason: 'its key is another one' } };
  }
  const id = hash(`${proof.jkt} ${proof.jti}`);
  const isNew = await useProof(app.db, id, Math.ceil(proof.iat) + MAX_AGE_SECONDS + LEEWAY_SECONDS);
  return isNew ? { jkt: proof.jkt } : invalid('it was used before');
}

const invalid = (reason: string): { readonly fault: ProofFault } => ({ fault: { kind: 'invalid', reason } });

const hash = (text: string): Buffer => createHash('sha256').update(text).digest();

function findMismatch(
  { config }: ProvingApp,
  { method, path }: ProvingRequest,
  { htm, htu, iat, jti }: SignedProof,
  nowSeconds: number,
): string | null {
  if (htm !== method) return 'htm is not the method of the request';
  const bases = [issuerBase(config), config.apiExternalUrl.replace(/\/+$/, '')];
  if (!bases.some((base) => isSameAddress(htu, base + path))) return 'htu is not the address of the request';
  if (nowSeconds - iat > MAX_AGE_SECONDS + LEEWAY_SECONDS) return 'iat is too long ago';
  if (iat - nowSeconds > LEEWAY_SECONDS) return 'iat is in the future';
  return jti === '' || jti.length > MAX_JTI_CHARACTERS ? 'jti is empty or too long' : null;
}

/**
 * Without query and fragment, after normalization (RFC 3986 6.2.2, 6.2.3).
 * @param own base and decoded path of this server
 */
function isSameAddress(htu: string, own: string): boolean {
  if (!URL.canParse(htu) || !URL.canParse(own)) return false;
  const [said, is] = [new URL(htu), new URL(own)];
  if (said.origin !== is.origin || said.username !== '' || said.password !== '') return false;
  return decodePath(said.pathname) === decodePath(is.pathname);
}

function decodePath(pathname: string): string {
  try {
    return decodeURI(pathname);
  } catch {
    return pathname;
  }
}
