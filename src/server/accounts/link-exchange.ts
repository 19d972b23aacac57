/**
 * A link asked for with PKCE. Whoever opens the provider's address brings back no more than an auth code; the link is
 * made when the client that began it, which alone has the verifier, exchanges the code (RFC 7636 1; SEC-86).
 */
import { randomUUID } from 'node:crypto';
import { awaitExchange, type FoundFlow, type LinkTarget } from '../../db/flow-states.js';
import type { App, Client } from '../app.js';
import { refuse } from '../errors.js';
import { assertMayLink, linkIdentity, type WantedIdentity } from './link-identity.js';
import { hashAuthCode } from './one-time.js';
import type { TokenResponse } from './sessions.js';

export interface LinkTokens {
  readonly accessToken: string | null;
  readonly refreshToken: string | null;
}

/**
 * Keeps what is to be linked until the exchange, sealed.
 * @returns the auth code
 * @throws Refusal as {@link assertMayLink}: what cannot be linked is refused before the browser goes on; stateNotFound
 */
export async function keepLink(
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
  const isKept = await awaitExchange(app.db, flowId, await hashAuthCode(app, authCode), sealed);
  if (!isKept) throw refuse('stateNotFound');
  return authCode;
}

/**
 * @param flow whose verifier was right
 * @throws Refusal as {@link linkIdentity}; flowStateNotFound for a flow of another release or secret
 */
export async function redeemLink(
  app: App,
  client: Client,
  flow: FoundFlow,
  authCodeHash: string,
): Promise<TokenResponse> {
  const { id: flowId, linking_target_id: userId, linking_session_id: sessionId, provider_state: sealed } = flow;
  const text = sealed === null ? null : app.keys.flowSealer.open(flowId, sealed);
  if (text === null) throw refuse('flowStateNotFound');
  if (userId === null || sessionId === null) throw refuse('sessionNotFound');
  const wanted = JSON.parse(text) as WantedIdentity;
  return linkIdentity(app, client, wanted, { userId, sessionId }, { flowId, authCodeHash });
}
