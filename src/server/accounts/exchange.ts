import { withLockedUser } from '../../db/account-locks.js';
import { type FoundFlow, findFlowByAuthCode, redeemFlow } from '../../db/flow-states.js';
import type { App, Client } from '../app.js';
import { refuse } from '../errors.js';
import { auditEntry, logAudit, storedAudit } from './audit.js';
import { redeemLink } from './link-exchange.js';
import { hashAuthCode } from './one-time.js';
import { isVerifierRight } from './pkce.js';
import { issueTokens, type TokenResponse } from './sessions.js';

export type ExchangeResponse = TokenResponse & { provider_token?: string; provider_refresh_token?: string };

/**
 * The pkce grant (RFC 7636 4.5, 4.6). The auth code's time runs from the click that handed it out, so that a mail read
 * late still signs in; a wrong verifier uses nothing up.
 * @throws Refusal pkceBothRequired, flowStateNotFound, flowStateExpired, badCodeVerifier, userBanned, and those of
 *   {@link redeemLink}
 */
export async function exchangeAuthCode(
  app: App,
  client: Client,
  authCode: string,
  verifier: string,
): Promise<ExchangeResponse> {
  if (!authCode || !verifier) throw refuse('pkceBothRequired');
  const authCodeHash = await hashAuthCode(app, authCode);
  const flow = await findFlowByAuthCode(app.db, authCodeHash);
  if (flow === undefined) throw refuse('flowStateNotFound');
  if (flow.age_seconds > app.config.externalFlowStateExpirySeconds) throw refuse('flowStateExpired');
  const { code_challenge: challenge, code_challenge_method: method } = flow;
  if (challenge === null || method === null || !isVerifierRight(verifier, challenge, method)) {
    throw refuse('badCodeVerifier');
  }
  if (flow.is_banned) throw refuse('userBanned');
  const tokens =
    flow.linking_target_id === null
      ? await signIn(app, client, flow, authCodeHash)
      : await redeemLink(app, client, flow, authCodeHash);
  const open = (sealed: string | null) => sealed && app.keys.flowSealer.open(flow.id, sealed);
  const [token, refreshToken] = [open(flow.provider_access_token), open(flow.provider_refresh_token)];
  return {
    ...tokens,
    ...(token ? { provider_token: token } : {}),
    ...(refreshToken ? { provider_refresh_token: refreshToken } : {}),
  };
}

async function signIn(app: App, client: Client, flow: FoundFlow, authCodeHash: string): Promise<TokenResponse> {
  const audit = [
    auditEntry({ id: flow.user_id, email: flow.email, phone: flow.phone }, 'login', {
      provider_type: flow.provider || 'email',
    }),
  ];
  const row = await withLockedUser(app.db, flow.user_id, (statements) =>
    redeemFlow(statements, flow.id, authCodeHash, client, storedAudit(app, audit)),
  );
  if (row === undefined) throw refuse('flowStateNotFound');
  logAudit(app, client.requestId, audit);
  return issueTokens(app, row);
}
