/** Access tokens that are bound to a key (RFC 9449 6, 7). Only those of OAuth clients are. */
import { type ApiError, apiError, type ErrorName } from '../errors.js';
import { challengeHeaders } from '../http/challenge.js';
import type { Route } from '../http/types.js';
import type { App } from '../runtime/app.js';
import { currentNonce } from './nonce.js';
import { type ProvingApp, type ProvingRequest, verifyProof } from './proof.js';

export type { ProvingRequest } from './proof.js';

type Claims = Readonly<Record<string, unknown>>;

/** @returns the thumbprint of the key that the token is bound to; null: it is a bearer token */
export function boundKeyOf(claims: Claims): string | null {
  const jkt = (claims['cnf'] as { jkt?: unknown } | null | undefined)?.jkt;
  return typeof jkt === 'string' && claims['client_id'] !== undefined ? jkt : null;
}

/** Whether a request with this token has to prove a key. Not async: most tokens are bearer tokens, which cost nothing here. */
export const needsProof = (claims: Claims, request: Pick<ProvingRequest, 'header'>): boolean =>
  claims['cnf'] !== undefined || isDpopScheme(request);

const isDpopScheme = (request: Pick<ProvingRequest, 'header'>): boolean =>
  /^dpop /i.test(request.header('authorization') ?? '');

/**
 * The request comes from the holder of the key, under the scheme DPoP.
 * @throws ApiError boundTokenUnproven, unboundTokenProven, holderProofInvalid, holderNonceMissing, overloaded
 */
export async function assertHolder(
  app: ProvingApp,
  request: ProvingRequest,
  token: string,
  claims: Claims,
): Promise<void> {
  const jkt = boundKeyOf(claims);
  if (jkt === null) {
    if (isDpopScheme(request)) throw challenge('unboundTokenProven', 'invalid_token');
    return;
  }
  if (!isDpopScheme(request)) throw challenge('boundTokenUnproven', 'invalid_token');
  const { fault } = await verifyProof(app, request, { token, jkt });
  if (fault === undefined) return;
  const { kind, reason } = fault;
  if (kind === 'foreign') throw challenge('boundTokenUnproven', 'invalid_token');
  if (kind === 'invalid') throw challenge('holderProofInvalid', 'invalid_dpop_proof', reason);
  throw challenge('holderNonceMissing', 'use_dpop_nonce', reason);
}

/**
 * The next proof has this nonce: it comes with every answer to a proof, so that a client never has to ask twice (RFC 9449 8.2).
 * Scripts of other origins may read it. Other endpoints read no proofs, and their answers may be kept in caches.
 * @returns null where no proof is read
 */
export function nonceHeaders(
  app: Pick<App, 'keys'>,
  request: Pick<ProvingRequest, 'header'>,
  { caller, oauthErrors }: Pick<Route<App>, 'caller' | 'oauthErrors'>,
): Readonly<Record<string, string>> | null {
  const readsProofs = caller === 'user' || oauthErrors === true;
  if (!readsProofs || request.header('dpop') === undefined) return null;
  return {
    'DPoP-Nonce': currentNonce(app, Date.now()),
    'Access-Control-Expose-Headers': 'DPoP-Nonce',
  };
}

/** RFC 9449 7.1. */
function challenge(entry: ErrorName, error: string, reason = ''): ApiError {
  const { message } = apiError(entry, { reason });
  return apiError(entry, { reason }, { headers: challengeHeaders('DPoP', error, message) });
}
