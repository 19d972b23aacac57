/** The authorization_code grant (RFC 6749 4.1.3, RFC 7636 4.5). */
import { createHash, randomUUID } from 'node:crypto';
import { type PresentedCode, type RedeemedCode, readCodeState, redeemCode } from '../../db/oauth-authorizations.js';
import type { OauthClientRow } from '../../db/oauth-clients.js';
import { endClientSession } from '../../db/oauth-sessions.js';
import type { Database } from '../../db/types.js';
import { type Actor, auditEntry, logAudit, storedAudit, UNKNOWN_ACTOR } from '../accounts/audit.js';
import { type ApiError, apiError } from '../errors.js';
import type { App, Client } from '../runtime/app.js';
import { decideClaims, writeDecided } from '../sessions/decided-claims.js';
import { renderSessionClaims, signTokens } from '../sessions/open.js';
import type { RenderedClaims } from '../sessions/token-claims.js';
import { authenticateClient } from './client-authentication.js';
import { clientIdOf } from './client-id.js';
import { assertGrantOf, clientSessionSeconds, mayRefresh } from './client-sessions.js';
import { hashAuthorizationCode } from './consent.js';
import type { ClientTokenResponse, TokenRequest } from './contract.js';
import { renderIdToken } from './id-token-claims.js';
import { assertKeyGiven, bindSession, boundKey, readProvenKey, tokenTypeOf } from './proven-key.js';
import { assertSubjects, subjectOf } from './subject.js';
import type { TokenParameters } from './token-parameters.js';

/**
 * @throws ApiError clientNotProven, grantTypeUnsupported, clientCodeMissing, clientCodeInvalid, clientCodeExpired, clientCodeRedirectUriDiffers,
 *   clientCodeVerifierWrong, clientCodeKeyDiffers, clientCodeUserBanned, organizationNotServed, resourceRefused, and those of the key and of the
 *   hook custom_access_token
 */
export async function redeemAuthorizationCode(
  app: App,
  { client, presented, parameters, request }: TokenRequest,
): Promise<ClientTokenResponse> {
  let { client: oauthClient, isCached } = await authenticateClient(app, presented, true);
  assertGrantOf(oauthClient, 'authorization_code');
  const code = readCode(parameters, await readProvenKey(app, request, oauthClient));
  let issued = await issueByCode(app, client, oauthClient, code);
  if (issued === undefined && isCached) {
    // The client may have changed since it was read.
    const { version } = oauthClient;
    ({ client: oauthClient, isCached } = await authenticateClient(app, presented, false));
    assertGrantOf(oauthClient, 'authorization_code');
    assertKeyGiven(oauthClient, code.jkt);
    if (oauthClient.version !== version) issued = await issueByCode(app, client, oauthClient, code);
  }
  if (issued === undefined) throw await explainRefusedCode(app, client, oauthClient, code);
  return issued;
}

function readCode(parameters: TokenParameters, jkt: string | null): PresentedCode {
  const code = parameters.get('code');
  if (code === undefined) throw apiError('clientCodeMissing');
  const codeVerifier = parameters.get('code_verifier') ?? null;
  const resources = parameters.all('resource');
  return {
    codeHash: hashAuthorizationCode(code),
    redirectUri: parameters.get('redirect_uri') ?? null,
    codeVerifier,
    verifierHash: codeVerifier && createHash('sha256').update(codeVerifier).digest('base64url'),
    resources: resources.length === 0 ? null : [...new Set(resources)],
    isOfDevice: false,
    jkt,
  };
}

/** @returns undefined when the code cannot be exchanged: {@link explainRefusedCode} says why */
export async function issueByCode(
  app: App,
  client: Client,
  oauthClient: OauthClientRow,
  code: PresentedCode,
): Promise<ClientTokenResponse | undefined> {
  // Before the code is spent.
  assertSubjects(app.config, oauthClient);
  const audit = [auditEntry(UNKNOWN_ACTOR, 'oauth_token_issued', { client_id: oauthClient.id })];
  const isKeyBound = boundKey(oauthClient, code.jkt) !== null;
  const session = { id: randomUUID(), userAgent: client.userAgent, ip: client.ip, isKeyBound };
  const ttls = {
    codeSeconds: lifetimeOf(app, code),
    sessionSeconds: clientSessionSeconds(app, oauthClient),
  };
  const write = (db: Database) => redeemCode(db, code, oauthClient, ttls, session, storedAudit(app, audit));
  const written = await writeDecided(app, write, (planned) =>
    decideClaims(app, client, planned, bindSession(planned, code.jkt), planned.amr[0]!.method),
  );
  if (written === undefined) return undefined;
  const { row, decided } = written;
  logAudit(app, client.requestId, [auditEntry(row, 'oauth_token_issued', { client_id: oauthClient.id })]);
  return answer(app, oauthClient, row, code.jkt, decided);
}

/** Of an approved code. */
const lifetimeOf = ({ config }: App, { isOfDevice }: PresentedCode): number =>
  isOfDevice ? config.oauthServerDeviceCodeTtlSeconds : config.oauthServerCodeTtlSeconds;

async function answer(
  app: App,
  oauthClient: OauthClientRow,
  row: RedeemedCode,
  jkt: string | null,
  decided: RenderedClaims | null,
): Promise<ClientTokenResponse> {
  const claims = decided ?? renderSessionClaims(app, { user: row, session: bindSession(row, jkt) });
  const { scopes } = row;
  const idToken = scopes.includes('openid') ? app.crypto.signJwt(renderIdTokenOf(app, oauthClient, row)) : undefined;
  const refreshToken = { sessionId: row.session_id, generation: row.generation };
  const { access_token, refresh_token, expires_in } = await signTokens(app, refreshToken, claims);
  return {
    access_token,
    token_type: tokenTypeOf(jkt),
    expires_in,
    ...(mayRefresh(app, oauthClient, scopes) && { refresh_token }),
    ...(idToken !== undefined && { id_token: await idToken }),
    scope: scopes.join(' '),
  };
}

const renderIdTokenOf = (app: App, oauthClient: OauthClientRow, row: RedeemedCode): string =>
  renderIdToken(
    app.config,
    row,
    {
      subject: subjectOf(app.config, oauthClient, row.id),
      clientId: clientIdOf(oauthClient),
      scopes: row.scopes,
      nonce: row.nonce,
      authTime: row.auth_time,
      session: row,
      amr: row.approved_amr,
      organization: row.organization ? { ...row.organization, name: row.organization_name ?? '' } : null,
    },
    Math.floor(Date.now() / 1000),
  );

/** The session of a code that comes a second time ends. */
export async function explainRefusedCode(
  app: App,
  client: Client,
  oauthClient: OauthClientRow,
  code: PresentedCode,
): Promise<ApiError> {
  const state = await readCodeState(app.db, code, oauthClient.id, lifetimeOf(app, code));
  if (state === undefined || !state.is_own || state.is_deleted) return apiError('clientCodeInvalid');
  if (state.status === 'redeemed') {
    // Whoever came second, one of the two has stolen it (RFC 6749 4.1.2).
    await endReplayed(app, client, oauthClient.id, state.issued_session_id);
    return apiError('clientCodeInvalid');
  }
  if (state.is_expired) return apiError('clientCodeExpired');
  if (state.is_banned) return apiError('clientCodeUserBanned');
  if (!state.is_redirect_uri_right) return apiError('clientCodeRedirectUriDiffers');
  if (!state.is_verifier_right) return apiError('clientCodeVerifierWrong');
  if (!state.is_key_right) return apiError('clientCodeKeyDiffers');
  if (!state.is_served) return apiError('organizationNotServed');
  if (code.resources?.some((one) => !state.resources.includes(one))) return apiError('resourceRefused');
  return apiError('clientCodeInvalid');
}

async function endReplayed(app: App, client: Client, clientId: string, sessionId: string | null): Promise<void> {
  if (sessionId === null) return;
  const entryOf = (user: Actor) =>
    auditEntry(user, 'oauth_code_replayed', { client_id: clientId, session_id: sessionId });
  const stored = storedAudit(app, [entryOf(UNKNOWN_ACTOR)]);
  const user = await endClientSession(app.db, { id: sessionId, clientId }, stored);
  if (user !== undefined) logAudit(app, client.requestId, [entryOf(user)]);
}
