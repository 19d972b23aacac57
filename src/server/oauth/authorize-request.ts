/** The authorization endpoint (RFC 6749 4.1.1, OpenID Connect Core 3.1.2.1). */
import { insertAuthorization, type NewAuthorization } from '../../db/oauth-authorizations.js';
import type { OauthClientRow } from '../../db/oauth-clients.js';
import { apiError } from '../errors.js';
import { issuerOf } from '../keys/issuer.js';
import type { App } from '../runtime/app.js';
import { answerLocation } from './answer-location.js';
import { authorizationPage } from './authorization-page.js';
import { mayLeadTo } from './client-identity.js';
import { findAuthorizingClient } from './document-client.js';
import { readOrganizationRequest } from './organization-choice.js';
import { isPushedUri, takePushedRequest } from './pushed-handle.js';
import { isRegisteredRedirectUri } from './redirect-uri.js';
import { refusalPage } from './refusal-page.js';
import { AuthorizeError, answeringErrors, readRequestedResources, readRequestedScopes } from './request-fields.js';
import { makeRequestId } from './request-id.js';

export interface AuthorizeParameters {
  /** First value of a parameter. */
  get(name: string): string | undefined;
  /** All values of a parameter. */
  all(name: string): readonly string[];
}

type PageRequest = Pick<NewAuthorization, 'id' | 'loginHint' | 'uiLocales'>;

const invalid = (description: string) => new AuthorizeError('invalid_request', description);

const MAX_STATE = 4096;
const MAX_NONCE = 255;
const MAX_HINT = 255;

/**
 * Stores a request for authorization, or goes on with one that the client has pushed.
 * @param requestId for the audit log
 * @returns where to send the browser: to the page that asks the user, or to the client with an error; by a page with a
 *   link if nobody has checked that client
 * @throws ApiError authorizeParameterMissing, authorizeClientInvalid, authorizeRedirectUriInvalid,
 *   authorizeRequestUriInvalid, overloaded, while it is not known that the redirect URI belongs to the client;
 *   authorizeRequestRefused, without hosted pages
 */
export async function beginAuthorization(
  app: App,
  requestId: string,
  parameters: AuthorizeParameters,
): Promise<string> {
  const clientId = parameters.get('client_id');
  const redirectUri = parameters.get('redirect_uri');
  if (!clientId) throw apiError('authorizeParameterMissing', { name: 'client_id' });
  const requestUri = parameters.get('request_uri');
  const isPushed = isPushedUri(requestUri);
  if (!redirectUri && !isPushed) throw apiError('authorizeParameterMissing', { name: 'redirect_uri' });
  const client = await findAuthorizingClient(app, requestId, clientId);
  // Whatever else such a request says does not count (RFC 9101 6.3).
  if (isPushed) {
    const pushed = await takePushedRequest(app, client, requestUri);
    return answeringErrors(() => locatePage(app, pushed));
  }
  if (!isRegisteredRedirectUri(client.redirect_uris, redirectUri!)) throw apiError('authorizeRedirectUriInvalid');

  const state = parameters.get('state') ?? null;
  try {
    if (app.config.oauthServerRequirePar) throw invalid('The request has to be pushed (RFC 9126)');
    const request = await readAuthorizeRequest(app, client, parameters);
    const id = makeRequestId();
    const location = locatePage(app, { ...request, id });
    await insertAuthorization(app.db, {
      ...request,
      id,
      clientId: client.id,
      redirectUri: redirectUri!,
      status: 'pending',
    });
    app.housekeeping.recordFlow();
    return location;
  } catch (error) {
    if (!(error instanceof AuthorizeError)) throw error;
    const answer = answerLocation(redirectUri!, {
      error: error.error,
      error_description: error.message,
      state: state !== null && state.length <= MAX_STATE ? state : null,
      iss: issuerOf(app.config),
    });
    if (mayLeadTo(client, redirectUri!)) return answer;
    const page = refusalPage(app, answer);
    if (page === null) throw apiError('authorizeRequestRefused', { reason: error.message });
    return page;
  }
}

/** @throws AuthorizeError server_error without a page */
export function locatePage(app: App, { id, loginHint, uiLocales }: PageRequest): string {
  const page = authorizationPage(app.config, { login_hint: loginHint, ui_locales: uiLocales });
  if (page === null) throw new AuthorizeError('server_error', 'oauth authorization path not configured');
  return answerLocation(page.url, { authorization_id: id, ...page.parameters });
}

/**
 * What a request says, redirect URI aside.
 * @throws AuthorizeError
 */
export async function readAuthorizeRequest(app: App, client: OauthClientRow, parameters: AuthorizeParameters) {
  for (const name of ['request', 'request_uri', 'registration']) {
    if (parameters.get(name) !== undefined)
      throw new AuthorizeError(`${name}_not_supported`, `${name} is not supported`);
  }
  const responseType = parameters.get('response_type');
  if (responseType !== undefined && responseType !== 'code') {
    throw new AuthorizeError('unsupported_response_type', 'response_type must be code');
  }
  const responseMode = parameters.get('response_mode');
  if (responseMode !== undefined && responseMode !== 'query') throw invalid('response_mode must be query');
  const { scope, scopes } = readRequestedScopes(app, client, parameters.get('scope'));
  const resources = await readRequestedResources(app, parameters.all('resource'));
  const nonce = parameters.get('nonce') ?? null;
  const dpopJkt = parameters.get('dpop_jkt') ?? null;
  if (dpopJkt !== null && !/^[A-Za-z0-9_-]{43}$/.test(dpopJkt)) throw invalid('dpop_jkt is not a SHA-256 thumbprint');
  if ((parameters.get('state')?.length ?? 0) > MAX_STATE) throw invalid('state is too long');
  if (nonce !== null && nonce.length > MAX_NONCE) throw invalid('nonce is too long');
  return {
    scope,
    scopes,
    resources,
    nonce,
    dpopJkt,
    ...readPkce(parameters),
    ...readPrompt(parameters),
    ...readOrganizationRequest(app.config, client, scopes, parameters.get('organization'), promptsOf(parameters)),
    state: parameters.get('state') ?? null,
    loginHint: parameters.get('login_hint')?.slice(0, MAX_HINT) ?? null,
    uiLocales: parameters.get('ui_locales')?.slice(0, MAX_HINT) ?? null,
  };
}

/** PKCE is mandatory (RFC 9700 2.1.1), so that no request can leave it out (RFC 9700 4.8). */
function readPkce(parameters: AuthorizeParameters) {
  const challenge = parameters.get('code_challenge');
  const method = parameters.get('code_challenge_method')?.toLowerCase();
  if (!challenge || !method) throw invalid('PKCE flow requires both code_challenge and code_challenge_method');
  if (method !== 's256' && method !== 'plain') throw invalid('code_challenge_method must be S256 or plain');
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(challenge)) {
    throw invalid('code_challenge must have 43 to 128 characters of A-Z, a-z, 0-9, "-", ".", "_" and "~"');
  }
  return { codeChallenge: challenge, codeChallengeMethod: method } as const;
}

const promptsOf = (parameters: AuthorizeParameters): ReadonlySet<string> =>
  new Set((parameters.get('prompt') ?? '').split(' ').filter(Boolean));

/** OpenID Connect Core 3.1.2.1. */
function readPrompt(parameters: AuthorizeParameters) {
  const prompts = promptsOf(parameters);
  if (prompts.has('none')) {
    if (prompts.size > 1) throw invalid('prompt none cannot be combined');
    // Nothing is answered without the user, since a page has to ask.
    throw new AuthorizeError('login_required', 'The user has to sign in');
  }
  const maxAge = parameters.get('max_age');
  if (maxAge !== undefined && !/^\d{1,9}$/.test(maxAge)) throw invalid('max_age must be a number of seconds');
  const isLoginAsked = prompts.has('login') || prompts.has('select_account');
  return {
    asksConsent: prompts.has('consent'),
    maxAgeSeconds: isLoginAsked ? 0 : maxAge === undefined ? null : Number(maxAge),
  };
}
