import { join } from 'node:path';
import { ConfigError, type Environment, loadConfig } from '../../src/server/config/load.js';
import { allSettings } from '../../src/server/config/settings.js';
import { samlPrivateKey } from '../support/saml-keys.js';
import { t } from '../support/tap.js';
import { words } from '../support/words.js';

const required = {
  AUTH_SITE_URL: 'https://app.example.com',
  AUTH_API_EXTERNAL_URL: 'https://auth.example.com/',
  AUTH_DB_DRIVER: 'postgres',
  DATABASE_URL: 'postgres://u:p@localhost/db',
  AUTH_JWT_SECRET: 'x'.repeat(32),
  AUTH_SMTP_HOST: 'localhost',
  AUTH_SMTP_ADMIN_EMAIL: 'no-reply@example.com',
};

const encryption = {
  AUTH_SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY_ID: 'k1',
  AUTH_SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64url'),
};

const relyingParty = {
  AUTH_WEBAUTHN_RP_ID: 'example.com',
  AUTH_WEBAUTHN_RP_DISPLAY_NAME: 'Example',
  AUTH_WEBAUTHN_RP_ORIGINS: 'https://example.com',
};

const load = (environment: Environment = {}, file: string | null = null) =>
  loadConfig({ environment: { ...required, ...environment }, file });

function faultsOf(environment: Environment, file: string | null = null) {
  try {
    loadConfig({ environment, file });
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

const messages = (environment: Environment, file: string | null = null) =>
  load(environment, file).notices.map(({ message }) => message);

t.test('required settings only: every other has its default, without a notice', async (t) => {
  const { config, notices, sources } = load();
  t.same(notices, []);
  t.equal(config.port, 8081);
  t.equal(config.jwtExpiresInSeconds, 3600);
  t.equal(config.jwtAudience, 'authenticated');
  t.equal(config.jwtDefaultGroupName, 'authenticated');
  t.same(config.jwtAdminRoles, ['service_role', 'supabase_admin']);
  t.equal(config.refreshTokenRotationEnabled, true);
  t.equal(config.refreshTokenReuseIntervalSeconds, 10);
  t.equal(config.mailerOtpExpSeconds, 86400);
  t.equal(config.smsOtpExpSeconds, 60);
  t.same(config.rateLimitEmailSent, { count: 30, refillSeconds: null });
  t.equal(config.smtpMaxFrequencySeconds, null, 'unset is distinct: 900 s and 60 s by kind');
  t.equal(config.externalEmailEnabled, true);
  t.equal(config.externalPhoneEnabled, false);
  t.equal(config.mails.confirmation.subject, 'Confirm Your Signup');
  t.equal(config.smtpSenderName, 'no-reply@example.com', 'the sender name defaults to the address');
  t.equal(config.apiExternalUrl, 'https://auth.example.com', 'paths are appended to it');
  t.equal(config.providers.github.enabled, false);
  t.equal(Object.keys(config.providers).length, 24);
  t.same(sources.get('port'), { origin: 'default', name: 'PORT', label: 'default' });
  t.same(sources.get('databaseUrl'), {
    origin: 'environment',
    name: 'DATABASE_URL',
    label: 'environment',
    text: config.databaseUrl,
  });
});

t.test('the configuration is frozen plain data that can be sent to a thread', async (t) => {
  const { config } = load({ AUTH_EXTERNAL_GITHUB_CLIENT_ID: 'a,b' });
  t.same(structuredClone(config), config);
  t.throws(() => Object.assign(config, { port: 1 }), TypeError);
  t.throws(() => Object.assign(config.providers.github, { enabled: true }), TypeError);
  t.throws(() => (config.jwtAdminRoles as string[]).push('other'), TypeError);
});

t.test('a cluster has no replica', async (t) => {
  const cluster = { ...required, AUTH_DB_CITUS: 'true' };
  t.equal(loadConfig({ environment: cluster, file: null }).config.dbCitus, true);
  const both = { ...cluster, AUTH_DB_REPLICA_URL: 'postgres://replica/latchkey' };
  t.throws(
    () => loadConfig({ environment: both, file: null }),
    /AUTH_DB_REPLICA_URL cannot be combined with AUTH_DB_CITUS/,
  );
});

t.test('every variable reaches its key', async (t) => {
  for (const { path, setting } of allSettings) {
    if (setting.example === '' || setting.variable === 'MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS') continue;
    const name = `GOTRUE_${setting.variable}`;
    const environment: Record<string, string> = { ...required, AUTH_SECURITY_CAPTCHA_SECRET: 's' };
    for (const other of [...(setting.unprefixed ?? []), `AUTH_${setting.variable}`]) delete environment[other];
    if (/^HOOK_\w+_ENABLED$/.test(setting.variable)) {
      environment[`AUTH_${setting.variable.replace('_ENABLED', '_URI')}`] = 'https://hooks.example.com';
    }
    if (setting.variable === 'WEBHOOKS_URL') environment['AUTH_WEBHOOKS_SECRETS'] = `v1,whsec_${'x'.repeat(44)}`;
    if (setting.variable === 'SECURITY_DB_ENCRYPTION_ENCRYPT') Object.assign(environment, encryption);
    if (/^PASSKEY_ENABLED$|^MFA_WEB_AUTHN_/.test(setting.variable)) Object.assign(environment, relyingParty);
    if (setting.variable === 'SAML_ENABLED') environment['AUTH_SAML_PRIVATE_KEY'] = samlPrivateKey();
    if (/^SMS_NOTIFICATIONS_/.test(setting.variable)) environment['AUTH_SMS_PROVIDER'] = 'log';
    environment[name] = setting.example;
    const { sources } = loadConfig({ environment, file: null });
    t.equal(sources.get(path.join('.'))?.name, name);
  }
});

t.test('names: unprefixed where there is such a name, then AUTH_, then the aliases, then GOTRUE_', async (t) => {
  const inOrder = (
    names: readonly string[],
    values: readonly string[],
    read: (environment: Environment) => unknown,
  ) => {
    const base: Record<string, string | undefined> = { DATABASE_URL: undefined, AUTH_API_EXTERNAL_URL: undefined };
    for (let first = 0; first < names.length; first++) {
      const environment = { ...base };
      if (!names.includes('DATABASE_URL')) environment['DATABASE_URL'] = required.DATABASE_URL;
      if (!names.includes('AUTH_API_EXTERNAL_URL')) environment['AUTH_API_EXTERNAL_URL'] = 'https://a.example';
      names.slice(first).forEach((name, i) => {
        environment[name] = values[first + i]!;
      });
      t.equal(String(read(environment)), values[first], `${names[first]} comes first`);
    }
  };
  inOrder(['PORT', 'AUTH_API_PORT', 'AUTH_PORT', 'GOTRUE_API_PORT'], ['1', '2', '3', '4'], (e) => load(e).config.port);
  inOrder(
    ['LOG_LEVEL', 'AUTH_LOG_LEVEL', 'GOTRUE_LOG_LEVEL'],
    ['warn', 'debug', 'error'],
    (e) => load(e).config.logLevel,
  );
  inOrder(
    ['DATABASE_URL', 'AUTH_DB_DATABASE_URL', 'AUTH_DATABASE_URL', 'GOTRUE_DB_DATABASE_URL'],
    ['postgres://1', 'postgres://2', 'postgres://3', 'postgres://4'],
    (e) => load(e).config.databaseUrl,
  );
  inOrder(
    ['AUTH_API_EXTERNAL_URL', 'API_EXTERNAL_URL', 'GOTRUE_API_API_EXTERNAL_URL', 'GOTRUE_API_EXTERNAL_URL'],
    ['https://1.example', 'https://2.example', 'https://3.example', 'https://4.example'],
    (e) => load(e).config.apiExternalUrl,
  );
  inOrder(
    ['AUTH_DB_NAMESPACE', 'DB_NAMESPACE', 'GOTRUE_DB_DB_NAMESPACE', 'GOTRUE_DB_NAMESPACE'],
    ['a', 'b', 'c', 'd'],
    (e) => load(e).config.dbNamespace,
  );
  inOrder(
    ['AUTH_REQUEST_ID_HEADER', 'AUTH_API_REQUEST_ID_HEADER', 'REQUEST_ID_HEADER', 'GOTRUE_REQUEST_ID_HEADER'],
    ['X-1', 'X-2', 'X-3', 'X-4'],
    (e) => load(e).config.requestIdHeader,
  );
});

t.test('an empty value counts as unset, and the next name is used', async (t) => {
  const { config } = load({ PORT: '', AUTH_API_PORT: '99', AUTH_DISABLE_SIGNUP: '', AUTH_SESSIONS_TIMEBOX: '' });
  t.equal(config.port, 99);
  t.equal(config.disableSignup, false);
  t.equal(config.sessionsTimeboxSeconds, null);
});

t.test('the environment takes precedence over the file, under any name', async (t) => {
  const file = join(
    t.testdir({ settings: 'PORT=1000\nAUTH_JWT_AUD=file\nAUTH_JWT_ISSUER=file\nAUTH_JWT_KEY_ID=file\n' }),
    'settings',
  );
  const { config, sources } = load({ GOTRUE_API_PORT: '2000', AUTH_JWT_AUD: 'env', AUTH_JWT_KEY_ID: '' }, file);
  t.equal(config.port, 2000, 'the last name in the environment beats the first one in the file');
  t.equal(config.jwtAudience, 'env');
  t.equal(config.jwtIssuer, 'file');
  t.equal(config.jwtKeyId, 'file', 'empty in the environment is unset');
  t.same(sources.get('jwtIssuer'), { origin: 'file', name: 'AUTH_JWT_ISSUER', label: file, text: 'file', line: 3 });
});

t.test('a named file must exist and be valid', async (t) => {
  const dir = t.testdir({ bad: 'AUTH_JWT_AUD=x\nwhat is this\n', values: "AUTH_SMTP_PORT='many'\n" });
  t.match(faultsOf(required, join(dir, 'none')), [{ problem: /does not exist/ }]);
  t.match(faultsOf(required, dir), [{ problem: /is a directory/ }]);
  t.match(faultsOf(required, join(dir, 'bad')), [{ variable: `${join(dir, 'bad')} line 2`, problem: /NAME=value/ }]);
  t.match(faultsOf(required, join(dir, 'values')), [
    { variable: 'AUTH_SMTP_PORT', problem: /whole number \(in .*values\)/ },
  ]);
});

t.test('a dollar sign that removed part of a value is reported', async (t) => {
  const file = join(t.testdir({ settings: 'AUTH_SMTP_PASS=abc$hidden\n' }), 'settings');
  const notices = messages({}, file);
  t.match(notices, [/AUTH_SMTP_PASS .* line 1\) refers with \$/]);
  t.notMatch(notices.join(), /hidden/, 'what follows the dollar may be part of a secret');
});

t.test('a secret can be read from its own file', async (t) => {
  const dir = t.testdir({ secret: `${'s'.repeat(40)}\n`, spaced: ' a \n\n', crlf: 'abc\r\n', empty: '\n', sub: {} });
  const read = (name: string, path: string) => load({ AUTH_JWT_SECRET: '', [name]: path }).config.jwtSecret;
  t.equal(read('AUTH_JWT_SECRET_FILE', join(dir, 'secret')), 's'.repeat(40));
  t.equal(read('GOTRUE_JWT_SECRET_FILE', join(dir, 'secret')), 's'.repeat(40), 'aliases too');
  t.equal(read('AUTH_JWT_SECRET_FILE', join(dir, 'spaced')), ' a \n', 'one newline is cut and nothing else');
  t.equal(read('AUTH_JWT_SECRET_FILE', join(dir, 'crlf')), 'abc');
  t.equal(
    load({ AUTH_JWT_SECRET_FILE: join(dir, 'secret'), AUTH_JWT_SECRET: '' }).sources.get('jwtSecret')?.name,
    'AUTH_JWT_SECRET_FILE',
  );
  const faulty = (path: string) => faultsOf({ ...required, AUTH_JWT_SECRET: '', AUTH_JWT_SECRET_FILE: path });
  t.match(faulty(join(dir, 'none')), [{ variable: 'AUTH_JWT_SECRET_FILE', problem: /does not exist/ }]);
  t.match(faulty(join(dir, 'sub')), [{ problem: /is a directory/ }]);
  t.match(faulty(join(dir, 'empty')), [{ problem: /is empty/ }]);
  t.equal(faulty('not-a-path-but-a-secret').length, 1, 'one fault, not a second one for the missing secret');
  t.match(faultsOf({ ...required, AUTH_JWT_SECRET_FILE: join(dir, 'secret') }), [
    { variable: 'AUTH_JWT_SECRET', problem: /AUTH_JWT_SECRET_FILE: keep one/ },
  ]);
  t.match(messages({ AUTH_SITE_URL_FILE: '/x' }), [/AUTH_SITE_URL_FILE is ignored: only secrets/]);
});

t.test('all faults are reported at once, each with its name and an example', async (t) => {
  const faults = faultsOf({
    AUTH_SITE_URL: 'nonsense',
    PORT: 'eighty',
    AUTH_DB_DRIVER: 'mysql',
    AUTH_DB_NAMESPACE: 'a; drop table users',
    AUTH_MAILER_AUTOCONFIRM: 'true',
    AUTH_MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS: 'true',
    AUTH_SECURITY_CAPTCHA_ENABLED: 'true',
    AUTH_URI_ALLOW_LIST: 'https://[a.example',
    AUTH_SESSIONS_TIMEBOX: '0',
    GOTRUE_EXTERNAL_GITHUB_ENABLED: 'yes',
  });
  t.same(
    faults.map(({ variable }) => variable).sort(),
    words(`
    AUTH_API_EXTERNAL_URL AUTH_DB_DRIVER AUTH_DB_NAMESPACE AUTH_JWT_SECRET AUTH_MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS
    AUTH_SECURITY_CAPTCHA_SECRET AUTH_SESSIONS_TIMEBOX AUTH_SITE_URL AUTH_URI_ALLOW_LIST DATABASE_URL
    GOTRUE_EXTERNAL_GITHUB_ENABLED PORT
  `),
  );
  const text = new ConfigError(faults).message;
  t.match(text, /^The configuration has 12 faults:\n/);
  t.match(text, /AUTH_API_EXTERNAL_URL is missing\. Example: AUTH_API_EXTERNAL_URL=https:/);
  t.match(text, /PORT must be a whole number\. Example: PORT=9999/);
});

t.test('values out of range are clamped, with a notice', async (t) => {
  const environment = {
    AUTH_PASSWORD_MIN_LENGTH: '3',
    AUTH_MAILER_OTP_LENGTH: '4',
    AUTH_SMS_OTP_LENGTH: '11',
    AUTH_EXTERNAL_FLOW_STATE_EXPIRY_DURATION: '10s',
    AUTH_JWT_EXP: '0',
    AUTH_SMS_TEST_OTP: '+1 555 0100:123456',
  };
  const { config } = load(environment);
  t.equal(config.passwordMinLength, 6);
  t.equal(config.mailerOtpLength, 6);
  t.equal(config.smsOtpLength, 6);
  t.equal(config.externalFlowStateExpirySeconds, 300);
  t.equal(config.jwtExpiresInSeconds, 3600);
  t.same(config.smsTestOtp, { '15550100': '123456' });
  t.match(messages(environment).sort(), [
    /AUTH_EXTERNAL_FLOW_STATE_EXPIRY_DURATION is under 5 minutes/,
    /AUTH_MAILER_OTP_LENGTH is not between 6 and 10/,
    /AUTH_PASSWORD_MIN_LENGTH is under 6/,
    /AUTH_SMS_OTP_LENGTH is not between 6 and 10/,
  ]);
});

t.test('an explicit zero is kept where it means something', async (t) => {
  const { config } = load({
    AUTH_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL: '0',
    AUTH_SMTP_MAX_FREQUENCY: '0',
    AUTH_DB_MAX_POOL_SIZE: '0',
    AUTH_RATE_LIMIT_EMAIL_SENT: '0',
  });
  t.equal(config.refreshTokenReuseIntervalSeconds, 0);
  t.equal(config.smtpMaxFrequencySeconds, 0);
  t.equal(config.dbMaxPoolSize, 0);
  t.same(config.rateLimitEmailSent, { count: 0, refillSeconds: null });
});

t.test('incomplete settings are reported, and the server starts', async (t) => {
  t.match(messages({ AUTH_JWT_SECRET: 'short' }), [/AUTH_JWT_SECRET is shorter than 32 bytes/]);
  t.same(messages({ AUTH_JWT_SECRET: 'é'.repeat(16) }), [], 'bytes are counted, not characters');
  t.match(messages({ AUTH_SMTP_HOST: '' }), [/AUTH_SMTP_HOST is unset: no mail/]);
  t.same(messages({ AUTH_SMTP_HOST: '', AUTH_MAILER_AUTOCONFIRM: 'true' }), []);
  const both = { AUTH_OAUTH_SERVER_ENABLED: 'true', AUTH_SMS_AUTOCONFIRM: 'true', AUTH_MAILER_AUTOCONFIRM: 'true' };
  const claims = [/^AUTH_MAILER_AUTOCONFIRM .* see email_verified false/, /^AUTH_SMS_AUTOCONFIRM .* number/];
  t.match(
    messages(both).filter((message) => message.includes('AUTOCONFIRM')),
    claims,
  );
  t.match(messages({ AUTH_SMTP_ADMIN_EMAIL: '' }), [/AUTH_SMTP_ADMIN_EMAIL is missing/]);
  t.match(messages({ AUTH_EXTERNAL_PHONE_ENABLED: 'true' }), [/AUTH_SMS_PROVIDER is unset/]);
  t.match(messages({ AUTH_SMS_PROVIDER: 'vonage', AUTH_SMS_VONAGE_FROM: 'x' }), [
    /cannot send without AUTH_SMS_VONAGE_API_KEY, AUTH_SMS_VONAGE_API_SECRET\./,
  ]);
  t.match(messages({ AUTH_JWT_PREVIOUS_SECRETS_VALID_UNTIL: '2030-01-01T00:00:00Z' }), [/has no effect/]);
  t.match(messages({ AUTH_EXTERNAL_KEYCLOAK_ENABLED: 'true', AUTH_EXTERNAL_KEYCLOAK_CLIENT_ID: 'x' }), [
    /keycloak fails without AUTH_EXTERNAL_KEYCLOAK_SECRET, AUTH_EXTERNAL_KEYCLOAK_REDIRECT_URI, AUTH_EXTERNAL_KEYCLOAK_URL/,
  ]);
});

t.test('deprecated, unknown and overridden variables are reported', async (t) => {
  t.match(messages({ AUTH_OPERATOR_TOKEN: 'tok' }), [/AUTH_OPERATOR_TOKEN is deprecated: multi-instance/]);
  t.match(messages({ GOTRUE_API_ENDPOINT: 'x' }), [/GOTRUE_API_ENDPOINT is deprecated/]);
  t.match(messages({ AUTH_JWT_ADMIN_GROUP_NAME: 'x' }), [/is deprecated: group information/]);
  t.match(messages({ AUTH_SITEURL: 'x' }), [/AUTH_SITEURL is not a setting; did you mean AUTH_SITE_URL\?/]);
  t.match(messages({ AUTH_JWT_EPX: 'x' }), [/did you mean AUTH_JWT_EXP\?/]);
  t.match(messages({ GOTRUE_MAILER_AUTOCONFRIM: 'x' }), [/did you mean AUTH_MAILER_AUTOCONFIRM\?/]);
  t.match(messages({ GOTRUE_MAILER_EMAIL_BACKGROUND_SENDING: 'true' }), [/the outbox always sends in the background/]);
  t.match(messages({ AUTH_EXTERNAL_VERCEL_MARKETPLACE_ENABLED: 'true' }), [/the provider is not offered/]);
  t.match(messages({ GOTRUE_EXTERNAL_SLACK_OIDC_API_URL: 'x' }), [/the provider’s _URL serves for it/]);
  t.same(messages({ AUTH_TOKEN: 'of another program', AUTHOR: 'x' }), [], 'what is like nothing of ours is left alone');
  t.match(messages({ PORT: '1', AUTH_API_PORT: '2' }), [/AUTH_API_PORT is ignored: PORT is set too/]);
  t.same(messages({ PORT: '1', AUTH_API_PORT: '1' }), [], 'saying the same thing twice is no contradiction');
});

t.test('what a command fills in is no notice; the same value in the environment is', async (t) => {
  const on = { AUTH_MAILER_AUTOCONFIRM: 'true', AUTH_OAUTH_SERVER_ENABLED: 'true' };
  const aboutAutoconfirm = (given: Parameters<typeof loadConfig>[0]) =>
    loadConfig(given).notices.filter(({ variable }) => variable === 'AUTH_MAILER_AUTOCONFIRM').length;
  t.equal(aboutAutoconfirm({ environment: required, fallback: on }), 0);
  t.equal(aboutAutoconfirm({ environment: { ...required, ...on } }), 1);
  t.equal(aboutAutoconfirm({ environment: { ...required, AUTH_MAILER_AUTOCONFIRM: 'true' }, fallback: on }), 1);
});
