import { passkeySettings } from './passkeys.js';
import { samlPrivateKey } from './saml-keys.js';

/** Switches on every endpoint that is off by default. */
export const everyFeature = {
  ...passkeySettings,
  EXTERNAL_WEB3_ETHEREUM_ENABLED: 'true',
  EXTERNAL_WEB3_SOLANA_ENABLED: 'true',
  OAUTH_SERVER_ENABLED: 'true',
  OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION: 'true',
  OAUTH_SERVER_DEVICE_GRANT_ENABLED: 'true',
  OAUTH_SERVER_DEVICE_PATH: '/device',
  ORGANIZATIONS_ENABLED: 'true',
  SAML_ENABLED: 'true',
  SAML_PRIVATE_KEY: samlPrivateKey(),
  SCIM_ENABLED: 'true',
};
