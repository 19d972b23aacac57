/** The authorization endpoint (RFC 6749 4.1.1, OpenID Connect Core 3.1.2.1). */
import { randomBytes } from 'node:crypto';
import { insertAuthorization } from '../../db/oauth-authorizations.js';
import type { OauthClientRow } from '../../db/oauth-clients.js';
import type { App } from '../app.js';
import { apiError } from '../errors.js';
import { issuerOf } from '../issuer.js';
import { answerLocation } from './answer-location.js';
import { authorizationPage } from './authorization-page.js';
import { mayLeadTo } from './client-identity.js';
import { findAuthorizingClient, namesClient } from './document-client.js';
import { isRegisteredRedirectUri } from './redirect-uri.js';
import { refusalPage } from './refusal-page.js';
import { findResourceFault } from './resources.js';
import { readScopes } from './scopes.js';

export interface AuthorizeParameters {
  /** First value of a parameter. */
  get(name: string): string | undefined;
  /** All values of a parameter. */
  all(name: string): readonly string[];
}

/** An error that the client learns by a redirect (RFC 6749 4.1.2.1). */
class AuthorizeError extends Error {
  readonly error: string;

  constructor(error: string, description: string) {
    super(description);
    this.error = error;
  }
}

const invalid = (description: string) => new AuthorizeError('invalid_request', description);

const MAX_STATE = 4096;
const MAX_NONCE = 255;
const MAX_HINT = 255;
const ID_LETTERS = 'abcdefghijklmnopqrstuvwxyz234567';
const ID_LENGTH = 32;

/**
 * Stores a request for authorization.
 * @param requestId for the audit log
 * @returns where to send the browser: to the page that asks the user, or to the client with an error; by a page with a
 *   link if nobody has checked that client
 * @throws ApiError authorizeParameterMissing, authorizeClientInvalid, authorizeRedirectUriInvalid, overloaded, while it is not
 *   known that the redirect URI belongs to the client; authorizeRequestRefused, without hosted pages
 */
export async function beginAuthorization(
  app: App,
  requestId: string,
  parameters: AuthorizeParameters,
): Promise<string> {
  const clientId = parameters.get('client_id');
  const redirectUri = parameters.get('redirect_uri');
  if (!clientId) throw apiError('authorizeParameterMissing', { name: 'client_id' });
  if (!redirectUri) throw apiError('authorizeParameterMissing', { name: 'redirect_uri' });
  const client = await findAuthorizingClient(app, requestId, clientId);
  if (!isRegisteredRedirectUri(client.redirect_uris, redirectUri)) throw apiError('authorizeRedirectUriInvalid');

  const state = parameters.get('state') ?? null;
  try {
    const hint = (name: string) => parameters.get(name)?.slice(0, MAX_HINT) ?? null;
    const page = authorizationPage(app.config, { login_hint: hint('login_hint'), ui_locales: hint('ui_locales') });
    if (page === null) throw new AuthorizeError('server_error', 'oauth authorization path not configured');
    const request = readRequest(app, client, parameters);
    if (await namesClient(app, request.resources)) throw new AuthorizeError('invalid_target', 'resource is a client');
    const id = Array.from(randomBytes(ID_LENGTH), (byte) => ID_LETTERS[byte & 31]).join('');
    await insertAuthorization(app.db, { ...request, id, clientId: client.id, redirectUri, state });
    app.housekeeping.recordFlow();
    return answerLocation(page.url, { authorization_id: id, ...page.parameters });
  } catch (error) {
    if (!(error instanceof AuthorizeError)) throw error;
    const answer = answerLocation(redirectUri, {
      error: error.error,
      error_description: error.message,
      state: state !== null && state.length <= MAX_STATE ? state : null,
      iss: issuerOf(app.config),
    });
    if (mayLeadTo(client, redirectUri)) return answer;
    const page = refusalPage(app, answer);
    if (page === null) throw apiError('authorizeRequestRefused', { reason: error.message });
    return page;
  }
}

function readRequest({ config, tokenKeys }: App, client: OauthClientRow, parameters: AuthorizeParameters) {
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
  const { scope, scopes } = readRequestedScopes(config, client, parameters.get('scope'));
  if (scopes.includes('openid') && tokenKeys.accepted(Date.now()).signing.alg === 'HS256') {
    throw new AuthorizeError('invalid_scope', 'openid needs an asymmetric signing key');
  }
  const resources = [...new Set(parameters.all('resource'))];
  const resourceFault = findResourceFault(config, resources);
  if (resourceFault !== null) throw new AuthorizeError('invalid_target', resourceFault);
  const nonce = parameters.get('nonce') ?? null;
  if ((parameters.get('state')?.length ?? 0) > MAX_STATE) throw invalid('state is too long');
  if (nonce !== null && nonce.length > MAX_NONCE) throw invalid('nonce is too long');
  return {
    scope,
    scopes,
    resources,
    nonce,
    ...readPkce(parameters),
    ...readPrompt(parameters),
    loginHint: parameters.get('login_hint')?.slice(0, MAX_HINT) ?? null,
  };
}

function readRequestedScopes(config: App['config'], client: OauthClientRow, scope: string | undefined) {
  const read = readScopes(config, scope, client.scopes);
  if ('scopes' in read) return { scope: scope ?? config.oauthServerDefaultScope, scopes: read.scopes };
  const description = read.refused === '' ? 'no scope is left' : `unsupported scope: ${read.refused.slice(0, 100)}`;
  throw new AuthorizeError('invalid_scope', description);
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

/** OpenID Connect Core 3.1.2.1. */
function readPrompt(parameters: AuthorizeParameters) {
  const prompts = new Set((parameters.get('prompt') ?? '').split(' ').filter(Boolean));
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
