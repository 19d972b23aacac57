import { join } from 'node:path';
import { runCommandLine } from '../../src/server/commands/dispatch.js';
import { allSettings, namesOf, type Setting } from '../../src/server/config/settings.js';
import { newSamlKey, samlPrivateKey } from '../support/saml-keys.js';
import { t } from '../support/tap.js';

const MARK = 'MARKEDSECRET';
const secrets = allSettings.filter(({ setting }) => setting.secret);

/** A value that its kind accepts and that holds the mark. */
const markedValues: Readonly<Record<string, string>> = {
  postgresUrl: `postgres://u:${MARK}@h/d`,
  map: `15550100:${MARK}`,
  headers: JSON.stringify({ 'X-Key': [MARK] }),
  hookSecrets: `v1,whsec_${MARK}${'x'.repeat(32)}`,
  tokenKeys: JSON.stringify([
    { kty: 'oct', kid: 'a', alg: 'HS256', k: `${MARK}${'x'.repeat(32)}`, key_ops: ['sign', 'verify'] },
  ]),
};
/** Keys in DER, which a mark would break: they are their own mark. */
const samlKeys = { SAML_PRIVATE_KEY: samlPrivateKey(), SAML_PRIVATE_KEY_NEXT: newSamlKey() };
/** Of settings with rules beyond their kind. */
const markedVariables: Readonly<Record<string, string>> = {
  SECURITY_DB_ENCRYPTION_DECRYPTION_KEYS: `a:${MARK.padEnd(43, 'x')}`,
  SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY: MARK.padEnd(43, 'x'),
  EXTERNAL_WEB3_ETHEREUM_RPC_URLS: `1:https://eth.example.com/${MARK}`,
  ...samlKeys,
};
const marked = ({ variable, kind }: Setting) =>
  markedVariables[variable] ?? markedValues[kind] ?? `${MARK}-${'x'.repeat(32)}`;

/** In PEM, which a mark would break. */
const isPem = (variable: string) => /_CLIENT_(CERT|KEY)$/.test(variable);

async function run(args: string[], environment: Record<string, string>) {
  let printed = '';
  const write = (text: string) => {
    printed += text;
  };
  const code = await runCommandLine(args, { environment, out: write, err: write });
  return { code, printed };
}

t.chdir(t.testdir({}));

const plain = {
  AUTH_SITE_URL: 'https://app.example.com',
  AUTH_API_EXTERNAL_URL: 'https://auth.example.com',
  AUTH_DB_DRIVER: 'postgres',
};

t.test('SEC-74: no command prints a secret, whatever name it was read by', async (t) => {
  t.ok(secrets.length > 25);
  for (const nameAt of [0, -1]) {
    const environment: Record<string, string> = { ...plain };
    for (const { setting } of secrets) {
      if (!isPem(setting.variable)) environment[namesOf(setting).at(nameAt)!] = marked(setting);
    }
    for (const args of [
      ['check', 'config'],
      ['check', 'config', '--all'],
      ['check', 'config', '--json'],
      ['check', 'config', '--json', '--all'],
      ['token'],
    ]) {
      const { code, printed } = await run(args, environment);
      t.equal(code, 0, args.join(' '));
      t.ok(printed.length > 0);
      for (const secret of [MARK, ...Object.values(samlKeys)]) t.notMatch(printed, secret, args.join(' '));
    }
  }
});

t.test('SEC-74: nor one that is refused', async (t) => {
  for (const { setting } of secrets) {
    const wrong = setting.kind === 'postgresUrl' ? `mysql://u:${MARK}@h/d` : `{${MARK}`;
    const { code, printed } = await run(['check', 'config'], { ...plain, [namesOf(setting)[0]!]: wrong });
    t.notMatch(printed, MARK, `${setting.variable}, exit code ${code}`);
  }
});

t.test('SEC-74: nor one that was read from a file', async (t) => {
  const dir = t.testdir({ secret: `${MARK}-${'x'.repeat(32)}\n`, url: `postgres://u:${MARK}@h/d` });
  const environment = {
    ...plain,
    DATABASE_URL_FILE: join(dir, 'url'),
    AUTH_JWT_SECRET_FILE: join(dir, 'secret'),
    AUTH_SMTP_PASS_FILE: join(dir, 'secret'),
  };
  const { code, printed } = await run(['check', 'config'], environment);
  t.equal(code, 0);
  t.match(printed, /AUTH_JWT_SECRET +set \(45 bytes\) +\(environment, as AUTH_JWT_SECRET_FILE\)/);
  t.notMatch(printed, MARK);
});

t.test('SEC-74: configuration errors name the variable, not the value', async (t) => {
  // Every variable at once holds the mark where it cannot be understood, as when two lines were swapped.
  const environment = Object.fromEntries(allSettings.map(({ setting }) => [`AUTH_${setting.variable}`, MARK]));
  const { code, printed } = await run(['check', 'config'], environment);
  t.equal(code, 2);
  t.match(printed, /AUTH_DB_DATABASE_URL must be a URL beginning with postgres/);
  t.match(printed, /AUTH_SMS_TEST_OTP must be pairs/);
  t.notMatch(printed, MARK);

  const misplaced = await run(['check', 'config'], { ...plain, AUTH_JWT_SECRET_FILE: MARK, DATABASE_URL_FILE: MARK });
  t.equal(misplaced.code, 2);
  t.match(misplaced.printed, /AUTH_JWT_SECRET_FILE names a file that cannot be used/);
  t.notMatch(misplaced.printed, MARK, 'a secret given in place of a path');

  const dir = t.testdir({ settings: `AUTH_JWT_SECRET='${MARK}\nAUTH_SITE_URL=x\n${MARK} no name\n` });
  const broken = await run(['check', 'config', '-c', join(dir, 'settings')], plain);
  t.equal(broken.code, 2);
  t.match(broken.printed, /line 1 opens a quote/);
  t.notMatch(broken.printed, MARK, 'a line that cannot be read');
});
