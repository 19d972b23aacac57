/** Authorization server metadata (RFC 8414 2) and OpenID Connect Discovery 1.0, 3: one document. */
import { PROOF_ALGORITHMS } from '../../jws/proof-algorithms.js';
import { issuerBase, issuerOf } from '../keys/issuer.js';
import type { App } from '../runtime/app.js';
import { DEVICE_GRANT, MACHINE_GRANT } from './client-fields.js';
import { KEY_METHOD } from './client-key-fields.js';
import { supportedScopes } from './scopes.js';

const METHODS = ['client_secret_basic', 'client_secret_post', KEY_METHOD, 'none'];

/** Kept while configuration and keys stay. */
const documents = new WeakMap<object, { readonly keys: object; readonly json: string }>();

/** @returns the document as JSON, from memory unless the keys have changed */
export function discoveryDocument({ config, tokenKeys }: Pick<App, 'config' | 'tokenKeys'>): string {
  const keys = tokenKeys.accepted(Date.now());
  const known = documents.get(config);
  if (known?.keys === keys) return known.json;
  const algorithms = [...new Set(keys.published.map(({ alg }) => alg))];
  const json = JSON.stringify(render(config, algorithms));
  documents.set(config, { keys, json });
  return json;
}

/** Whether a path, without its first slash, is that of the issuer (RFC 8414 3.1). */
export function isPathOfIssuer({ config }: Pick<App, 'config'>, path: string): boolean {
  const base = issuerBase(config);
  return URL.canParse(base) && new URL(base).pathname === `/${path}`;
}

function render(config: App['config'], algorithms: readonly string[]): Record<string, unknown> {
  const base = issuerBase(config);
  const isRegistrationOn = config.oauthServerEnabled && config.oauthServerAllowDynamicRegistration;
  const isMachineGrantOn = config.oauthServerEnabled && config.oauthServerClientCredentialsEnabled;
  const isDeviceGrantOn = config.oauthServerEnabled && config.oauthServerDeviceGrantEnabled;
  // Only asymmetric keys sign ID tokens, since clients cannot verify the others.
  const hasIdTokens = algorithms.length > 0 || !config.oauthServerEnabled;
  const scopes = supportedScopes(config).filter((scope) => scope !== 'openid' || hasIdTokens);
  return {
    issuer: issuerOf(config),
    jwks_uri: `${base}/.well-known/jwks.json`,
    ...(config.oauthServerEnabled && {
      authorization_endpoint: `${base}/oauth/authorize`,
      token_endpoint: `${base}/oauth/token`,
      userinfo_endpoint: `${base}/oauth/userinfo`,
      end_session_endpoint: `${base}/oauth/logout`,
      backchannel_logout_supported: hasIdTokens,
      backchannel_logout_session_supported: hasIdTokens,
      revocation_endpoint: `${base}/oauth/revoke`,
      revocation_endpoint_auth_methods_supported: METHODS,
      introspection_endpoint: `${base}/oauth/introspect`,
      introspection_endpoint_auth_methods_supported: METHODS.filter((method) => method !== 'none'),
      token_endpoint_auth_signing_alg_values_supported: PROOF_ALGORITHMS,
      revocation_endpoint_auth_signing_alg_values_supported: PROOF_ALGORITHMS,
      introspection_endpoint_auth_signing_alg_values_supported: PROOF_ALGORITHMS,
    }),
    ...(isRegistrationOn && { registration_endpoint: `${base}/oauth/clients/register` }),
    scopes_supported: scopes,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    ...(config.oauthServerEnabled && {
      pushed_authorization_request_endpoint: `${base}/oauth/par`,
      require_pushed_authorization_requests: config.oauthServerRequirePar,
      client_id_metadata_document_supported: config.oauthServerClientIdMetadataEnabled,
      dpop_signing_alg_values_supported: PROOF_ALGORITHMS,
    }),
    ...(isDeviceGrantOn && { device_authorization_endpoint: `${base}/oauth/device_authorization` }),
    grant_types_supported: [
      'authorization_code',
      'refresh_token',
      ...(isMachineGrantOn ? [MACHINE_GRANT] : []),
      ...(isDeviceGrantOn ? [DEVICE_GRANT] : []),
    ],
    subject_types_supported:
      config.oauthServerEnabled && config.oauthServerPairwiseSalt !== '' ? ['public', 'pairwise'] : ['public'],
    id_token_signing_alg_values_supported: algorithms.length === 0 ? ['HS256'] : algorithms,
    token_endpoint_auth_methods_supported: METHODS,
    claims_supported: config.organizationsEnabled ? [...CLAIMS, ...ORGANIZATION_CLAIMS] : CLAIMS,
    code_challenge_methods_supported: ['S256', 'plain'],
    authorization_response_iss_parameter_supported: true,
    prompt_values_supported: [
      ...['none', 'login', 'consent', 'select_account'],
      ...(config.organizationsEnabled ? ['select_organization'] : []),
    ],
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
  };
}

const CLAIMS = [
  ...['sub', 'aud', 'iss', 'exp', 'iat', 'auth_time', 'nonce', 'acr', 'amr', 'sid', 'email', 'email_verified'],
  ...['phone_number', 'phone_number_verified', 'name', 'picture', 'preferred_username', 'updated_at'],
];

const ORGANIZATION_CLAIMS = ['org_id', 'org_slug', 'org_name', 'org_roles'];
