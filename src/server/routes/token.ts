import { authenticateUser, linkTargetOf, type UserCaller } from '../accounts/caller.js';
import { exchangeAuthCode } from '../accounts/exchange.js';
import { redeemIdToken } from '../accounts/id-token-grant.js';
import { refreshTokens } from '../accounts/refresh.js';
import { renderTokens, type TokenResponse } from '../accounts/sessions.js';
import { signInWithPassword } from '../accounts/sign-in.js';
import type { App } from '../app.js';
import { refuse, refuseAsOAuth } from '../errors.js';
import type { ApiRequest, ObjectSchema, Reply } from '../http/types.js';
import { audienceOf, clientOf } from './client.js';

export const tokenBody = {
  type: 'object',
  properties: {
    email: { type: 'string' },
    phone: { type: 'string' },
    password: { type: 'string' },
    refresh_token: { type: 'string' },
    auth_code: { type: 'string' },
    code_verifier: { type: 'string' },
    id_token: { type: 'string' },
    access_token: { type: 'string' },
    nonce: { type: 'string' },
    provider: { type: 'string' },
    client_id: { type: 'string' },
    issuer: { type: 'string' },
    link_identity: { type: 'boolean' },
  },
} as const satisfies ObjectSchema;

export interface TokenBody {
  email?: string;
  phone?: string;
  password?: string;
  refresh_token?: string;
  auth_code?: string;
  code_verifier?: string;
  id_token?: string;
  access_token?: string;
  nonce?: string;
  provider?: string;
  client_id?: string;
  issuer?: string;
  link_identity?: boolean;
}

type Grant = (app: App, request: ApiRequest<TokenBody>) => Promise<TokenResponse | Uint8Array>;

/**
 * grant_type → what redeems it (RFC 6749 4.3, 6; RFC 7636 4.5), rendered where that has been done already. A map: a string
 * that has been the key of an object costs whoever writes it out later (an access line 0.5 µs).
 */
const grants: ReadonlyMap<string, Grant> = new Map(
  Object.entries<Grant>({
    password: (app, request) =>
      signInWithPassword(app, clientOf(request), {
        email: request.body.email ?? '',
        phone: request.body.phone ?? '',
        password: request.body.password ?? '',
        audience: audienceOf(app, request),
      }),
    refresh_token: (app, request) => {
      const text = request.body.refresh_token ?? '';
      // Both shapes in one body: RFC 6749 5.2 for OAuth readers, service.md's for everybody else.
      if (text === '') throw refuseAsOAuth('refreshTokenRequired', {}, 'invalid_request');
      return refreshTokens(app, clientOf(request), text);
    },
    pkce: (app, request) =>
      exchangeAuthCode(app, clientOf(request), request.body.auth_code ?? '', request.body.code_verifier ?? ''),
    id_token: async (app, request) => {
      const { body } = request;
      const idToken = {
        idToken: body.id_token ?? '',
        accessToken: body.access_token ?? '',
        nonce: body.nonce ?? '',
        provider: body.provider ?? '',
        clientId: body.client_id ?? '',
        issuer: body.issuer ?? '',
      };
      const linkTo = body.link_identity === true ? linkTargetOf(await callerToLinkTo(app, request)) : null;
      return redeemIdToken(app, clientOf(request), idToken, audienceOf(app, request), linkTo);
    },
  }),
);

/** The route asks for no bearer token; linking does (reference/providers.md 7.1 row 4). */
function callerToLinkTo(app: App, request: ApiRequest<TokenBody>): Promise<UserCaller> {
  if (!request.header('authorization')) {
    const reason = 'Linking requires a valid user access token in Authorization';
    throw refuseAsOAuth('idTokenRequest', { reason }, 'invalid request');
  }
  if (request.bearerToken === null) throw refuse('noAuthorization');
  return authenticateUser(app, request.bearerToken, request.header('x-jwt-aud'));
}

/** Grants that come after a captcha was solved, or show what a stranger does not have (reference/core.md 10). */
const grantsWithoutCaptcha = new Set(['refresh_token', 'pkce', 'id_token']);

/** An unknown grant asks for a captcha like that of a password. */
export const tokenCaptcha = (request: ApiRequest): boolean =>
  !grantsWithoutCaptcha.has(request.query.get('grant_type') ?? '');

/** POST /token?grant_type=… (service.md). The grant comes from the query, never from the body. */
export async function token(app: App, request: ApiRequest<TokenBody>): Promise<Reply> {
  const grantType = request.query.get('grant_type') ?? '';
  const redeem = grants.get(grantType);
  if (redeem === undefined) throw refuse('unsupportedGrantType');
  const answer = await redeem(app, request);
  return { status: 200, json: answer instanceof Uint8Array ? answer : renderTokens(answer) };
}
