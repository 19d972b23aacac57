import { readFileSync } from 'node:fs';
import { renderSettingsPage } from '../../src/server/config/docs.js';
import { renderAllSettings, renderEnvExample } from '../../src/server/config/env-example.js';
import { parseEnvFile } from '../../src/server/config/env-file.js';
import { loadConfig, parseSetting } from '../../src/server/config/load.js';
import { allSettings, mainNameOf, namesOf } from '../../src/server/config/settings.js';
import { runCommand } from '../support/run-command.js';
import { t } from '../support/tap.js';

/** Every variable that supabase/auth documents; X stands for each provider. */
const SERVICE_VARIABLES = `
SITE_URL URI_ALLOW_LIST OPERATOR_TOKEN DISABLE_SIGNUP EXTERNAL_EMAIL_ENABLED EXTERNAL_PHONE_ENABLED RATE_LIMIT_HEADER
RATE_LIMIT_EMAIL_SENT PASSWORD_MIN_LENGTH PASSWORD_REQUIRED_CHARACTERS SECURITY_REFRESH_TOKEN_ROTATION_ENABLED
SECURITY_REFRESH_TOKEN_REUSE_INTERVAL
API_HOST API_PORT API_ENDPOINT API_EXTERNAL_URL REQUEST_ID_HEADER
DB_DRIVER DB_DATABASE_URL DB_MAX_POOL_SIZE DB_NAMESPACE
LOG_LEVEL LOG_FILE TRACING_ENABLED TRACING_EXPORTER METRICS_ENABLED METRICS_EXPORTER OTEL_EXPORTER_PROMETHEUS_HOST
OTEL_EXPORTER_PROMETHEUS_PORT OTEL_RESOURCE_ATTRIBUTES DEBUG
JWT_SECRET JWT_EXP JWT_AUD JWT_ADMIN_GROUP_NAME JWT_DEFAULT_GROUP_NAME JWT_ADMIN_ROLES
EXTERNAL_X_ENABLED EXTERNAL_X_CLIENT_ID EXTERNAL_X_SECRET EXTERNAL_X_REDIRECT_URI EXTERNAL_X_URL
EXTERNAL_ANONYMOUS_USERS_ENABLED
SMTP_ADMIN_EMAIL SMTP_HOST SMTP_PORT SMTP_USER SMTP_PASS SMTP_MAX_FREQUENCY SMTP_SENDER_NAME MAILER_AUTOCONFIRM
MAILER_OTP_EXP MAILER_URLPATHS_INVITE MAILER_URLPATHS_CONFIRMATION MAILER_URLPATHS_RECOVERY MAILER_URLPATHS_EMAIL_CHANGE
MAILER_SUBJECTS_INVITE MAILER_SUBJECTS_CONFIRMATION MAILER_SUBJECTS_RECOVERY MAILER_SUBJECTS_MAGIC_LINK
MAILER_SUBJECTS_EMAIL_CHANGE MAILER_TEMPLATES_INVITE MAILER_TEMPLATES_CONFIRMATION MAILER_TEMPLATES_RECOVERY
MAILER_TEMPLATES_MAGIC_LINK MAILER_TEMPLATES_EMAIL_CHANGE
SMS_AUTOCONFIRM SMS_MAX_FREQUENCY SMS_OTP_EXP SMS_OTP_LENGTH SMS_PROVIDER
SECURITY_CAPTCHA_ENABLED SECURITY_CAPTCHA_PROVIDER SECURITY_CAPTCHA_SECRET SECURITY_CAPTCHA_TIMEOUT
SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION
`;

const PROVIDERS =
  'APPLE AZURE BITBUCKET DISCORD FACEBOOK FIGMA FLY GITHUB GITLAB GOOGLE KAKAO KEYCLOAK LINKEDIN LINKEDIN_OIDC NOTION SNAPCHAT SPOTIFY SLACK SLACK_OIDC TWITCH TWITTER WORKOS X ZOOM';

const words = (text: string) => text.trim().split(/\s+/);

t.test('every documented variable of supabase/auth is in the table, under its names', async (t) => {
  const read = new Set(allSettings.flatMap(({ setting }) => namesOf(setting)));
  for (const variable of words(SERVICE_VARIABLES)) {
    const spelled = variable.includes('_X_')
      ? words(PROVIDERS).map((x) => variable.replace('_X_', `_${x}_`))
      : [variable];
    for (const name of spelled) {
      t.ok(read.has(`AUTH_${name}`), `AUTH_${name}`);
      t.ok(read.has(`GOTRUE_${name}`), `GOTRUE_${name}`);
    }
  }
  for (const name of ['PORT', 'DATABASE_URL', 'LOG_LEVEL']) {
    const row = allSettings.find(({ setting }) => mainNameOf(setting) === name);
    t.equal(row && namesOf(row.setting)[0], name, `${name} is read unprefixed first`);
  }
});

t.test('every row has a one-sentence description, and its example and default are valid', async (t) => {
  for (const { setting } of allSettings) {
    t.match(setting.doc, /^[A-Z/].{15,}\.$/s, setting.variable);
    t.notMatch(setting.doc, /\. [A-Z].*\. [A-Z]/, `${setting.variable} is short`);
    if (setting.example !== '') t.ok('value' in parseSetting(setting, setting.example), `${setting.variable} example`);
    if (setting.default) t.ok('value' in parseSetting(setting, setting.default), `${setting.variable} default`);
  }
});

t.test('no two rows read the same name', async (t) => {
  const names = allSettings.flatMap(({ setting }) => namesOf(setting));
  t.same(
    names.filter((name, i) => names.indexOf(name) !== i),
    [],
  );
});

const committed = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

t.test('docs/settings.md and .env.example are generated from the table: npm run docs', async (t) => {
  t.equal(committed('docs/settings.md'), renderSettingsPage());
  t.equal(committed('.env.example'), renderEnvExample());
});

/** A file whose every line is on. */
const switchOn = (text: string) => parseEnvFile(text.replace(/^#(?=[A-Z0-9_]+=)/gm, ''), {});

t.test('config example --all has each setting with its example, and lacks only the secret', async (t) => {
  const { out } = await runCommand(['config', 'example', '--all'], {}, '/dev/null');
  t.equal(out, renderAllSettings());
  const asPrinted = parseEnvFile(out, {});
  t.same(asPrinted.faults, []);
  const environment = Object.fromEntries(asPrinted.values);
  t.throws(() => loadConfig({ environment, file: null }), /has a fault:\n {2}AUTH_JWT_SECRET is missing/);

  const all = switchOn(out);
  t.same(all.faults, []);
  t.same(all.undefinedReferences, []);
  for (const { setting } of allSettings) {
    if (setting.deprecated || setting.variable === 'JWT_SECRET') continue;
    t.equal(all.values.get(mainNameOf(setting)), setting.example, setting.variable);
  }
});

t.test('.env.example is short, lacks only the secret, and its lines are those of --all', async (t) => {
  const { out } = await runCommand(['config', 'example'], {}, '/dev/null');
  t.equal(out, committed('.env.example'));
  t.ok(out.split('\n').length < 60);
  const asCommitted = parseEnvFile(out, {});
  const required = allSettings.filter(({ setting }) => setting.required).map(({ setting }) => mainNameOf(setting));
  t.equal(required.length, 5);
  t.same([...asCommitted.values.keys()].sort(), [...required, 'AUTH_PASSWORD_COMMON_LIST'].sort());
  const environment = Object.fromEntries(asCommitted.values);
  t.throws(() => loadConfig({ environment, file: null }), /has a fault:\n {2}AUTH_JWT_SECRET is missing/);
  const all = switchOn(renderAllSettings()).values;
  const short = switchOn(out);
  t.same([...short.faults, ...short.undefinedReferences], []);
  for (const [name, value] of short.values) t.equal(value, all.get(name), name);
  const filledIn = { ...Object.fromEntries(short.values), AUTH_JWT_SECRET: 'a'.repeat(32) };
  const { notices } = loadConfig({ environment: filledIn, file: null });
  t.same(notices, [], 'with all of its lines nothing is missing');
});
