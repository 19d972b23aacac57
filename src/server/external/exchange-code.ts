import { withLockedUser } from '../../db/account-locks.js';
import { type FoundFlow, findFlowByAuthCode, redeemFlow } from '../../db/flow-states.js';
import { auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { hashAuthCode } from '../codes/one-time.js';
import { matchesChallenge } from '../codes/pkce.js';
import { apiError } from '../errors.js';
import type { App, Client } from '../runtime/app.js';
import { enterJoined } from '../sessions/active-organization.js';
import { signInWithClaims } from '../sessions/decided-claims.js';
import { issueTokens, type TokenResponse } from '../sessions/open.js';
import { redeemLink } from './link-exchange.js';

export type ExchangeResponse = TokenResponse & { provider_token?: string; provider_refresh_token?: string };

/**
 * The pkce grant (RFC 7636 4.5, 4.6). An auth code expires a time after it was issued, not after the mail was sent. A
 * wrong verifier leaves it valid.
 * @throws ApiError pkceBothRequired, flowStateNotFound, flowStateExpired, badCodeVerifier, userBanned, and those of
 *   {@link redeemLink}
 */
export async function exchangeAuthCode(
  app: App,
  client: Client,
  authCode: string,
  verifier: string,
): Promise<ExchangeResponse> {
  if (!authCode || !verifier) throw apiError('pkceBothRequired');
  const authCodeHash = await hashAuthCode(app, authCode);
  const flow = await findFlowByAuthCode(app.db, authCodeHash);
  if (flow === undefined) throw apiError('flowStateNotFound');
  if (flow.age_seconds > app.config.externalFlowStateExpirySeconds) throw apiError('flowStateExpired');
  const { code_challenge: challenge, code_challenge_method: method } = flow;
  if (challenge === null || method === null || !matchesChallenge(verifier, challenge, method)) {
    throw apiError('badCodeVerifier');
  }
  if (flow.is_banned) throw apiError('userBanned');
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
  const opened = await signInWithClaims(app, client, (db) =>
    withLockedUser(db, flow.user_id, async (statements) => {
      const row = await redeemFlow(statements, flow.id, authCodeHash, client, storedAudit(app, audit));
      const { organization_id: organizationId } = flow;
      if (row === undefined || organizationId === null || !app.config.organizationsEnabled) return row;
      return enterJoined(statements, client, row, organizationId);
    }),
  );
  if (opened === undefined) throw apiError('flowStateNotFound');
  logAudit(app, client.requestId, audit);
  return issueTokens(app, opened);
}
