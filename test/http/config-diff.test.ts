/** `latchkey config diff` against a running server, before and after a reload. */
import { join } from 'node:path';
import { asAdmin } from '../support/admin.js';
import { spawnReloadingServer } from '../support/reload.js';
import { runCommand } from '../support/run-command.js';
import { openTestServer, testEnvironment } from '../support/server.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

const SMTP_PASS = 'a-password-of-the-mail-server';

t.test('what a reload and a restart would change, and nothing after them', async (t) => {
  const server = await spawnReloadingServer(t, {
    settings: { SITE_URL: '', JWT_EXP: '', SMTP_PASS: '' },
    files: { 'auth.env': 'AUTH_SITE_URL=https://a.example.com\nAUTH_JWT_EXP=1800\n' },
    args: (directory) => ['-c', join(directory, 'auth.env')],
  });
  const file = join(server.directory, 'auth.env');
  const environment = testEnvironment(server.database.url, { SITE_URL: '', JWT_EXP: '', SMTP_PASS: '' });
  const diff = (...more: string[]) => runCommand(['config', 'diff', '--url', server.url, ...more], environment, file);
  const same = await diff('--check');
  t.match(same, { code: 0, err: '', out: /generation 1\n\nNothing differs\./ }, same.err);

  const changed = `AUTH_SITE_URL=https://b.example.com\nAUTH_SMTP_PASS=${SMTP_PASS}\nAUTH_DB_MAX_POOL_SIZE=7\n`;
  // The pool size is in the environment, which comes before the file.
  environment['AUTH_DB_MAX_POOL_SIZE'] = '7';
  await server.write('auth.env', changed);
  const shown = await diff();
  t.equal(shown.code, 0, shown.err);
  const [reload, restart] = shown.out.split('A restart changes');
  t.match(reload, /A reload changes\n/);
  t.match(reload, /~ AUTH_SITE_URL +https:\/\/a\.example\.com -> https:\/\/b\.example\.com {2}\(.*auth\.env\)\n/);
  t.match(reload, /- AUTH_JWT_EXP +1800 -> 3600 {2}\(default\)\n/);
  t.match(reload, /\+ AUTH_SMTP_PASS +\(secret, added\) {2}\(.*auth\.env\)\n/);
  t.match(restart, /~ AUTH_DB_MAX_POOL_SIZE +5 -> 7 {2}\(environment\)\n/);
  t.notMatch(shown.out, SMTP_PASS);
  t.equal((await diff('--check')).code, 1);
  const json = JSON.parse((await diff('--json')).out);
  t.match(json, { generation: 1, compares_secrets: true });
  const secret = json.differences.find(({ variable }: { variable: string }) => variable === 'AUTH_SMTP_PASS');
  t.match(secret.source, /auth\.env$/);
  t.same(
    { ...secret, source: '' },
    { variable: 'AUTH_SMTP_PASS', kind: 'added', needs_restart: false, secret: true, source: '' },
  );

  server.signal('SIGHUP');
  await server.waitFor('The configuration was reloaded');
  const after = await diff();
  t.match(
    after.out,
    /generation 2\n\nA restart changes\n +~ AUTH_DB_MAX_POOL_SIZE +5 -> 7 {2}\(environment\)\n$/,
    'the rest is in use',
  );

  await server.write('auth.env', changed.replace(SMTP_PASS, `${SMTP_PASS}2`));
  t.match((await diff()).out, /~ AUTH_SMTP_PASS +\(secret, changed\) {2}\(.*auth\.env\)\n/);
  await server.write('auth.env', 'AUTH_JWT_EXP=soon\n');
  t.match(await diff(), { code: 2, err: /AUTH_JWT_EXP/ }, 'a faulty file is no difference');
});

t.test('a new server secret: by the earlier one, else with a token, and then secrets are not compared', async (t) => {
  const server = await openTestServer(t, { SMTP_PASS });
  const diff = (settings: Record<string, string>, ...more: string[]) => {
    const environment = testEnvironment(server.database.url, { SMTP_PASS, ...settings });
    return runCommand(['config', 'diff', '--url', server.url, ...more], environment, '/dev/null');
  };
  const [next, earlier] = ['another-secret-that-is-long-enough-for-hs256', testEnvironment('')['AUTH_JWT_SECRET']!];
  const rotated = await diff({ JWT_SECRET: next, JWT_PREVIOUS_SECRETS: earlier });
  t.match(rotated.out, /\+ AUTH_JWT_PREVIOUS_SECRETS +\(secret, added\)[\s\S]*~ AUTH_JWT_SECRET +\(secret, changed\)/);
  t.notMatch(rotated.out, /SMTP_PASS/);
  const unknown = await diff({ JWT_SECRET: next });
  t.match(unknown, { code: 1, out: '', err: /refused the token/ });
  const token = (await runCommand(['token'], testEnvironment(server.database.url), '/dev/null')).out.trim();
  const other = await diff({ JWT_SECRET: next, SMTP_PASS: 'x' }, '--token', token);
  t.match(other.out, /Secrets were not compared/);
  t.notMatch(other.out, /Nothing differs/);
});

t.test('GET /admin/config shows no secret, and only to administrators', async (t) => {
  const secrets = { SMTP_PASS, OPERATOR_TOKEN: 'operator-token', HOOK_SEND_SMS_SECRETS: `v1,whsec_${'A'.repeat(43)}=` };
  const HOOK_SEND_SMS_URI = 'https://hooks.example.com/sms?key=key-in-the-query';
  const server = await openTestServer(t, { ...secrets, HOOK_SEND_SMS_URI, HOOK_SEND_SMS_ENABLED: 'true' });
  t.equal((await server.call('GET', '/admin/config')).status, 401);
  const { status, body } = await asAdmin(server)('GET', '/admin/config');
  t.equal(status, 200);
  const text = JSON.stringify(body);
  const hidden = [...Object.values(secrets), 'key-in-the-query', testEnvironment('')['AUTH_JWT_SECRET']!];
  for (const secret of hidden) t.notOk(text.includes(secret), secret);
  t.notOk(text.includes(new URL(server.database.url).pathname.slice(1)), 'nor the database');
  t.match(body.settings, {
    AUTH_SITE_URL: { is_set: true, value: 'http://localhost:3000' },
    AUTH_JWT_EXP: { is_set: false, value: 3600 },
    AUTH_SMTP_PASS: { is_set: true, fingerprint: /^[\w-]{22}$/ },
    AUTH_HOOK_SEND_SMS_URI: { is_set: true, fingerprint: /^[\w-]{22}$/ },
  });
});

t.test('a server that is not there, and one that is something else', async (t) => {
  const environment = testEnvironment('postgres://localhost/none');
  const diff = (url: string) => runCommand(['config', 'diff', '--url', url], environment, '/dev/null');
  t.match(await diff('http://127.0.0.1:9'), { code: 1, err: /cannot be reached.*Is the server running/ });
  t.match(await diff('http://auth.example.com'), { code: 1, err: /https/ });
  const server = await openTestServer(t);
  await until(async () => (await server.call('GET', '/health')).status === 200);
  t.match(await diff(`${server.url}/nothing-here`), { code: 1, err: /no \/admin\/config/ });
});
