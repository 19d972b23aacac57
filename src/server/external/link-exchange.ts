/**
 * Linking with PKCE. The callback only issues an auth code. The identity is linked when the client that started the
 * flow, the only holder of the verifier, exchanges the code (RFC 7636 1; SEC-86).
 */
import { randomUUID } from 'node:crypto';
import { type FoundFlow, type LinkTarget, storeAuthCode } from '../../db/flow-states.js';
import { hashAuthCode } from '../codes/one-time.js';
import { apiError } from '../errors.js';
import type { App, Client } from '../runtime/app.js';
import type { TokenResponse } from '../sessions/open.js';
import { assertMayLink, linkIdentity, type WantedIdentity } from './link-identity.js';

interface LinkTokens {
  readonly accessToken: string | null;
  readonly refreshToken: string | null;
}

/**
 * Stores the identity, sealed, until the exchange.
 * @returns the auth code
 * @throws ApiError as {@link assertMayLink}, before the browser is redirected; stateNotFound
 */
export async function storeLink(
  app: App,
  flowId: string,
  target: LinkTarget,
  wanted: WantedIdentity,
  { accessToken, refreshToken }: LinkTokens,
): Promise<string> {
  await assertMayLink(app, wanted, target);
  const authCode = randomUUID();
  const seal = (text: string): string => app.keys.flowSealer.seal(flowId, text);
  const sealed = {
    link: seal(JSON.stringify(wanted)),
    accessToken: accessToken && seal(accessToken),
    refreshToken: refreshToken && seal(refreshToken),
  };
  const isStored = await storeAuthCode(app.db, flowId, await hashAuthCode(app, authCode), sealed);
  if (!isStored) throw apiError('stateNotFound');
  return authCode;
}

/**
 * Links the identity of a flow.
 * @param flow its verifier has been checked
 * @throws ApiError as {@link linkIdentity}; flowStateNotFound for a flow of another release or secret
 */
export async function redeemLink(
  app: App,
  client: Client,
  flow: FoundFlow,
  authCodeHash: string,
): Promise<TokenResponse> {
  const { id: flowId, linking_target_id: userId, linking_session_id: sessionId, provider_state: sealed } = flow;
  const text = sealed === null ? null : app.keys.flowSealer.open(flowId, sealed);
  if (text === null) throw apiError('flowStateNotFound');
  if (userId === null || sessionId === null) throw apiError('sessionNotFound');
  const wanted = JSON.parse(text) as WantedIdentity;
  return linkIdentity(app, client, wanted, { userId, sessionId }, { flowId, authCodeHash });
}
