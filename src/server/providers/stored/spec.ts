/** What a row of the database means, in the terms of the built-in providers. */
import type { CustomProviderRow } from '../../../db/custom-providers.js';
import type { Config } from '../../config/settings.js';
import type { ExternalProfile, OAuth2Spec, OidcSpec, ProviderSettings } from '../contract.js';
import { claimAt, readMappedClaims } from './mapped-claims.js';

export type StoredSpec = OAuth2Spec | OidcSpec;

export function specOf(row: CustomProviderRow): StoredSpec {
  const { provider_type, settings } = row;
  const read = (said: Readonly<Record<string, unknown>>, issuer: string): ExternalProfile => ({
    ...readMappedClaims(settings, said, issuer),
    ...organizationOf(row, said),
  });
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
      readProfile: async ({ getJson }) => read((await getJson(api)) as Readonly<Record<string, unknown>>, api),
    };
  }
  const { attribute_mapping, custom_claims_allowlist } = settings;
  const sources = Object.values(attribute_mapping).filter((source) => typeof source === 'string');
  const ofRoles = row.organization_id === null ? [] : row.role_mapping.map(({ attribute }) => attribute);
  const wanted = ['email', ...sources, ...custom_claims_allowlist, ...ofRoles];
  return {
    protocol: 'oidc',
    ...shared,
    idTokens: {
      issuer: () => settings.issuer,
      readClaims: read,
    },
    needsUserinfo: (claims) => wanted.some((name) => claimAt(claims, name) === undefined),
  };
}

const organizationOf = (
  { id: providerId, organization_id: id, roles, role_mapping }: CustomProviderRow,
  said: Readonly<Record<string, unknown>>,
): Pick<ExternalProfile, 'organization'> =>
  id === null ? {} : { organization: { id, providerId, roles, role_mapping, said } };

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

/**
 * The hosts of private networks that it may be called at. Members of an organization say what its provider answers, so one at a public
 * address leads to public addresses only.
 */
export function privateHostsOf(
  { organization_id, settings: { issuer, discovery_url } }: CustomProviderRow,
  { outboundPrivateHosts: all }: Pick<Config, 'outboundPrivateHosts'>,
): readonly string[] {
  const isPrivate = (url: string): boolean => url === '' || (URL.canParse(url) && all.includes(new URL(url).hostname));
  return organization_id === null || (isPrivate(issuer) && isPrivate(discovery_url)) ? all : [];
}
