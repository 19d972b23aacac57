/** What a row of the database means, in the terms of the built-in providers. */
import type { CustomProviderRow } from '../../../db/custom-providers.js';
import type { Config } from '../../config/settings.js';
import type { OAuth2Spec, OidcSpec, ProviderSettings } from '../contract.js';
import { claimAt, readMappedClaims } from './mapped-claims.js';

export type StoredSpec = OAuth2Spec | OidcSpec;

export function specOf({ provider_type, settings }: CustomProviderRow): StoredSpec {
  const shared = {
    scopes: settings.scopes,
    replacesScopes: true,
    usesPkce: settings.pkce_enabled,
    authorizationParameters: settings.authorization_params,
  } as const;
  if (provider_type === 'oauth2') {
    const { authorization_url: authorization, token_url: token, userinfo_url: api } = settings;
    return {
      protocol: 'oauth2',
      ...shared,
      endpoints: () => ({ authorization, token, api }),
      readProfile: async ({ getJson }) =>
        readMappedClaims(settings, (await getJson(api)) as Readonly<Record<string, unknown>>, api),
    };
  }
  const { attribute_mapping, custom_claims_allowlist } = settings;
  const sources = Object.values(attribute_mapping).filter((source) => typeof source === 'string');
  const wanted = ['email', ...sources, ...custom_claims_allowlist];
  return {
    protocol: 'oidc',
    ...shared,
    idTokens: {
      issuer: () => settings.issuer,
      readClaims: (claims, issuer) => readMappedClaims(settings, claims, issuer),
    },
    needsUserinfo: (claims) => wanted.some((name) => claimAt(claims, name) === undefined),
  };
}

/** @param secret '' where none is needed */
export function settingsOf(
  { identifier, settings }: CustomProviderRow,
  secret: string,
  { customOauthExternalUrl, apiExternalUrl }: Pick<Config, 'customOauthExternalUrl' | 'apiExternalUrl'>,
): ProviderSettings {
  return {
    name: identifier,
    enabled: settings.enabled,
    clientIds: [settings.client_id, ...settings.acceptable_client_ids],
    secret,
    redirectUri: `${customOauthExternalUrl || apiExternalUrl}/callback`,
    url: '',
    emailOptional: settings.email_optional,
    skipNonceCheck: settings.skip_nonce_check,
    issuer: settings.issuer,
  };
}

/** Another issuer, or another token endpoint, is another provider: flows of one do not end at the other. */
export const bindingOf = ({ id, settings }: CustomProviderRow): string =>
  `${id} ${settings.issuer}${settings.token_url}`;
