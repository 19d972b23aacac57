/** The blocks of the guides for operators work when they are pasted. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseEnvFile } from '../../src/server/config/env-file.js';
import { loadConfig } from '../../src/server/config/load.js';
import { launcher } from '../support/binary.js';
import { codeBlocksOf } from '../support/code-blocks.js';
import { openDns } from '../support/dns-server.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { runCommand } from '../support/run-command.js';
import { freshEmail, openTestServer, password, testEnvironment } from '../support/server.js';
import { openTestMailServer } from '../support/smtp.js';
import { readSource } from '../support/source-tree.js';
import { t } from '../support/tap.js';

const run = promisify(execFile);
const guide = (name: string): string => readSource(`docs/guides/${name}.md`).text;
const blocksOf = (name: string, language = 'sh'): string[] => codeBlocksOf(`docs/guides/${name}.md`, language);
const hasProgram = (name: string): Promise<boolean> =>
  run('which', [name]).then(
    () => true,
    () => false,
  );

/** Settings of a block, over those that a test needs. */
function loadBlock(block: string, more: Record<string, string> = {}) {
  const { values, faults } = parseEnvFile(block, {});
  t.same(faults, []);
  const environment = testEnvironment('postgres://a@b/c', {});
  return loadConfig({ environment: { ...environment, ...Object.fromEntries(values), ...more }, file: null });
}

t.test('export-deletion-retention: the data of one person, its end, and clean-up', async (t) => {
  if (!(await hasProgram('curl'))) return skipHere(t, missingProgram('curl', 'curl'));
  if (!(await hasProgram('jq'))) return skipHere(t, missingProgram('jq', 'jq'));
  const server = await openTestServer(t);
  const [own, other] = [freshEmail(), freshEmail()];
  const user = (await server.post('/signup', { email: own, password })).body.user;
  await server.post('/signup', { email: other, password });
  const [export_ = '', deletion = '', settings = '', prune = ''] = blocksOf('export-deletion-retention');
  const directory = t.testdir();
  const before = `latchkey() { '${process.execPath}' '${launcher}' "$@"; }\n`;
  const script = (before + export_ + deletion + prune)
    .replace('http://localhost:8081', server.url)
    .replaceAll('ann@example.com', own);
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: directory,
    env: { PATH: process.env['PATH'], ...testEnvironment(server.database.url, {}) },
  });
  t.same(readdirSync(directory).sort(), ['account.json', 'audit.json', 'devices.json', 'passkeys.json']);
  const read = (name: string) => JSON.parse(readFileSync(join(directory, `${name}.json`), 'utf8'));
  t.match(read('account'), { id: user.id, email: own });
  t.ok(read('audit').length > 0);
  t.notMatch(JSON.stringify(read('audit')), other);
  t.match(stdout, /audit entries/);
  const { rows } = await server.database.admin.query('select email from users order by email');
  t.same(
    rows.map(({ email }) => email),
    [other],
  );
  const { config } = loadBlock(settings);
  t.match(config, { sessionsInactivityTimeoutSeconds: 2160 * 3600, sessionsTimeboxSeconds: 8760 * 3600 });
});

t.test(
  'google-apple-microsoft-github: the settings are complete, and the checks get as far as the provider',
  async (t) => {
    const [settings = '', checks = ''] = blocksOf('google-apple-microsoft-github');
    const redirect = blocksOf('google-apple-microsoft-github', 'text')[0]!.trim();
    const { config, notices } = loadBlock(settings, { AUTH_API_EXTERNAL_URL: 'https://auth.example.com' });
    const on = Object.entries(config.providers).filter(([, { enabled }]) => enabled);
    t.same(
      on.map(([name]) => name),
      ['apple', 'azure', 'github', 'google'],
    );
    for (const [name, { redirectUri }] of on) t.equal(redirectUri, redirect, name);
    t.notMatch(JSON.stringify(notices), /EXTERNAL/);
    const names = checks
      .trim()
      .split('\n')
      .map((line) => line.split(' ').at(-1)!);
    t.same(names.sort(), on.map(([name]) => name).sort());
    for (const name of names) {
      const found = await runCommand(
        ['check', 'provider', name],
        testEnvironment('postgres://u@127.0.0.1:1/x', {}),
        '/dev/null',
      );
      t.match(found, { code: 1, out: /is switched off: set AUTH_EXTERNAL_/ }, name);
    }
  },
);

t.test('mail-that-arrives: the records of the table, and both checks', async (t) => {
  const text = guide('mail-that-arrives');
  const [settings = '', checks = ''] = blocksOf('mail-that-arrives');
  const zone: Record<string, { txt: string[] }> = {};
  for (const [, name = '', value = ''] of text.matchAll(/^\| (?:SPF|DKIM|DMARC) \| `(.*?)` \| `(.*?)` \|/gm))
    zone[name.toLowerCase()] = { txt: [value] };
  t.equal(Object.keys(zone).length, 3);
  const mails = await openTestMailServer(t);
  const { config } = loadBlock(settings);
  const variables = testEnvironment('postgres://u@127.0.0.1:1/x', {
    DNS_SERVERS: await openDns(t, zone),
    SMTP_ADMIN_EMAIL: config.smtpAdminEmail,
    SMTP_HOST: '127.0.0.1',
    SMTP_PORT: String(mails.port),
  });
  for (const line of checks.trim().split('\n')) {
    const { code, out, err } = await runCommand(line.split(' ').slice(1), variables, '/dev/null');
    t.equal(code, 0, `${line}: ${out}${err}`);
  }
  t.match(await mails.accepted(), [
    { from: { address: 'no-reply@auth.example.com' }, to: [{ address: 'you@gmail.com' }] },
  ]);
});

t.test('load: its figures are those of the last run', async (t) => {
  const bench = readSource('bench/README.md').text;
  const rows = [...guide('load').matchAll(/^\| ([\w /]+) \| ([\d,]+) \| ([\d.]+) \|$/gm)];
  t.equal(rows.length, 4);
  for (const [, what = '', perSecond, p99] of rows) {
    const measured = new RegExp(`^\\| ${what} +\\| +([\\d,]+) \\| +[\\d.]+ \\| +([\\d.]+) \\|`, 'm').exec(bench)!;
    t.same([perSecond, p99], measured.slice(1), what);
  }
  t.match(guide('load'), `Memory: ${/resident memory, idle +\| +(\d+ MB)/.exec(bench)![1]} for a server`);
});
