import type { Section, Setting } from './setting.js';

export const externalSignIn = {
  externalEmailEnabled: {
    variable: 'EXTERNAL_EMAIL_ENABLED',
    kind: 'bool',
    default: 'true',
    doc: 'Sign-up and sign-in by email; external providers work either way.',
    example: 'false',
  },
  externalEmailMagicLinkEnabled: {
    variable: 'EXTERNAL_EMAIL_MAGIC_LINK_ENABLED',
    kind: 'bool',
    default: 'true',
    doc: 'Sign-in by a link or code sent by mail.',
    example: 'false',
  },
  externalEmailAuthorizedAddresses: {
    variable: 'EXTERNAL_EMAIL_AUTHORIZED_ADDRESSES',
    kind: 'list',
    default: '',
    doc: 'Addresses that may be sent mail; empty means any.',
    example: 'ann@example.com,ben@example.com',
  },
  externalPhoneEnabled: {
    variable: 'EXTERNAL_PHONE_ENABLED',
    kind: 'bool',
    default: 'false',
    doc: 'Sign-up and sign-in by phone number.',
    example: 'true',
  },
  externalAnonymousUsersEnabled: {
    variable: 'EXTERNAL_ANONYMOUS_USERS_ENABLED',
    kind: 'bool',
    default: 'false',
    doc: 'Accounts without email or phone, which may add one later.',
    example: 'true',
  },
  externalRedirectUrl: {
    variable: 'EXTERNAL_REDIRECTURL',
    kind: 'url',
    anyScheme: true,
    default: '',
    doc: 'Target of every redirect after a provider sign-in, in place of redirect_to.',
    example: 'https://app.example.com/welcome',
  },
  externalIosBundleId: {
    variable: 'EXTERNAL_IOS_BUNDLE_ID',
    kind: 'text',
    default: '',
    doc: 'A further audience accepted in ID tokens from Apple.',
    example: 'com.example.app',
  },
  externalAppleTeamId: {
    variable: 'EXTERNAL_APPLE_TEAM_ID',
    kind: 'text',
    default: '',
    doc: 'Your team at Apple, needed when EXTERNAL_APPLE_SECRET is the private key and not a finished client secret.',
    example: 'DEF123GHIJ',
  },
  externalAppleKeyId: {
    variable: 'EXTERNAL_APPLE_KEY_ID',
    kind: 'text',
    default: '',
    doc: 'Which key EXTERNAL_APPLE_SECRET is, needed when it is the private key and not a finished client secret.',
    example: 'ABC123DEFG',
  },
  externalAllowedIdTokenIssuers: {
    variable: 'EXTERNAL_ALLOWED_ID_TOKEN_ISSUERS',
    ofOwners: true,
    kind: 'issuers',
    default: 'https://appleid.apple.com,https://accounts.google.com',
    doc: 'Issuers whose ID tokens the id_token grant accepts, each with the audiences its tokens may be for; without any, only the client ids of the provider that has this issuer count.',
    example: 'https://login.example.com;my-app,my-other-app',
  },
  externalOidcProviderCacheTtlSeconds: {
    variable: 'EXTERNAL_OIDC_PROVIDER_CACHE_TTL',
    kind: 'duration',
    default: '1h',
    doc: 'How long the discovery document of an issuer is cached; the old one is used as long as no new one is available.',
    example: '10m',
  },
  externalFlowStateExpirySeconds: {
    variable: 'EXTERNAL_FLOW_STATE_EXPIRY_DURATION',
    kind: 'duration',
    default: '300s',
    doc: 'How long a PKCE code may be exchanged; less than 5 minutes counts as 5 minutes.',
    example: '10m',
  },
  internalHttpTimeoutSeconds: {
    variable: 'INTERNAL_HTTP_TIMEOUT',
    kind: 'duration',
    positive: true,
    default: '10s',
    doc: 'Longest time a call to an identity provider or SMS gateway may take.',
    example: '5s',
  },
  customOauthEnabled: {
    variable: 'CUSTOM_OAUTH_ENABLED',
    kind: 'bool',
    default: 'true',
    doc: 'Identity providers that administrators add through `/admin/custom-providers`.',
    example: 'false',
  },
  customOauthMaxProviders: {
    variable: 'CUSTOM_OAUTH_MAX_PROVIDERS',
    kind: 'int',
    min: 0,
    max: 1_000_000,
    default: '0',
    doc: 'How many of them there may be, without those of organizations; 0: any number.',
    example: '20',
  },
  customOauthExternalUrl: {
    variable: 'CUSTOM_OAUTH_EXTERNAL_URL',
    kind: 'url',
    base: true,
    default: '',
    doc: 'Base of the redirect URI of those providers; empty means API_EXTERNAL_URL.',
    example: 'https://login.example.com',
  },
  outboundPrivateHosts: {
    variable: 'OUTBOUND_PRIVATE_HOSTS',
    notStored: 'it decides what of its own network the server may reach',
    kind: 'list',
    default: '',
    doc: 'Hosts in your own network that addresses set through the admin API may name, as the URL spells them. All others must be on the public internet.',
    example: 'keycloak.internal,10.0.0.7',
  },
  experimentalProvidersWithOwnLinkingDomain: {
    variable: 'EXPERIMENTAL_PROVIDERS_WITH_OWN_LINKING_DOMAIN',
    kind: 'list',
    default: '',
    doc: 'Providers whose accounts are never linked to others by email; EXPERIMENTAL_PROVIDER_LINKING_DOMAINS wins over it.',
    example: 'keycloak',
  },
  experimentalProviderLinkingDomains: {
    variable: 'EXPERIMENTAL_PROVIDER_LINKING_DOMAINS',
    kind: 'domains',
    default: '',
    doc: 'Linking domain of each listed provider: accounts are linked by email within a domain only. All others are in the domain default.',
    example: 'github=social,custom:acme=social,keycloak=staff',
  },
} as const satisfies Section;

/**
 * Providers by name (docs/decisions.md, Provider list): the value of `provider` and, in capitals, the X of EXTERNAL_X_.
 */
export const providerNames = [
  'apple',
  'azure',
  'bitbucket',
  'discord',
  'facebook',
  'figma',
  'fly',
  'github',
  'gitlab',
  'google',
  'kakao',
  'keycloak',
  'linkedin',
  'linkedin_oidc',
  'notion',
  'snapchat',
  'spotify',
  'slack',
  'slack_oidc',
  'twitch',
  'twitter',
  'workos',
  'x',
  'zoom',
] as const;

export type ProviderName = (typeof providerNames)[number];

/** The settings of one provider. All honour the URL; gitlab and keycloak describe it differently. */
export const providerFields = {
  enabled: { kind: 'bool', default: 'false' },
  clientIds: { kind: 'list', default: '' },
  secret: { kind: 'text', default: '' },
  redirectUri: { kind: 'url', anyScheme: true, default: '' },
  url: { kind: 'url', base: true, default: '' },
  emailOptional: { kind: 'bool', default: 'false' },
  skipNonceCheck: { kind: 'bool', default: 'false' },
} as const;

export type ProviderField = keyof typeof providerFields;

/** The rows of one provider. */
export function providerSettings(name: ProviderName): Record<ProviderField, Setting> {
  const prefix = `EXTERNAL_${name.toUpperCase()}`;
  return {
    enabled: {
      ...providerFields.enabled,
      variable: `${prefix}_ENABLED`,
      doc: `Users may sign in with ${name}.`,
      example: 'true',
    },
    clientIds: {
      ...providerFields.clientIds,
      variable: `${prefix}_CLIENT_ID`,
      doc: `Client id at ${name}, required when it is enabled; of several, the first is used for sign-in and all are accepted in ID tokens.`,
      example: 'my-client-id',
    },
    secret: {
      ...providerFields.secret,
      variable: `${prefix}_SECRET`,
      secret: true,
      doc:
        name === 'apple'
          ? 'Client secret at apple, needed when it is enabled: a signed secret, or the private key (.p8) to sign secrets with.'
          : `Client secret at ${name}, required when it is enabled.`,
      example: 'CLIENT-SECRET',
    },
    redirectUri: {
      ...providerFields.redirectUri,
      variable: `${prefix}_REDIRECT_URI`,
      doc: `Where ${name} redirects users to, required when it is enabled: normally API_EXTERNAL_URL and /callback.`,
      example: 'https://auth.example.com/callback',
    },
    url: {
      ...providerFields.url,
      ofOwners: true,
      variable: `${prefix}_URL`,
      doc:
        name === 'keycloak'
          ? 'Address of your realm; keycloak cannot be used without it.'
          : `Base URL of ${name} for authorization, token and user requests; empty means its public hosts.`,
      example:
        name === 'keycloak'
          ? 'https://keycloak.example.com/realms/main'
          : `https://${name.replaceAll('_', '-')}.example.com`,
    },
    emailOptional: {
      ...providerFields.emailOptional,
      variable: `${prefix}_EMAIL_OPTIONAL`,
      doc: `Admits users of ${name} without an email address.`,
      example: 'true',
    },
    skipNonceCheck: {
      ...providerFields.skipNonceCheck,
      variable: `${prefix}_SKIP_NONCE_CHECK`,
      doc: `Accepts ID tokens of ${name} in the id_token grant without comparing the nonce.`,
      example: 'true',
    },
  };
}
