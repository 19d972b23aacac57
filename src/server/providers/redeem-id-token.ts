/** Verifies ID tokens that a client received from the provider directly. */
import { createHash } from 'node:crypto';
import { decodeJwt } from 'jose';
import { ApiError, apiError } from '../errors.js';
import { openCalls } from './calls.js';
import { audiencesOf, ProviderFault, ProviderUnavailable } from './claims.js';
import type { IdTokenClaims, IdTokenGrant, IdTokenRequest } from './contract.js';
import { type Discovery, findDocument, type IssuerDocument, isOwnIssuer } from './discovery.js';
import { isSame, matchesAccessToken, type VerifiedToken, verifyToken } from './id-token.js';
import { acceptedAudiences, type IdTokenSource, idTokenError } from './id-token-source.js';

/**
 * Checks an ID token and reads it, in the order of supabase/auth (docs/decisions.md, Order of checks).
 * @throws ApiError idTokenRequest, idTokenNonce, idTokenIssuer, unexpectedFailure
 */
export async function redeemIdToken(
  request: IdTokenRequest,
  source: IdTokenSource,
  discovery: Discovery,
  budgetSeconds: number,
): Promise<IdTokenGrant> {
  const { spec, url } = source;
  const calls = openCalls(budgetSeconds);
  const given = decodeUnverified(request.idToken);
  if (spec.title !== undefined && given !== null && typeof given['iss'] !== 'string') {
    throw idTokenError('idTokenIssuer', `Unable to detect issuer in ID token for ${spec.title} provider`);
  }
  let verified: VerifiedToken;
  try {
    const document = await calls.wait(findDocument(discovery, spec, url));
    checkIssuer(source, document, given, request.issuer);
    const isOwn = (claims: IdTokenClaims): boolean => isOwnIssuer(spec, claims, document.issuer, url);
    verified = await calls.wait(verifyToken(request.idToken, document, isOwn));
    if (request.accessToken !== '' && !matchesAccessToken(verified, request.accessToken)) {
      throw new ProviderFault('at_hash is of another access token');
    }
    const { claims } = verified;
    if (typeof claims['sub'] !== 'string' || claims['sub'].trim() === '') {
      throw idTokenError('idTokenRequest', 'Missing sub claim in id_token');
    }
    checkAudience(claims, acceptedAudiences(source, [claims['iss'], document.issuer]));
    if (!source.skipsNonceCheck) checkNonce(claims, request.nonce);
    const { name: provider, isEmailOptional } = source;
    return { provider, isEmailOptional, profile: spec.readClaims(claims, document.issuer, url) };
  } catch (error) {
    throw asTokenError(error);
  }
}

/** Decodes the claims without verifying them; null if it is no token. */
function decodeUnverified(idToken: string): IdTokenClaims | null {
  try {
    return decodeJwt(idToken);
  } catch {
    return null;
  }
}

/** The issuer is always that of the token; if the client names one, it must match (SEC-62). */
function checkIssuer(
  { spec, url }: IdTokenSource,
  document: IssuerDocument,
  claims: IdTokenClaims | null,
  requested: string,
): void {
  if (claims === null) return;
  const isOwn = isOwnIssuer(spec, claims, document.issuer, url);
  if (!isOwn && spec.title !== undefined) {
    throw idTokenError('idTokenIssuer', `Detected ID token issuer is not an ${spec.title} ID token issuer`);
  }
  if (requested === '' || requested === claims['iss'] || (isOwn && requested === document.issuer)) return;
  throw idTokenError('idTokenIssuer', 'Provided issuer does not match ID token issuer');
}

function checkAudience(claims: IdTokenClaims, accepted: readonly string[]): void {
  const audiences = audiencesOf(claims);
  if (audiences.some((audience) => accepted.includes(audience))) return;
  throw idTokenError('idTokenRequest', `Unacceptable audience in id_token: [${audiences.join(' ').slice(0, 256)}]`);
}

function checkNonce(claims: IdTokenClaims, nonce: string): void {
  const { nonce: inToken = '' } = claims;
  if ((nonce === '') !== (inToken === '')) {
    const reason = 'Passed nonce and nonce in id_token should either both exist or not.';
    throw idTokenError('idTokenRequest', reason);
  }
  if (nonce === '') return;
  const hash = createHash('sha256').update(nonce).digest();
  // Never the nonce itself: a captured token would then contain what its use needs.
  const claim = typeof inToken === 'string' ? inToken : '';
  const fits = (['hex', 'base64url'] as const).map((form) => isSame(claim, hash.toString(form)));
  if (!fits.includes(true)) throw idTokenError('idTokenNonce', 'Nonces mismatch');
}

function asTokenError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const isAboutToken = error instanceof ProviderFault && !(error instanceof ProviderUnavailable);
  if (isAboutToken) return idTokenError('idTokenRequest', 'Bad ID token', error);
  return apiError('unexpectedFailure', {}, { cause: error });
}
