/** `latchkey init`: what it asks, what it writes, and that a server starts with it. */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { PromptEndedError } from '../../src/server/cli/prompt.js';
import { runCommandLine } from '../../src/server/commands/dispatch.js';
import { parseEnvFile } from '../../src/server/config/env-file.js';
import { loadConfig } from '../../src/server/config/load.js';
import { startServer } from '../../src/server/runtime/server.js';
import { openLog } from '../../src/server/telemetry/log.js';
import { launcher } from '../support/binary.js';
import { createTestDatabase } from '../support/database.js';
import { openDns } from '../support/dns-server.js';
import { freePort } from '../support/free-port.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { call } from '../support/server.js';
import { openTestMailServer } from '../support/smtp.js';
import { readSource } from '../support/source-tree.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

interface Asked {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** Questions as they were shown; secret ones begin with `*`. */
  readonly questions: readonly string[];
}

/** @param lines answers of a person; null: there is no terminal. After the last one, the person presses Ctrl-C. */
async function runInit(
  args: readonly string[],
  lines: readonly string[] | null,
  environment: Record<string, string> = {},
): Promise<Asked> {
  const shown = { out: '', err: '' };
  const keep = (stream: 'out' | 'err') => (text: string) => {
    shown[stream] += text;
  };
  const questions: string[] = [];
  const rest = [...(lines ?? [])];
  const ask = async (question: string, isSecret = false) => {
    questions.push(`${isSecret ? '*' : ''}${question}`);
    const line = rest.shift();
    if (line === undefined) throw new PromptEndedError();
    return line;
  };
  const code = await runCommandLine(['init', ...args], {
    environment,
    out: keep('out'),
    err: keep('err'),
    ...(lines !== null && { openPrompt: () => ({ ask, close: () => undefined }) }),
  });
  return { code, ...shown, questions };
}

const envOf = (directory: string) =>
  Object.fromEntries(parseEnvFile(readFileSync(join(directory, '.env'), 'utf8'), {}).values);

t.test('a person answers: bad answers are asked again with the reason, secrets are not shown', async (t) => {
  const directory = t.testdir();
  const { code, out, err, questions } = await runInit(
    ['--dir', directory, '--skip-checks'],
    [
      ...['compose', 'myapp://open', 'https://app.example.org', '', 'smtp.example.org', 'smtp://me@smtp.example.org'],
      ...[
        'nobody',
        '',
        "it's $ecret",
        'github,nothing',
        'github, azure',
        'gh-id',
        'gh-secret',
        'ms-id',
        'ms-secret',
        '',
      ],
      ...['yes', 'Example', 'a b', 'Ada@Example.org'],
    ],
  );
  t.equal(code, 0, err);
  const all = questions.join('\n');
  for (const reason of [
    /That must begin with https:\/\//,
    /That must be none or smtp:/,
    /That must be one email address/,
    /That must be none, or some of apple, azure/,
    /That must be the name of your service, or no/,
    /That must be none, or 2 to 64 letters/,
  ])
    t.match(all, reason);
  t.match(all, /Host name of this server.*\[auth\.example\.org\]/);
  t.same(
    questions.filter((question) => question.startsWith('*')).map((question) => question.trim().slice(0, 24).trim()),
    ['*        Password of me', '*        Client secret a', '*        Client secret a'].map((text) => text.trim()),
  );
  const env = envOf(directory);
  t.match(env, {
    AUTH_SITE_URL: 'https://app.example.org',
    AUTH_API_EXTERNAL_URL: 'https://auth.example.org',
    AUTH_SMTP_HOST: 'smtp.example.org',
    AUTH_SMTP_PORT: '587',
    AUTH_SMTP_PASS: "it's $ecret",
    AUTH_SMTP_ADMIN_EMAIL: 'no-reply@example.org',
    AUTH_EXTERNAL_GITHUB_REDIRECT_URI: 'https://auth.example.org/callback',
    AUTH_EXTERNAL_AZURE_CLIENT_ID: 'ms-id',
    AUTH_PAGES_NAME: 'Example',
    AUTH_CONSOLE_PORT: '8082',
  });
  t.notOk('AUTH_EXTERNAL_AZURE_URL' in env);
  t.equal(statSync(join(directory, '.env')).mode & 0o777, 0o600);
  const secrets = ['AUTH_JWT_SECRET', 'POSTGRES_PASSWORD', 'AUTH_SMTP_PASS', 'AUTH_EXTERNAL_GITHUB_SECRET'];
  for (const name of secrets) t.notOk(`${out}${err}`.includes(env[name]!), name);
  t.notOk(`${out}${err}`.includes(JSON.parse(env['AUTH_JWT_KEYS']!)[0].d), 'the signing key');
  t.match(out, /operators create ada@example\.org --role owner/);
});

t.test('Ctrl-C at any question leaves nothing behind', async (t) => {
  const answers = ['https://app.example.org', '', 'none', 'none', 'no'];
  for (let count = 0; count <= answers.length; count++) {
    const directory = t.testdir();
    const result = await runInit(['--dir', directory, '--for', 'compose'], answers.slice(0, count));
    t.match(result, { code: 1, err: /Nothing has been written/ });
    t.same(readdirSync(directory), []);
  }
});

t.test('without a terminal: what is missing is named, and what is wrong with the reason', async (t) => {
  const directory = t.testdir();
  const missing = await runInit(['--dir', directory, '--for', 'systemd'], null);
  t.equal(missing.code, 2);
  for (const name of ['--site', '--mail', '--providers', '--pages', '--operator', 'DATABASE_URL'])
    t.match(missing.err, new RegExp(`^ {2}${name} is missing: [A-Z]`, 'm'));
  const wrong = await runInit(
    [
      ...['--dir', directory, '--yes', '--site', 'https://app.example.org', '--domain', 'https://x', '--for', 'docker'],
      ...['--mail', 'smtp://me:word@smtp.example.org', '--providers', 'github,apple=id', '--operator', 'a b'],
    ],
    null,
  );
  t.equal(wrong.code, 2);
  for (const line of [
    /--for must be compose or systemd/,
    /--domain must be a host name/,
    /--mail must not have the password/,
    /AUTH_EXTERNAL_GITHUB_CLIENT_ID is missing/,
    /AUTH_EXTERNAL_GITHUB_SECRET is missing/,
    /AUTH_EXTERNAL_APPLE_SECRET is missing/,
    /AUTH_EXTERNAL_APPLE_TEAM_ID is missing/,
    /--operator must be none/,
  ])
    t.match(wrong.err, line);
  t.same(readdirSync(directory), []);
});

t.test('files that exist stay, all of them, unless --force is given', async (t) => {
  const directory = t.testdir({ Caddyfile: 'mine' });
  const args = ['--dir', directory, '--yes', '--skip-checks', '--site', 'https://example.org', '--mail', 'none'];
  const refused = await runInit(args, []);
  t.match(refused, { code: 1, err: /Caddyfile exists: .*--dir.*--force/, questions: [] });
  t.same(readdirSync(directory), ['Caddyfile']);
  t.equal((await runInit([...args, '--force'], [])).code, 0);
  t.same(readdirSync(directory).sort(), ['.env', 'Caddyfile', 'compose.yaml']);
  t.match(readFileSync(join(directory, 'Caddyfile'), 'utf8'), '{$LATCHKEY_DOMAIN:auth.example.org}');
});

t.test('the compose file is that of the repository, less what does not serve', async (t) => {
  const directory = t.testdir();
  const site = ['--site', 'https://www.example.org', '--mail', 'none', '--operator', 'ada'];
  await runInit(['--dir', directory, '--yes', '--skip-checks', ...site, '--image', 'ghcr.io/x/latchkey:1'], null);
  const made = parse(readFileSync(join(directory, 'compose.yaml'), 'utf8'));
  const own = parse(readSource('compose.yaml').text);
  t.same(Object.keys(made.services), ['latchkey', 'postgres', 'caddy']);
  t.same(made.services.postgres, own.services.postgres);
  t.same(made.services.caddy, {
    ...own.services.caddy,
    volumes: own.services.caddy.volumes.map((volume: string) => volume.replace('./deploy/proxies/', './')),
  });
  const { build: _build, environment: _environment, expose: _expose, ...same } = own.services.latchkey;
  const added = { image: 'ghcr.io/x/latchkey:1', expose: ['8081'], ports: ['127.0.0.1:8082:8082'] };
  t.same(made.services.latchkey, { ...same, ...added }, 'all settings come from .env');
  const env = envOf(directory);
  for (const [, name] of JSON.stringify(made).matchAll(/\$\{(\w+):/g)) t.ok(env[name!], `.env has ${name}`);
  t.match(env['DATABASE_URL'], new RegExp(`^postgres://latchkey:${env['POSTGRES_PASSWORD']}@postgres:5432/latchkey$`));
  const used = Object.values(made.services).flatMap((service) => (service as { networks: string[] }).networks);
  t.same(Object.keys(made.networks), [...new Set(used)]);
  t.same(Object.keys(made.volumes), ['postgres-data', 'caddy-data', 'caddy-config']);
  t.same(loadConfig({ environment: {}, file: join(directory, '.env') }).config.consoleHost, '0.0.0.0');
});

t.test(
  'for systemd: the checks reach database and mail server, and the server starts with what was written',
  async (t) => {
    const { url: databaseUrl } = await createTestDatabase(t);
    const mails = await openTestMailServer(t, { user: 'me', password: 'a word' });
    const AUTH_DNS_SERVERS = await openDns(t, {});
    const directory = t.testdir();
    const { code, out, err } = await runInit(
      [
        ...['--dir', directory, '--for', 'systemd', '--yes', '--site', 'https://app.example.org', '--operator', 'ada'],
        ...['--mail', `smtp://me@127.0.0.1:${mails.port}`, '--mail-to', 'ops@example.org', '--pages', 'Example'],
      ],
      null,
      { DATABASE_URL: databaseUrl, AUTH_SMTP_PASS: 'a word', AUTH_DNS_SERVERS },
    );
    t.equal(code, 0, `${out}${err}`);
    for (const name of ['config', 'redirect', 'keys', 'templates', 'smtp', 'db', 'clock'])
      t.match(out, new RegExp(`^ok {6}latchkey check ${name}`, 'm'));
    t.match(
      out,
      /^failed {2}latchkey check mail\n {10}wrong {2}SPF: example\.org has no record/m,
      'which keeps nothing from starting',
    );
    t.match(await mails.accepted(), [{ to: [{ address: 'ops@example.org' }] }]);
    const unit = readFileSync(join(directory, 'latchkey.service'), 'utf8');
    t.match(unit, `EnvironmentFile=${join(directory, '.env')}\n`);
    const [, program = '', script = ''] = /^ExecStart=(\S+) (\S+) serve$/m.exec(unit)!;
    for (const path of [program, script]) t.ok(existsSync(path), path);
    t.notMatch(unit, /\/opt\/latchkey|docs\/deployment/);

    const file = join(directory, '.env');
    const environment = { PORT: '0', AUTH_CONSOLE_PORT: String(await freePort()) };
    const { config } = loadConfig({ environment, file });
    t.equal(config.apiHost, '127.0.0.1');
    const server = await startServer(config, '0.0.0-test', await openLog({ level: 'panic', file: '' }));
    t.teardown(() => server.stop(0));
    await server.migrated;
    const url = `http://127.0.0.1:${server.port}`;
    t.equal((await call(url, 'GET', '/health/ready')).status, 200);
    t.match(await call(url, 'GET', '/.well-known/jwks.json'), { status: 200, body: { keys: [{ alg: 'ES256' }] } });
    const body = { email: 'ann@example.org', password: 'a long password of hers' };
    t.equal((await call(url, 'POST', '/signup', { body })).status, 200);
    await mails.waitForMails(2);
  },
);

t.test('a check that fails says why, and the files are there', async (t) => {
  const directory = t.testdir();
  const port = await freePort();
  const { code, out } = await runInit(
    ['--dir', directory, '--yes', '--site', 'https://app.example.org', '--mail', `smtp://127.0.0.1:${port}`],
    null,
    { AUTH_DNS_SERVERS: await openDns(t, {}) },
  );
  t.equal(code, 1);
  t.match(out, /^failed {2}latchkey check smtp\n(?: {10}.*\n)+/m);
  t.match(out, /Correct what has failed/);
  t.ok(existsSync(join(directory, '.env')));
});

t.test('the command for scripts of docs/guides/first-deployment.md', async (t) => {
  const [, block = ''] = /```sh\nexport (.*\n.*)\n```/.exec(readSource('docs/guides/first-deployment.md').text)!;
  const [variables = '', command = ''] = block.split('\n');
  const environment = Object.fromEntries(variables.split(' ').map((pair) => pair.split('=') as [string, string]));
  const directory = t.testdir();
  const words = command.replace('../auth', directory).split(' ').slice(3);
  t.match(await runInit([...words, '--skip-checks'], null, environment), { code: 0 });
  const { config, notices } = loadConfig({ environment: {}, file: join(directory, '.env') });
  t.ok(config.providers.github.enabled);
  t.same(
    notices.map(({ variable }) => variable),
    ['AUTH_JWT_KEYS'],
    'that tokens of the secret are refused',
  );
});

t.test('on a real terminal', async (t) => {
  if (!existsSync('/usr/bin/script')) return skipHere(t, missingProgram('script', 'bsdutils'));
  const directory = t.testdir({ answers: '' });
  const command = `'${process.execPath}' '${launcher}' init --dir '${join(directory, 'new')}' --skip-checks --for compose`;
  const child = spawn('/usr/bin/script', ['-qec', command, '/dev/null'], {
    cwd: directory,
    env: { PATH: process.env['PATH'] ?? '', TERM: 'dumb' },
  });
  t.teardown(() => child.kill('SIGKILL'));
  let screen = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
  });
  const answer = async (question: string, line: string) => {
    await until(() => screen.includes(question) || child.exitCode !== null);
    child.stdin.write(line);
  };
  await answer('1 of 5', 'https://app.example.org\r');
  await answer('Host name', '\r');
  await answer('2 of 5', 'smtp://me@smtp.example.org\r');
  await answer('From address', '\r');
  await answer('Password of me', 'typed-in-secret\r');
  await answer('3 of 5', 'none\r');
  await answer('4 of 5', '\r');
  t.notMatch(screen, 'typed-in-secret');
  t.match(screen, 'https://app.example.org');
  await answer('5 of 5', '\u0003');
  await until(() => child.exitCode !== null);
  t.equal(child.exitCode, 1);
  t.match(screen, 'Nothing has been written.');
  t.notOk(existsSync(join(directory, 'new')));
});
