/** Checks access tokens of Latchkey. */
import { createRemoteJWKSet, jwtVerify } from 'jose';

const { ISSUER = 'http://localhost:8081', AUDIENCE = 'authenticated' } = process.env;

/** Fetched with the first token, and again after ten minutes or for a key that is new, at most every ten seconds. */
const keys = createRemoteJWKSet(new URL(`${ISSUER}/.well-known/jwks.json`), {
  cacheMaxAge: 600_000,
  cooldownDuration: 10_000,
  timeoutDuration: 3_000,
});

/** What is wrong with the token. Everything else that jose throws is about the key set, and no fault of the caller. */
const TOKEN_FAULTS = new Set([
  'ERR_JOSE_ALG_NOT_ALLOWED',
  'ERR_JOSE_NOT_SUPPORTED',
  'ERR_JWKS_NO_MATCHING_KEY',
  'ERR_JWS_INVALID',
  'ERR_JWS_SIGNATURE_VERIFICATION_FAILED',
  'ERR_JWT_CLAIM_VALIDATION_FAILED',
  'ERR_JWT_EXPIRED',
  'ERR_JWT_INVALID',
]);

/** An answer other than the one that was asked for. */
export class Refusal extends Error {
  constructor(status, error) {
    super(error);
    this.status = status;
    this.body = { error };
    // RFC 6750 3: with 401, what to send; with 503, when to come back.
    this.headers =
      status === 401
        ? { 'WWW-Authenticate': error === 'token_missing' ? 'Bearer' : `Bearer error="${error}"` }
        : status === 503
          ? { 'Retry-After': '5' }
          : {};
  }
}

/**
 * @param authorization the header
 * @returns who calls
 * @throws Refusal 401 without a valid token, 403 unless it is a user's, 503 while the keys cannot be fetched
 */
export async function readUser(authorization = '') {
  const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  if (token === undefined) throw new Refusal(401, 'token_missing');
  const options = {
    issuer: ISSUER,
    audience: AUDIENCE,
    algorithms: ['ES256', 'RS256'],
    requiredClaims: ['exp', 'sub'],
  };
  const { payload } = await jwtVerify(token, keys, options).catch((error) => {
    throw TOKEN_FAULTS.has(error.code) ? new Refusal(401, 'invalid_token') : new Refusal(503, 'keys_unavailable');
  });
  // Programs, administrators, and users who still need a second factor have other roles; tokens of other applications have client_id.
  if (payload.role !== 'authenticated' || payload.client_id !== undefined) throw new Refusal(403, 'user_required');
  return {
    token,
    id: payload.sub,
    aal: payload.aal,
    organization: payload.org_id ?? null,
    permissions: payload.org_permissions ?? [],
  };
}

/** @throws Refusal 403 unless the session has a second factor */
export function requireSecondFactor({ aal }) {
  if (aal !== 'aal2') throw new Refusal(403, 'insufficient_aal');
}

/** @throws Refusal 403 unless the user acts for this organization, with this permission where one is named */
export function requireOrganization(user, id, permission) {
  if (user.organization !== id) throw new Refusal(403, 'other_organization');
  if (permission !== undefined && !user.permissions.includes(permission)) throw new Refusal(403, 'permission_missing');
}

/**
 * Asks Latchkey whether the session is still there, which the token cannot say. It costs a call: ask where it matters.
 * @throws Refusal 401 if it has ended, 503 if Latchkey does not answer
 */
export async function requireLiveSession({ token }) {
  const headers = { Authorization: `Bearer ${token}` };
  const options = { headers, signal: AbortSignal.timeout(3_000) };
  const status = await fetch(`${ISSUER}/user`, options).then(
    (response) => response.status,
    () => 503,
  );
  if ([401, 403, 404].includes(status)) throw new Refusal(401, 'invalid_token');
  if (status !== 200) throw new Refusal(503, 'latchkey_unavailable');
}
