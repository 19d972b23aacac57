import { signInWithPassword } from '../accounts/sign-in.js';
import { apiError, oauthApiError } from '../errors.js';
import { exchangeAuthCode } from '../external/exchange-code.js';
import { signInWithIdToken } from '../external/id-token-grant.js';
import type { ApiRequest } from '../http/types.js';
import type { App } from '../runtime/app.js';
import { authenticateUser, requireLinkTarget, type UserCaller } from '../sessions/caller.js';
import { renderTokens, type TokenResponse } from '../sessions/open.js';
import { refreshTokens } from '../sessions/refresh.js';
import { refreshIntoOrganization } from '../sessions/refresh-into.js';
import { readChain } from '../wallets/wallet-switches.js';
import { audienceOf, clientOf } from './shared/client.js';
import { defineEndpoint } from './shared/define.js';
import { linkErrors, ok, walletErrors } from './shared/docs.js';
import { type BodyOf, fields } from './shared/fields.js';
import { policyErrors } from './shared/organization-docs.js';

const body = fields(
  'email',
  'phone',
  'password',
  'refresh_token',
  'auth_code',
  'code_verifier',
  'id_token',
  'access_token',
  'nonce',
  'provider',
  'client_id',
  'issuer',
  'link_identity',
  'chain',
  'message',
  'signature',
  'organization_id',
);
type TokenRequest = ApiRequest<BodyOf<typeof body>>;

/** Grants whose credential was obtained after a captcha. Unknown grants need a captcha. */
const grantsWithoutCaptcha = new Set(['refresh_token', 'pkce', 'id_token']);
const grantLimits = new Map([['web3', 'web3']] as const);

export const postToken = defineEndpoint({
  method: 'POST',
  path: '/token',
  caller: 'none',
  takesTrustedDevice: true,
  limit: 'token',
  grantLimits,
  captcha: ({ query }) => !grantsWithoutCaptcha.has(query.get('grant_type') ?? ''),
  query: {
    grant_type: {
      enum: ['password', 'refresh_token', 'pkce', 'id_token', 'web3'],
      description: 'The kind of credential in the body.',
      required: true,
    },
  },
  body,
  id: 'issueTokens',
  tag: 'Sign-in',
  summary: 'Issues tokens for a password, a refresh token, an auth code, an ID token or the signature of a wallet.',
  answers: ok('TokenResponse', 'Signed in.'),
  errors: [
    'unsupportedGrantType',
    ...walletErrors,
    'invalidLogin',
    'ssoRequired',
    'emailNotConfirmed',
    'phoneNotConfirmed',
    'loginBanned',
    'signInThrottled',
    'refreshTokenNotFound',
    'refreshTokenAlreadyUsed',
    'sessionExpired',
    'flowStateNotFound',
    'flowStateExpired',
    'badCodeVerifier',
    'accessTokenTooLong',
    'emailLoginDisabled',
    'idTokenProviderDisabled',
    // An ID token with link_identity needs a caller, and its identity may belong to another user.
    'noAuthorization',
    'badJwt',
    'missingSubject',
    'subjectNotUuid',
    'subjectNotFound',
    'sessionNotFound',
    'userBanned',
    'manualLinkingDisabled',
    ...linkErrors,
    'notAMember',
    ...policyErrors,
    'overloaded',
  ],
  /** grant_type is read from the query, never from the body. */
  async handler(app, request) {
    const grant = grants.get(request.query.get('grant_type') ?? '');
    if (grant === undefined) throw apiError('unsupportedGrantType');
    const answer = await grant(app, request);
    return { status: 200, json: answer instanceof Uint8Array ? answer : renderTokens(answer) };
  },
});

type Grant = (app: App, request: TokenRequest) => Promise<TokenResponse | Uint8Array>;

/**
 * grant_type → function (RFC 6749 4.3, 6; RFC 7636 4.5); bytes are a rendered answer. A Map, since strings that were
 * keys of an object are slower to write to the access log (0.5 µs).
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
      // One body in two formats: RFC 6749 5.2 and that of other errors.
      if (text === '') throw oauthApiError('refreshTokenRequired', {}, 'invalid_request');
      const named = app.config.organizationsEnabled ? request.body.organization_id : undefined;
      return named === undefined
        ? refreshTokens(app, clientOf(request), text)
        : refreshIntoOrganization(app, clientOf(request), text, named);
    },
    pkce: (app, request) =>
      exchangeAuthCode(app, clientOf(request), request.body.auth_code ?? '', request.body.code_verifier ?? ''),
    async web3(app, request) {
      const { chain, message = '', signature = '' } = request.body;
      readChain(app, chain);
      // Not loaded where it is off.
      const { signInWithWallet } = await import('../wallets/wallet-sign-in.js');
      return signInWithWallet(app, clientOf(request), { chain, message, signature }, audienceOf(app, request));
    },
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
      const linkTo = body.link_identity === true ? requireLinkTarget(await authenticateLinker(app, request)) : null;
      return signInWithIdToken(app, clientOf(request), idToken, audienceOf(app, request), linkTo);
    },
  }),
);

/** Linking needs a bearer token, other grants do not. */
function authenticateLinker(app: App, request: TokenRequest): Promise<UserCaller> {
  if (!request.header('authorization')) {
    const reason = 'Linking requires a valid user access token in Authorization';
    throw oauthApiError('idTokenRequest', { reason }, 'invalid request');
  }
  if (request.accessToken === null) throw apiError('noAuthorization');
  return authenticateUser(app, request.accessToken, request);
}
