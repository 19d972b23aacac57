/** What `latchkey dev` fills in where the user has set nothing. */
import { keepSamlKey } from '../../../dev/identity-provider/index.js';
import { keepSecret, keepText } from '../../../dev/kept-secret.js';
import { type ConfigSources, type Environment, loadConfig } from '../../config/load.js';
import { describeTokenKey, generateTokenKey } from '../../keys/generate.js';
import { secretTokenKey } from '../../keys/stored-keys.js';
import { findConsolePort, reservePort } from './ports.js';

/** Where most applications in development are: their pages may use passkeys. */
const APPLICATION_ORIGIN = 'http://localhost:3000';

/** Required settings and conveniences for development. */
const developmentSettings = {
  AUTH_DB_DRIVER: 'postgres',
  // Applications of this machine, whatever their port.
  AUTH_URI_ALLOW_LIST: 'http://localhost:*/**',
  AUTH_API_HOST: '127.0.0.1',
  AUTH_MAILER_AUTOCONFIRM: 'true',
  AUTH_SMS_AUTOCONFIRM: 'true',
  AUTH_EXTERNAL_PHONE_ENABLED: 'true',
  AUTH_EXTERNAL_ANONYMOUS_USERS_ENABLED: 'true',
  AUTH_SMS_PROVIDER: 'log',
  AUTH_PASSWORD_COMMON_LIST: 'true',
  AUTH_PAGES_ENABLED: 'true',
  AUTH_PAGES_NAME: 'Latchkey',
  // The relying party is this machine, whose pages may use passkeys and security keys without TLS.
  AUTH_PASSKEY_ENABLED: 'true',
  AUTH_MFA_WEB_AUTHN_ENROLL_ENABLED: 'true',
  AUTH_MFA_WEB_AUTHN_VERIFY_ENABLED: 'true',
  AUTH_MFA_PHONE_ENROLL_ENABLED: 'true',
  AUTH_MFA_PHONE_VERIFY_ENABLED: 'true',
  AUTH_WEBAUTHN_RP_ID: 'localhost',
  AUTH_WEBAUTHN_RP_DISPLAY_NAME: 'Latchkey',
  AUTH_OAUTH_SERVER_ENABLED: 'true',
  AUTH_OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION: 'true',
  AUTH_OAUTH_SERVER_DEVICE_GRANT_ENABLED: 'true',
  AUTH_OAUTH_SERVER_CLIENT_CREDENTIALS_ENABLED: 'true',
  AUTH_ORGANIZATIONS_ENABLED: 'true',
  AUTH_SCIM_ENABLED: 'true',
  // The page shows who invites, and signs in.
  AUTH_MAILER_URLPATHS_ORGANIZATION_INVITE: '/ui/link',
  // Receivers of webhooks and hooks run on the same machine.
  AUTH_OUTBOUND_PRIVATE_HOSTS: 'localhost,127.0.0.1',
  AUTH_SAML_ENABLED: 'true',
  // No one receives these messages.
  AUTH_SMTP_MAX_FREQUENCY: '1',
  AUTH_SMS_MAX_FREQUENCY: '1',
};

/**
 * Settings that contain the address of the API.
 * @param externalUrl AUTH_API_EXTERNAL_URL where it is given
 */
function settingsOfPort(port: number, externalUrl?: string) {
  const ownUrl = `http://localhost:${port}`;
  return {
    AUTH_API_EXTERNAL_URL: ownUrl,
    // APIs check it, as in production.
    AUTH_JWT_ISSUER: externalUrl ?? ownUrl,
    // Until there is an application, the start page: who signs in without redirect_to does not end at a dead address.
    AUTH_SITE_URL: ownUrl,
    // Pages of the application, and the hosted ones.
    AUTH_WEBAUTHN_RP_ORIGINS: `${APPLICATION_ORIGIN},${ownUrl}`,
  };
}

/**
 * Fills in all settings but the database, and finds the ports that they contain.
 * @param directory where a generated secret and key are kept
 * @returns the sources of the settings, with what is filled in, and where each value comes from
 * @throws ConfigError with all faults, before a database is started; ListenError when the port is taken
 */
export async function fillIn(given: ConfigSources, directory: string) {
  const secret = keepSecret(directory);
  const fallback = {
    ...developmentSettings,
    AUTH_JWT_SECRET: secret,
    AUTH_SAML_PRIVATE_KEY: await keepSamlKey(directory),
  };
  const { sources, config } = loadConfig({
    ...given,
    fallback: { ...fallback, ...settingsOfPort(1), DATABASE_URL: 'postgres://127.0.0.1/latchkey' },
  });
  const isGiven = (path: string) => !['fallback', 'default'].includes(sources.get(path)!.origin);
  // A user who has chosen keys, or a secret that other services share, keeps what signs.
  const isKeyGiven = ['jwtSecret', 'jwtKeys', 'jwtKeysSource', 'jwtValidMethods'].some(isGiven);
  const port = await reservePort(config);
  const consolePort = isGiven('consolePort') ? undefined : await findConsolePort({ ...config, port });
  const filledIn: Environment = {
    ...fallback,
    ...settingsOfPort(port, isGiven('apiExternalUrl') ? config.apiExternalUrl : undefined),
    ...(!isKeyGiven && { AUTH_JWT_KEYS: keepTokenKeys(directory, secret) }),
    ...(consolePort !== undefined && { AUTH_CONSOLE_PORT: String(consolePort) }),
  };
  // The chosen port takes the place of the 0 that asked for one.
  const environment = { ...given.environment, ...(config.port === 0 && { [sources.get('port')!.name]: String(port) }) };
  return { filled: { ...given, environment, fallback: filledIn }, sources };
}

/** An ES256 key signs, since ID tokens need one; the secret still verifies what it has signed. @returns AUTH_JWT_KEYS */
function keepTokenKeys(directory: string, jwtSecret: string): string {
  const make = () => JSON.stringify(describeTokenKey(generateTokenKey('ES256', null)));
  const earlier = describeTokenKey({ ...secretTokenKey({ jwtSecret, jwtKeyId: '' }), signs: false });
  return JSON.stringify([JSON.parse(keepText(directory, 'signing-key.json', make)), earlier]);
}
