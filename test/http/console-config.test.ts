/** Operators change settings of the running server: every process uses them, and faults and conflicts change nothing. */
import { openTestConsole, type SignedInOperator } from '../support/console.js';
import { openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

const isSignupOff = async ({ call }: { call: (method: string, path: string) => Promise<{ body: unknown }> }) =>
  ((await call('GET', '/settings')).body as { disable_signup: boolean }).disable_signup;

type Row = Record<string, unknown> & { name: string };
const rowOf = async (browser: SignedInOperator, name: string) =>
  ((await browser.get('/api/settings')).body.settings as Row[]).find((row) => row.name === name);

t.test('a set reaches every process, and a start after it', async (t) => {
  const console = await openTestConsole(t);
  const shared = { DB_DATABASE_URL: console.database.url };
  const browser = await console.signIn('owner', 'ann');
  t.match((await browser.get('/api/config')).body, { version: 0, changed_at: null, problem: null });
  t.match(await rowOf(browser, 'AUTH_DISABLE_SIGNUP'), {
    storable: true,
    stored: false,
    source: { origin: 'default' },
  });
  t.match(await rowOf(browser, 'AUTH_SITE_URL'), { storable: true, source: { origin: 'environment' } });
  t.match(await rowOf(browser, 'DATABASE_URL'), { storable: false });

  const change = { base_version: 0, changes: { AUTH_DISABLE_SIGNUP: 'true' }, comment: 'closing' };
  t.match(await browser.post('/api/config/check', change), {
    status: 200,
    body: { faults: [], changed: ['AUTH_DISABLE_SIGNUP'] },
  });
  t.equal(await isSignupOff(console), false, 'a check changes nothing');
  t.match(await browser.post('/api/config', change), { status: 200, body: { version: 1 } });
  await until(() => isSignupOff(console));
  t.match(await rowOf(browser, 'AUTH_DISABLE_SIGNUP'), { stored: true, is_set: true, source: { origin: 'database' } });
  await until(async () => (await browser.get('/api/config')).body.processes[0]?.version === 1);
  t.match((await browser.get('/api/config')).body, { version: 1, changed_by: 'ann', processes: [{ error: null }] });

  const other = await openTestServer(t, { ...shared, CONSOLE_PORT: String(console.consolePort + 1) });
  t.equal(await isSignupOff(other), true, 'a process that starts later has it from the start');
  t.match(await browser.post('/api/config', { base_version: 1, changes: { AUTH_DISABLE_SIGNUP: null } }), {
    body: { version: 2 },
  });
  await until(async () => !(await isSignupOff(console)) && !(await isSignupOff(other)));
  const { rows } = await console.database.admin.query(
    "select payload from audit_log where payload ->> 'action' = 'settings_changed' order by created_at",
  );
  t.match(rows, [
    {
      payload: {
        actor_username: 'ann',
        traits: { reason: 'closing', before: { AUTH_DISABLE_SIGNUP: null }, after: { AUTH_DISABLE_SIGNUP: 'true' } },
      },
    },
    { payload: { traits: { before: { AUTH_DISABLE_SIGNUP: 'true' }, after: { AUTH_DISABLE_SIGNUP: null } } } },
  ]);
});

t.test('all faults at once, each with its name', async (t) => {
  const console = await openTestConsole(t);
  const browser = await console.signIn('owner');
  const changes = {
    AUTH_JWT_EXP: 'soon',
    AUTH_SMTP_PORT: 'x',
    AUTH_SITE_URL: 'https://example.com',
    AUTH_JWT_SECRET: 'x'.repeat(32),
    AUTH_NOTHING: '1',
    AUTH_MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS: 'true',
  };
  const answer = await browser.post('/api/config', { base_version: 0, changes });
  t.match(answer, { status: 422, body: { error_code: 'settings_faulty' } });
  const faults = answer.body.faults as { name: string; problem: string }[];
  t.same(faults.map(({ name }) => name).sort(), [
    'AUTH_JWT_EXP',
    'AUTH_JWT_SECRET',
    'AUTH_MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS',
    'AUTH_NOTHING',
    'AUTH_SMTP_PORT',
  ]);
  t.match(
    faults.find(({ name }) => name === 'AUTH_JWT_EXP'),
    { problem: /must be a duration/, example: '15m' },
  );
  t.match(await browser.post('/api/config', { base_version: 0, changes: { AUTH_SITE_URL: 'https://example.com' } }), {
    status: 422,
    body: { faults: [{ name: 'AUTH_SITE_URL', problem: /is set by AUTH_SITE_URL \(environment\)/ }] },
  });
  t.match(await browser.post('/api/config', { base_version: 0, changes: { AUTH_JWT_EXP: 15 } }), { status: 400 });
  t.match((await browser.get('/api/config')).body, { version: 0 });
});
