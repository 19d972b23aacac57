/** Keys that clients prove when they ask for tokens (RFC 9449 5). */
import type { OauthClientRow } from '../../db/oauth-clients.js';
import type { SessionFacts } from '../../db/user-rows.js';
import { type ProvingRequest, verifyProof } from '../dpop/proof.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';

/**
 * At the token endpoint.
 * @returns the thumbprint of the key that the client has proven; null: of none, and the tokens are bearer tokens
 * @throws ApiError clientProofMissing, and those of {@link readOfferedKey}
 */
export async function readProvenKey(app: App, request: ProvingRequest, client: OauthClientRow): Promise<string | null> {
  const jkt = await readOfferedKey(app, request);
  assertKeyGiven(client, jkt);
  return jkt;
}

/**
 * @returns null: the request has no proof
 * @throws ApiError clientProofInvalid, clientNonceMissing, overloaded
 */
export async function readOfferedKey(app: App, request: ProvingRequest): Promise<string | null> {
  if (request.header('dpop') === undefined) return null;
  const proven = await verifyProof(app, request, null);
  if (proven.fault === undefined) return proven.jkt;
  const { kind, reason } = proven.fault;
  if (kind === 'nonce') throw apiError('clientNonceMissing', { reason });
  throw apiError('clientProofInvalid', { reason });
}

/** @throws ApiError clientProofMissing */
export function assertKeyGiven(client: OauthClientRow, jkt: string | null): void {
  if (client.dpop_bound_access_tokens && jkt === null) throw apiError('clientProofMissing');
}

/** The session with the key of the proof, for the token that is made now: of a client with a secret it may be another each time. */
export function bindSession(session: SessionFacts, jkt: string | null): SessionFacts {
  const { client } = session;
  if (!client || (client.jkt ?? null) === jkt) return session;
  const { jkt: _before, ...others } = client;
  return { ...session, client: jkt === null ? others : { ...others, jkt } };
}

/** Refresh tokens of clients without a secret are bound to the key (RFC 9449 5). */
export const boundKey = ({ client_type: type }: OauthClientRow, jkt: string | null): string | null =>
  type === 'public' ? jkt : null;

/** RFC 9449 5. */
export const tokenTypeOf = (jkt: string | null): 'DPoP' | 'bearer' => (jkt === null ? 'bearer' : 'DPoP');
