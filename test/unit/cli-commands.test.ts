import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jwtVerify } from 'jose';
import { runCommand } from '../support/run-command.js';
import { t } from '../support/tap.js';

const root = new URL('../../../', import.meta.url);
const launcher = fileURLToPath(new URL('bin/latchkey.cjs', root));
const SECRET = 'a secret of more than thirty-two bytes';

const complete = {
  AUTH_SITE_URL: 'https://app.example.com',
  AUTH_API_EXTERNAL_URL: 'https://auth.example.com',
  AUTH_DB_DRIVER: 'postgres',
  DATABASE_URL: 'postgres://u:p@localhost/db',
  AUTH_JWT_SECRET: SECRET,
  AUTH_SMTP_HOST: 'localhost',
  AUTH_SMTP_ADMIN_EMAIL: 'no-reply@example.com',
};

interface Outcome {
  code: number;
  out: string;
  err: string;
}

/** Runs the real binary in an empty directory, with the given variables only. */
function run(args: string[], env: Record<string, string> = {}, cwd = t.testdirName): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(process.execPath, [launcher, ...args], { env, cwd }, (error, out, err) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, out, err });
    });
  });
}

const directory = t.testdir({ 'latchkey.env': 'AUTH_JWT_AUD=from-file\n', 'empty.env': '' });

/** Runs what the binary runs, in this process, where the answer is what a test is about: a start takes half a second. */
const ask = (args: string[], env: Record<string, string> = {}) => runCommand(args, env, join(directory, 'empty.env'));

t.test('version', async (t) => {
  const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string };
  const { code, out, err } = await run(['version']);
  t.same({ code, err }, { code: 0, err: '' });
  t.match(out.split('\n'), [version, /^uWebSockets\.js 20\.(?:51\.4|69\.0), Node \d+\.\d+\.\d+$/, '']);
  t.same(await ask(['--version']), { code, out, err });
});

t.test('help goes to standard output, for the whole and for each command', async (t) => {
  const all = await run(['--help']);
  t.equal(all.code, 0);
  t.match(all.out, /^Usage: latchkey \[command\]/);
  for (const name of ['check', 'token', 'version']) t.match(all.out, new RegExp(`^ {2}${name} `, 'm'));
  t.match(all.out, /^ {2}serve .*listen \(default\)$/m);
  for (const words of [['token'], ['version'], ['check'], ['check', 'config']]) {
    const help = await ask([...words, '--help']);
    t.equal(help.code, 0, words.join(' '));
    t.match(help.out, new RegExp(`^Usage: latchkey ${words.join(' ')} `));
    t.equal(help.err, '');
  }
});

t.test('wrong usage: the fault and the usage on standard error, exit code 2', async (t) => {
  const cases: [string[], RegExp][] = [
    [['frobnicate'], /unknown command "frobnicate"/],
    [['constructor'], /unknown command "constructor"/],
    [['check', 'frobnicate'], /latchkey check: unknown command "frobnicate"/],
    [['check'], /Usage: latchkey check command/],
    [['version', '--frobnicate'], /Unknown option '--frobnicate'/],
    [['version', 'extra'], /Unexpected argument "extra"/],
    [['token', '--role'], /--role/],
  ];
  for (const [args, words] of cases) {
    const { code, out, err } = await (args[0] === 'frobnicate' ? run : ask)(args, complete);
    t.equal(code, 2, args.join(' '));
    t.equal(out, '', args.join(' '));
    t.match(err, words);
    t.match(err, /Usage: latchkey/);
  }
});

t.test('an invalid configuration: all faults on standard error, exit code 2', async (t) => {
  for (const args of [['check', 'config'], ['token']]) {
    const { code, out, err } = await (args[0] === 'token' ? run : ask)(args, { AUTH_SITE_URL: 'nonsense' });
    t.equal(code, 2, args.join(' '));
    t.equal(out, '');
    t.match(err, /5 faults/);
    t.match(err, /AUTH_SITE_URL must be an absolute URL/);
    t.match(err, /AUTH_JWT_SECRET is missing/);
  }
  const { code, out } = await ask(['check', 'config', '--json']);
  t.equal(code, 2);
  t.match(JSON.parse(out), { ok: false, faults: [{ variable: 'AUTH_SITE_URL', problem: 'is missing' }] });
});

t.test('the file of -c is read before and after the name of a command', async (t) => {
  for (const args of [
    ['-c', 'latchkey.env', 'check', 'config'],
    ['check', '--config=latchkey.env', 'config'],
  ]) {
    const { code, out } = await run(args, complete);
    t.equal(code, 0, args.join(' '));
    t.match(out, /AUTH_JWT_AUD +from-file +\(latchkey\.env\)/);
  }
  const missing = await runCommand(['check', 'config'], complete, join(directory, 'none.env'));
  t.match(missing, { code: 2, err: /none\.env .* does not exist/ });
});

t.test('.env of the working directory is read', async (t) => {
  const dir = t.testdir({ '.env': 'AUTH_JWT_ISSUER=here\n' });
  const { code, out } = await run(['check', 'config'], complete, dir);
  t.equal(code, 0);
  t.match(out, /AUTH_JWT_ISSUER +here +\(\.env\)/);
});

t.test('check config shows settings, their sources, and notices', async (t) => {
  const environment = { ...complete, GOTRUE_JWT_EXP: '15m', AUTH_SMTP_SENDER_NAME: 'a\u001b[2Jb', AUTH_JWT_EPX: '1' };
  const { code, out } = await ask(['check', 'config'], environment);
  t.equal(code, 0);
  t.match(out, /^JWT$/m);
  t.match(out, /AUTH_JWT_EXP +900 +\(environment, as GOTRUE_JWT_EXP\)/);
  t.match(out, new RegExp(`AUTH_JWT_SECRET +set \\(${SECRET.length} bytes\\) +\\(environment\\)`));
  t.match(out, /AUTH_JWT_EPX is not a setting; did you mean AUTH_JWT_EXP\?/);
  t.notMatch(out, /AUTH_JWT_AUD/, 'defaults are left out');
  t.notMatch(out, /\u001b/, 'a value cannot redraw the terminal');

  const all = await ask(['check', 'config', '--all'], environment);
  t.match(all.out, /AUTH_JWT_AUD +authenticated +\(default\)/);

  const json = await ask(['check', 'config', '--json'], environment);
  const report = JSON.parse(json.out) as { ok: boolean; settings: { key: string }[]; notices: unknown[] };
  t.equal(report.ok, true);
  t.match(
    report.settings.find(({ key }) => key === 'jwtExpiresInSeconds'),
    { variable: 'AUTH_JWT_EXP', name: 'GOTRUE_JWT_EXP', value: 900, from: 'environment', section: 'JWT' },
  );
  t.equal(report.notices.length, 1);
});

t.test('token prints a token that the server accepts', async (t) => {
  const key = new TextEncoder().encode(SECRET);
  const plain = await run(['token'], complete);
  t.equal(plain.code, 0);
  t.match(plain.err, /^Without the settings of the database, which could not be read: .*\n$/);
  const { payload, protectedHeader } = await jwtVerify(plain.out.trim(), key, { algorithms: ['HS256'] });
  t.same(protectedHeader, { alg: 'HS256', typ: 'JWT' });
  t.match(payload, { role: 'service_role', aud: 'authenticated' });
  t.equal(payload.exp! - payload.iat!, 3600);

  const subject = '6b3a0f0e-8a4e-4a0e-9d7f-0c2f6f1f4a11';
  const full = await ask(['token', '--role', 'supabase_admin', '--exp', '10m', '--sub', subject], {
    ...complete,
    AUTH_JWT_ISSUER: 'https://auth.example.com',
    AUTH_JWT_KEY_ID: 'k1',
  });
  const verified = await jwtVerify(full.out.trim(), key);
  t.match(verified.payload, { role: 'supabase_admin', sub: subject, iss: 'https://auth.example.com' });
  t.equal(verified.payload.exp! - verified.payload.iat!, 600);
  t.equal(verified.protectedHeader.kid, 'k1');

  const endless = await ask(['token', '--no-exp'], complete);
  t.equal((await jwtVerify(endless.out.trim(), key)).payload.exp, undefined);
  t.match(endless.err, /never expires/);

  const unlisted = await ask(['token', '--role', 'guest'], complete);
  t.equal(unlisted.code, 0);
  t.match(unlisted.err, /guest is not in AUTH_JWT_ADMIN_ROLES/);
});

t.test('token refuses invalid arguments', async (t) => {
  const cases: [string[], RegExp][] = [
    [['--sub', 'me'], /--sub must be a UUID/],
    [['--exp', 'soon'], /--exp must be a duration/],
    [['--exp', '0'], /--exp must be longer than zero/],
    [['--exp', '1h', '--no-exp'], /not both/],
    [['--role', ''], /--role must not be empty/],
  ];
  for (const [args, words] of cases) t.match(await ask(['token', ...args], complete), { code: 2, out: '', err: words });
});
