/** Operators see where settings come from, compare them, and run the checks of the command line. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { hideCredentials } from '../../src/server/config/hide-credentials.js';
import { openTestConsole, type SignedInOperator } from '../support/console.js';
import { findQuickest } from '../support/quickest.js';
import { JWT_SECRET } from '../support/server.js';
import { openTestMailServer } from '../support/smtp.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

type Run = { state: string; output: string; ended_at: string | null; host: string };

async function runCheck(browser: SignedInOperator, name: string, argument = ''): Promise<Run> {
  const started = await browser.post(`/api/checks/${name}`, { argument });
  if (started.status !== 202) throw new Error(started.text);
  let run: Run | undefined;
  await until(async () => {
    run = (await browser.get(`/api/checks/${name}?argument=${encodeURIComponent(argument)}`)).body.run;
    return run!.state !== 'running';
  });
  return run!;
}

t.test('settings have their source, and what a reload or a restart would change', async (t) => {
  const file = `${t.testdirName}/secret`;
  mkdirSync(t.testdirName, { recursive: true });
  writeFileSync(file, 'smtp-secret-of-a-file');
  const console = await openTestConsole(t, { SMTP_PASS_FILE: file, SMTP_USER: 'ann' });
  const browser = await console.signIn('viewer');
  const { body, text } = await browser.get('/api/settings');
  const find = (name: string) => body.settings.find((one: { name: string }) => one.name === name);
  t.match(find('AUTH_SMTP_USER'), { value: 'ann', source: { origin: 'environment', name: 'AUTH_SMTP_USER' } });
  t.match(find('AUTH_SMTP_PASS'), { is_secret: true, source: { name: 'AUTH_SMTP_PASS_FILE', label: 'environment' } });
  t.match(find('AUTH_SMTP_PORT'), { source: { origin: 'default' }, pending: null, is_set: false });
  t.same(body.faults, []);
  t.notMatch(text, /smtp-secret|test-secret/);
});

t.test('a pasted .env is compared with what is in use, and no secret with anything', async (t) => {
  const console = await openTestConsole(t, { SMTP_USER: 'ann' });
  const browser = await console.signIn('admin');
  const compare = async (env: string) => (await browser.post('/api/settings/compare', { env })).body;
  const answer = await compare(`
# a file
DATABASE_URL=postgres://u:hidden-word@db.example.com/auth
AUTH_JWT_SECRET=${JWT_SECRET}
AUTH_SITE_URL=https://app.example.com
AUTH_SMTP_PASS_FILE=/etc/passwd
AUTH_JWT_EXP=soon
AUTH_SMPT_HOST=typo
no setting at all
`);
  const find = (variable: string) => answer.differences.find((one: { variable: string }) => one.variable === variable);
  t.match(find('AUTH_SITE_URL'), {
    kind: 'changed',
    running: 'http://localhost:3000',
    pasted: 'https://app.example.com',
    needs_restart: false,
  });
  t.match(find('AUTH_SMTP_USER'), { kind: 'removed', running: 'ann' });
  t.equal(find('AUTH_JWT_SECRET'), undefined, 'an equal secret says no more than another one');
  t.ok(answer.not_compared.includes('AUTH_JWT_SECRET'));
  t.ok(answer.not_compared.includes('AUTH_SMTP_PASS'));
  const faults = Object.fromEntries(
    answer.faults.map((one: { variable: string; problem: string }) => [one.variable, one.problem]),
  );
  t.match(faults, {
    'line 9': 'is not of the form NAME=value',
    AUTH_JWT_EXP: /must be a duration/,
    AUTH_DB_DRIVER: 'is missing',
  });
  t.notOk('AUTH_SMTP_PASS' in faults);
  t.match(JSON.stringify(answer.notices), /AUTH_SMPT_HOST/);
  const other = await compare('AUTH_JWT_SECRET=another-secret-another-secret-another-1');
  t.ok(other.not_compared.includes('AUTH_JWT_SECRET'));
  t.notMatch(JSON.stringify([answer, other]), /hidden-word|test-secret|another-secret|root:/);
  const viewer = await console.signIn('viewer');
  t.equal((await viewer.post('/api/settings/compare', { env: '' })).status, 403);
});

t.test('each check is the command of the same name', async (t) => {
  const console = await openTestConsole(t, { HOOK_SEND_SMS_URI: 'http://127.0.0.1:9/?token=hidden-word' });
  const browser = await console.signIn('admin', 'ann');
  const { checks } = (await browser.get('/api/checks')).body;
  t.same(
    checks.map(({ name }: { name: string }) => name),
    [
      'config',
      'redirect',
      'db',
      'passwords',
      'provider',
      'hook',
      'keys',
      'webauthn',
      'clock',
      'app-schema',
      'sso',
      'templates',
      'mail',
      'smtp',
    ],
  );
  const find = (name: string) => checks.find((one: { name: string }) => one.name === name);
  t.match(find('hook'), { argument: 'hook', choices: ['send_sms'], runs: [] });
  t.match(await runCheck(browser, 'config'), { state: 'passed', output: /AUTH_SITE_URL .*\nThe configuration is/s });
  t.match(await runCheck(browser, 'db'), { state: 'passed', output: /The database is well/ });
  t.match(await runCheck(browser, 'keys'), { state: 'passed', output: /Every key works/ });
  t.match(await runCheck(browser, 'clock'), { state: 'passed', output: /The clocks agree/ });
  t.match(await runCheck(browser, 'app-schema'), { state: 'impossible', output: /AUTH_DB_APP_SCHEMA is not set/ });
  t.match(await runCheck(browser, 'templates'), { state: 'passed', output: /built-in/ });
  t.match(await runCheck(browser, 'redirect', 'https://evil.example'), { state: 'failed', output: /^refused/ });
  const hook = await runCheck(browser, 'hook', 'send_sms');
  t.equal(hook.state, 'failed');
  t.notMatch(hook.output + JSON.stringify(await browser.get('/api/checks')), /hidden-word/);
  t.notMatch((await runCheck(browser, 'config')).output, /hidden-word/);

  const start = (name: string, argument: string) => browser.post(`/api/checks/${name}`, { argument });
  t.match(await start('nothing', ''), { status: 404, body: { error_code: 'check_unknown' } });
  for (const [name, argument] of [
    ['hook', 'send_email'],
    ['db', 'x'],
    ['redirect', ''],
    ['provider', 'github'],
  ] as const) {
    t.match(await start(name, argument), { status: 422, body: { error_code: 'check_argument' } }, name);
  }
  t.match(await start('smtp', ''), { status: 422, body: { error_code: 'operator_address' } });
  const viewer = await console.signIn('viewer');
  t.equal((await viewer.get('/api/checks/config')).status, 403, 'what is printed');
  const listed = (await viewer.get('/api/checks')).body.checks[0].runs;
  t.match(listed, [{ state: 'passed', operator_name: 'ann', host: /./ }]);
  t.notOk('output' in listed[0]);
  const { rows } = await console.database.admin.query(
    "select payload from audit_log where payload ->> 'action' = 'check_started'",
  );
  t.equal(rows.length, 9, 'one for each run');
  t.match(rows[0].payload.traits, { operator: { name: 'ann' }, check: 'config' });
});

t.test('a test mail goes to its operator alone, and shows each step while it runs', async (t) => {
  const mailServer = await openTestMailServer(t);
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  mailServer.react = (step) => (step === 'data' ? held.then(() => 'accept' as const) : 'accept');
  const settings = {
    SMTP_HOST: '127.0.0.1',
    SMTP_PORT: String(mailServer.port),
    SMTP_ADMIN_EMAIL: 'no-reply@example.com',
  };
  const console = await openTestConsole(t, settings);
  const browser = await console.signIn('admin', 'ann@example.com');
  const read = async () => (await browser.get('/api/checks/smtp?argument=recovery')).body.run as Run;
  t.equal((await browser.post('/api/checks/smtp', { argument: 'recovery' })).status, 202);
  await until(async () => /naming the recipient/.test((await read()).output));
  t.match(await read(), { state: 'running', ended_at: null });
  t.match(await browser.post('/api/checks/smtp', { argument: 'recovery' }), {
    status: 409,
    body: { error_code: 'check_running' },
  });
  release();
  await until(async () => (await read()).state === 'passed');
  const [mail] = await mailServer.waitForMails(1);
  t.match(mail, { to: [{ address: 'ann@example.com' }], subject: 'Reset Your Password', text: /Reset your password/i });
  await console.database.admin.query(
    "update check_runs set state = 'running', started_at = now() - interval '2 minutes' where name = 'smtp'",
  );
  t.equal((await read()).state, 'lost', 'its process has ended');
  t.equal((await browser.post('/api/checks/smtp', { argument: 'recovery' })).status, 202, 'and another may run');
});

t.test('credentials in URLs are hidden', async (t) => {
  for (const [text, shown] of [
    ['x postgres://u:p@h/d y', 'x postgres://(hidden)@h/d y'],
    ['postgres://u:p@ss@h/d', 'postgres://(hidden)@h/d'],
    ['"https://h/a?token=1&b=2",', '"https://h/a?(hidden)",'],
    ['https://h/a b@c ?d', 'https://h/a b@c ?d'],
    ['https://a/x?t=1,https://u:p@b/y?u=2#f', 'https://a/x?(hidden),https://(hidden)@b/y?(hidden)#f'],
    ['https://a?u=https://b?t', 'https://a?(hidden)'],
    ['https://a,https://b', 'https://a,https://b'],
  ] as const) {
    t.equal(hideCredentials(text), shown);
  }
  // What an operator stores is shown to others: no text may hold the thread.
  const { ms } = await findQuickest(2000, async () => {
    for (const slow of ['a.', 'a://', '://@', '?://', 'http://a?']) hideCredentials(slow.repeat(50_000));
  });
  t.ok(ms < 2000, `${ms} ms`);
});
