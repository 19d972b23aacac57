/** Computes the length of access tokens, so that none is issued that the server would not accept (SEC-96). */
import { memoize } from '../../caching/memoize.js';
import { signatureCharacters } from '../../jws/algorithms.js';
import { MAX_TOKEN_BYTES } from '../../jws/token-limit.js';
import type { Config } from '../config/settings.js';

/** The settings that every token contains. */
export type TokenSettings = Pick<Config, 'jwtIssuer' | 'jwtKeyId' | 'jwtKeys' | 'jwtKeysSource'>;

/** HS256 in base64url (RFC 7518, 3.2). */
const SECRET_SIGNATURE_BYTES = 43;
/** Keys in the database change while the server runs: header and signature of the longest, RSA with 4,096 bits. */
const STORED_KEY_BYTES = 1024;
/** exp, iat, aal, amr, session_id, is_anonymous and separators: 200 with one factor. */
const SESSION_BYTES = 320;

const base64url = (bytes: number): number => Math.ceil((bytes * 4) / 3);

/** Header, signature and the two dots: the most of all keys, since any of them may sign after a rotation. */
function frameBytes({ jwtKeyId, jwtKeys, jwtKeysSource }: TokenSettings): number {
  if (jwtKeysSource === 'database') return STORED_KEY_BYTES;
  const ofKeys = jwtKeys.map(({ alg, kid, jwk }) => headerBytes(alg, kid) + signatureCharacters(alg, jwk) + 2);
  return ofKeys.length > 0 ? Math.max(...ofKeys) : headerBytes('HS256', jwtKeyId) + SECRET_SIGNATURE_BYTES + 2;
}

const headerBytes = (alg: string, kid: string): number =>
  base64url(Buffer.byteLength(JSON.stringify({ alg, typ: 'JWT', ...(kid !== '' && { kid }) })));

const fixedBytes = ({ jwtIssuer }: TokenSettings): number =>
  SESSION_BYTES + Buffer.byteLength(JSON.stringify({ iss: jwtIssuer }));

/**
 * @param accountBytes of the claims that come from the account
 * @returns the maximum length of a token with them
 */
export const tokenBytes = (settings: TokenSettings, accountBytes: number): number =>
  frameBytes(settings) + base64url(accountBytes + fixedBytes(settings));

/** @returns the length of a token with this payload */
export const payloadTokenBytes = (settings: TokenSettings, payload: string): number =>
  frameBytes(settings) + base64url(Buffer.byteLength(payload));

/** Maximum bytes, as JSON, of the claims that come from the account. */
export const maxAccountBytes = memoize(
  (settings: TokenSettings): number =>
    Math.floor(((MAX_TOKEN_BYTES - frameBytes(settings)) * 3) / 4) - fixedBytes(settings),
);
