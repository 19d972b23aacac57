/** The forms of what applications see: addresses, the OAuth server, providers, the look of the pages. */
import { CUSTOM_PROVIDER_SECTION, PROVIDER_SECTION, providerNames } from '../../config/settings.js';
import { type Form, type FormGroup, single } from './setting-form.js';

export const addressesForm: Form = single(
  {
    title: 'Your site',
    settings: {
      SITE_URL: 'Site',
      URI_ALLOW_LIST: 'Further redirect targets',
      EXTERNAL_REDIRECTURL: 'After a provider always to',
    },
  },
  {
    title: 'This server',
    settings: { API_EXTERNAL_URL: 'Public address', CORS_ALLOWED_HEADERS: 'Further request headers of browsers' },
  },
  {
    title: 'Links in mails',
    about: 'Paths on the public address of this server.',
    beginnings: ['MAILER_URLPATHS_'],
    isFolded: true,
  },
);

export const oauthServerForm: Form = single(
  {
    title: 'OAuth server',
    settings: {
      OAUTH_SERVER_ENABLED: 'Applications sign users in with this server',
      OAUTH_SERVER_AUTHORIZATION_PATH: 'Own consent page',
      OAUTH_SERVER_CLIENT_TOKENS_MANAGE_ACCOUNT: 'Client tokens may change the account',
    },
    sections: ['OAuth server'],
  },
  {
    title: 'Registration of clients',
    settings: {
      OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION: 'Clients register themselves',
      OAUTH_SERVER_REGISTRATION_TOKEN: 'Token they need',
      OAUTH_SERVER_DYNAMIC_CLIENT_TTL: 'Removed without use after',
      OAUTH_SERVER_CLIENT_ID_METADATA_ENABLED: 'Clients by the address of a document',
      OAUTH_SERVER_CLIENT_ID_METADATA_HOSTS: 'Hosts of these documents',
    },
    beginnings: ['OAUTH_SERVER_CLIENT_ID_METADATA_'],
  },
  {
    title: 'Scopes and resources',
    settings: {
      OAUTH_SERVER_SCOPES: 'Own scopes',
      OAUTH_SERVER_DEFAULT_SCOPE: 'Without a scope',
      OAUTH_SERVER_UNKNOWN_SCOPES: 'Unknown scopes',
      OAUTH_SERVER_RESOURCES: 'Resources',
    },
  },
  {
    title: 'Codes and tokens',
    settings: {
      OAUTH_SERVER_AUTHORIZATION_TTL: 'A request waits for',
      OAUTH_SERVER_CODE_TTL: 'A code is valid for',
      OAUTH_SERVER_REFRESH_TOKEN_TTL: 'Refreshed at most for',
      OAUTH_SERVER_REFRESH_TOKEN_IDLE_TTL: 'Ends without a refresh after',
      OAUTH_SERVER_OFFLINE_ACCESS_REQUIRED: 'Refresh tokens only with offline_access',
      OAUTH_SERVER_REQUIRE_PAR: 'Requests are pushed first',
      OAUTH_SERVER_DPOP_NONCE_REQUIRED: 'DPoP proofs need a nonce',
      OAUTH_SERVER_PAIRWISE_SALT: 'Secret of pairwise subjects',
    },
  },
  {
    title: 'Devices and machines',
    settings: {
      OAUTH_SERVER_DEVICE_GRANT_ENABLED: 'Devices without a browser',
      OAUTH_SERVER_DEVICE_CODE_TTL: 'Their codes are valid for',
      OAUTH_SERVER_DEVICE_INTERVAL: 'They ask every',
      OAUTH_SERVER_DEVICE_PATH: 'Own page for their codes',
      OAUTH_SERVER_CLIENT_CREDENTIALS_ENABLED: 'Clients get tokens for themselves',
      OAUTH_SERVER_MACHINE_ROLES: 'Roles of these tokens',
    },
    beginnings: ['OAUTH_SERVER_DEVICE_'],
  },
);

const providerGroup = (name: string): FormGroup => ({
  title: name,
  beginnings: [`EXTERNAL_${name.toUpperCase()}_`],
  isFolded: true,
});

export const providersForm: Form = single(
  ...providerNames.map(providerGroup),
  {
    title: 'Own providers',
    settings: {
      CUSTOM_OAUTH_ENABLED: 'Providers that the API adds',
      CUSTOM_OAUTH_MAX_PROVIDERS: 'How many at most',
      CUSTOM_OAUTH_EXTERNAL_URL: 'Base of their redirect URI',
    },
    sections: [PROVIDER_SECTION, CUSTOM_PROVIDER_SECTION],
    beginnings: ['EXTERNAL_CUSTOM_'],
  },
  {
    title: 'All providers',
    settings: {
      EXTERNAL_ALLOWED_ID_TOKEN_ISSUERS: 'Issuers of ID tokens',
      EXTERNAL_IOS_BUNDLE_ID: 'Further audience at Apple',
      EXTERNAL_OIDC_PROVIDER_CACHE_TTL: 'Discovery is kept for',
      EXTERNAL_FLOW_STATE_EXPIRY_DURATION: 'A code is exchanged within',
      INTERNAL_HTTP_TIMEOUT: 'Longest call',
      EXPERIMENTAL_PROVIDER_LINKING_DOMAINS: 'Linking domains',
      EXPERIMENTAL_PROVIDERS_WITH_OWN_LINKING_DOMAIN: 'Providers that are never linked',
    },
    isFolded: true,
  },
);

export const lookForm: Form = single({
  title: 'Look',
  settings: {
    PAGES_NAME: 'Name of your service',
    PAGES_LOGO: 'Logo',
    PAGES_COLORS: 'Colours',
    PAGES_COLORS_DARK: 'Colours in dark mode',
    PAGES_RADIUS: 'Radius of corners',
    PAGES_FONT: 'Font',
    PAGES_LINKS: 'Links below each page',
    PAGES_TEXTS: 'Own words',
    PAGES_CAPTCHA_SITE_KEY: 'Public key of the captcha',
  },
  sections: ['Hosted pages'],
});
