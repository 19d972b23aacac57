/** How long an access token gets (RFC 7519), so that none is issued which this server would not read (SEC-96). */
import { onceEach } from '../../caching/once-each.js';
import type { Config } from '../config/settings.js';
import { MAX_TOKEN_BYTES } from '../token-limit.js';

/** What of the settings stands in every token. */
export type TokenSettings = Pick<Config, 'jwtIssuer' | 'jwtKeyId'>;

/** HS256 in base64url (RFC 7518, 3.2). */
const SIGNATURE_BYTES = 43;
/** The times, the session with a few factors, the flag at the end and what joins them; one factor takes 200. */
const SESSION_BYTES = 320;

const base64url = (bytes: number): number => Math.ceil((bytes * 4) / 3);

/** Header, signature and the two dots. */
function frameBytes({ jwtKeyId }: TokenSettings): number {
  const header = JSON.stringify({ alg: 'HS256', typ: 'JWT', ...(jwtKeyId !== '' && { kid: jwtKeyId }) });
  return base64url(Buffer.byteLength(header)) + SIGNATURE_BYTES + 2;
}

const besidesAccount = ({ jwtIssuer }: TokenSettings): number =>
  SESSION_BYTES + Buffer.byteLength(JSON.stringify({ iss: jwtIssuer }));

/**
 * @param accountBytes of the members that come from the account
 * @returns how long a token with them may get
 */
export const tokenBytes = (settings: TokenSettings, accountBytes: number): number =>
  frameBytes(settings) + base64url(accountBytes + besidesAccount(settings));

/** Most bytes that the members of the account may have, as JSON. */
export const maxAccountBytes = onceEach(
  (settings: TokenSettings): number =>
    Math.floor(((MAX_TOKEN_BYTES - frameBytes(settings)) * 3) / 4) - besidesAccount(settings),
);
