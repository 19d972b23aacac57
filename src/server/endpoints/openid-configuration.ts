import { json } from '../http/types.js';
import { defineEndpoint } from './shared/define.js';

const CACHE = { 'Cache-Control': 'public, max-age=600, stale-while-revalidate=60' };

/**
 * OpenID Connect Discovery 1.0, 3. Gateways read jwks_uri and issuer from it. The members are those of supabase/auth,
 * those of its OAuth server included.
 */
export const getOpenidConfiguration = defineEndpoint({
  method: 'GET',
  path: '/.well-known/openid-configuration',
  caller: 'none',
  id: 'getOpenidConfiguration',
  tag: 'Server',
  summary: 'Returns the discovery document of the issuer of access tokens.',
  answers: { 200: { description: 'The document.', body: { type: 'object' } } },
  errors: ['databaseUnavailable'],
  async handler({ config, tokenKeys }) {
    await tokenKeys.ready?.();
    const issuer = config.jwtIssuer === '' ? config.apiExternalUrl : config.jwtIssuer;
    const base = issuer.replace(/\/+$/, '');
    const algorithms = new Set(tokenKeys.accepted(Date.now()).published.map(({ alg }) => alg));
    return json(
      {
        issuer,
        authorization_endpoint: `${base}/oauth/authorize`,
        token_endpoint: `${base}/oauth/token`,
        jwks_uri: `${base}/.well-known/jwks.json`,
        userinfo_endpoint: `${base}/oauth/userinfo`,
        response_types_supported: ['code'],
        response_modes_supported: ['query'],
        grant_types_supported: ['authorization_code', 'refresh_token'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: algorithms.size === 0 ? ['HS256'] : [...algorithms],
        token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
        code_challenge_methods_supported: ['S256', 'plain'],
        scopes_supported: ['openid', 'profile', 'email', 'phone', 'offline_access'],
        claims_supported: CLAIMS,
      },
      200,
      CACHE,
    );
  },
});

const CLAIMS = [
  ...['sub', 'aud', 'iss', 'exp', 'iat', 'auth_time', 'nonce', 'email', 'email_verified'],
  ...['phone_number', 'phone_number_verified', 'name', 'picture', 'preferred_username', 'updated_at'],
];
