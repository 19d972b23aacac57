/** Operators change settings of the running server: every process uses them, and faults and conflicts change nothing. */
import { forgetStepUps, openTestConsole, type SignedInOperator } from '../support/console.js';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';
import { WEBHOOK_SECRET } from '../support/webhook-receiver.js';

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

t.test('untouched names merge, touched ones conflict, and the history leads back', async (t) => {
  const console = await openTestConsole(t);
  const ann = await console.signIn('owner', 'ann');
  const bob = await console.signIn('owner', 'bob');
  const store = (browser: SignedInOperator, base_version: number, changes: Record<string, string | null>) =>
    browser.post('/api/config', { base_version, changes });
  t.match(await store(ann, 0, { AUTH_PAGES_NAME: 'Ann', AUTH_CORS_ALLOWED_HEADERS: 'x-ann' }), {
    body: { version: 1 },
  });
  t.match(await store(bob, 0, { AUTH_PAGES_NAME: 'Bob' }), {
    status: 409,
    body: { error_code: 'setting_conflict', conflicts: [{ name: 'AUTH_PAGES_NAME', theirs: 'Ann', by: 'ann' }] },
  });
  t.match(await store(bob, 0, { AUTH_PAGES_NAME: 'Ann', AUTH_REQUEST_ID_HEADER: 'x-bob' }), { body: { version: 2 } });
  t.match(await store(bob, 2, { AUTH_HOOK_SEND_SMS_SECRETS: 'v1,whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0' }), {
    body: { version: 3 },
  });
  const same = await Promise.all(
    ['a', 'b', 'c', 'd'].map((n, at) =>
      store(at % 2 ? ann : bob, 3, {
        [`AUTH_MAILER_SUBJECTS_${['INVITE', 'RECOVERY', 'CONFIRMATION', 'MAGIC_LINK'][at]}`]: n,
      }),
    ),
  );
  t.same(same.map(({ body }) => body.version).sort(), [4, 5, 6, 7], 'four at once are four sets');

  const { sets, next_cursor: next } = (await bob.get('/api/config/history?limit=5')).body;
  t.match(
    sets.map(({ version }: { version: number }) => version),
    [7, 6, 5, 4, 3],
  );
  t.match(sets[4], {
    by: 'bob',
    changes: [{ name: 'AUTH_HOOK_SEND_SMS_SECRETS', is_secret: true, before: null, after: /^[\w-]{22}$/ }],
  });
  const rest = (await bob.get(`/api/config/history?limit=5&cursor=${next}`)).body;
  t.match(rest, {
    next_cursor: null,
    sets: [{ version: 2 }, { version: 1, changes: [{ before: null, after: 'x-ann' }, { after: 'Ann' }] }],
  });
  t.match(await bob.get('/api/config/history?cursor=x'), { status: 400 });

  t.match(await bob.post('/api/config/rollback', { version: 1, base_version: 2 }), { status: 409 });
  t.match(await bob.post('/api/config/rollback', { version: 99, base_version: 7 }), { status: 404 });
  t.match(await bob.post('/api/config/rollback', { version: 1, base_version: 7 }), { body: { version: 8 } });
  t.match(await rowOf(bob, 'AUTH_PAGES_NAME'), { stored: true });
  t.match(await rowOf(bob, 'AUTH_REQUEST_ID_HEADER'), { stored: false });
  t.match((await bob.get('/api/config/history?limit=1')).body.sets[0], { restored: 1 });
  t.match(await bob.post('/api/config/rollback', { version: 7, base_version: 8 }), { body: { version: 9 } });
  const secrets = 'select count(*)::int as n from setting_changes where is_sealed and version in (3, 9)';
  t.same((await console.database.admin.query(secrets)).rows, [{ n: 2 }], 'the secret is back');
});

t.test('what each role may change', async (t) => {
  const console = await openTestConsole(t, { SMTP_PASS: 'kept' });
  const plain = { AUTH_PAGES_NAME: 'Acme' };
  const owners = [
    { AUTH_SMTP_PASS: 'mine' },
    { AUTH_HOOK_SEND_SMS_URI: 'https://hooks.example.com/sms' },
    { ...plain, AUTH_EXTERNAL_GITHUB_SECRET: null },
    // The password would go to the other server.
    { AUTH_SMTP_HOST: 'mail.evil.example' },
  ];
  for (const role of ['viewer', 'support', 'admin', 'owner'] as const) {
    const browser = await console.signIn(role);
    t.equal((await browser.get('/api/config')).status, 200, `${role} reads`);
    t.equal((await browser.get('/api/config/history')).status, 200, `${role} reads the history`);
    const mayChange = role === 'admin' || role === 'owner';
    for (const path of ['/api/config/check', '/api/config']) {
      const { status } = await browser.post(path, { base_version: 99, changes: plain });
      t.equal(status, mayChange ? 200 : 403, `${role} ${path}`);
      for (const changes of owners) {
        if (role === 'owner') continue;
        const answer = await browser.post(path, { base_version: 99, changes });
        t.match(
          answer,
          { status: 403, body: { error_code: 'operator_role' } },
          `${role} ${path} ${Object.keys(changes)}`,
        );
      }
    }
    const back = await browser.post('/api/config/rollback', { version: 1, base_version: 99 });
    t.equal(back.status, mayChange ? 200 : 403, `${role} goes back`);
  }
  const owner = await console.signIn('owner', 'old');
  await forgetStepUps(console);
  t.match(await owner.post('/api/config', { base_version: 99, changes: { AUTH_PAGES_NAME: 'x' } }), {
    body: { error_code: 'operator_step_up' },
  });
});

t.test('what leads outside is tried before it counts', async (t) => {
  const console = await openTestConsole(t);
  const browser = await console.signIn('owner');
  const dead = { AUTH_SMTP_HOST: '127.0.0.1', AUTH_SMTP_PORT: '1', AUTH_SMTP_ADMIN_EMAIL: 'a@example.com' };
  const check = await browser.post('/api/config/check', { base_version: 0, changes: dead });
  t.match(check.body, { faults: [], tried: [{ check: 'smtp', name: '127.0.0.1', is_good: false, stage: 'connect' }] });
  t.match(await browser.post('/api/config', { base_version: 0, changes: dead }), {
    status: 422,
    body: { faults: [], tried: [{ check: 'smtp', is_good: false, detail: /./ }] },
  });
  t.match(await browser.post('/api/config', { base_version: 0, changes: dead, force: true }), { body: { version: 1 } });
  const provider = { AUTH_EXTERNAL_GITHUB_ENABLED: 'true', AUTH_EXTERNAL_GITHUB_CLIENT_ID: 'id' };
  t.match(await browser.post('/api/config', { base_version: 1, changes: provider }), {
    status: 422,
    body: {
      tried: [{ check: 'provider', name: 'github', is_good: false, detail: /AUTH_EXTERNAL_GITHUB_SECRET is missing/ }],
    },
  });
  const hook = {
    AUTH_HOOK_SEND_SMS_ENABLED: 'true',
    AUTH_HOOK_SEND_SMS_URI: 'http://127.0.0.1:1/',
    AUTH_HOOK_SEND_SMS_SECRETS: 'v1,whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0',
  };
  t.match((await browser.post('/api/config/check', { base_version: 1, changes: hook })).body, {
    tried: [{ check: 'hook', name: 'send_sms', is_good: false }],
  });
  await console.database.admin.query(
    "create function public.sends(event jsonb) returns jsonb language sql as $$select '{}'::jsonb$$",
  );
  const byFunction = (name: string) => ({
    AUTH_HOOK_SEND_SMS_ENABLED: 'true',
    AUTH_HOOK_SEND_SMS_URI: `pg-functions://postgres/public/${name}`,
  });
  t.match(await browser.post('/api/config', { base_version: 1, changes: byFunction('absent') }), {
    status: 422,
    body: { tried: [{ check: 'hook', is_good: false, detail: /there is no function public\.absent/ }] },
  });
  t.match((await browser.post('/api/config/check', { base_version: 1, changes: byFunction('sends') })).body, {
    faults: [],
    tried: [{ check: 'hook', name: 'send_sms', is_good: true }],
  });
});

t.test('a set is an event, without its values', async (t) => {
  const console = await openTestConsole(t, { WEBHOOKS_URL: 'https://example.com/', WEBHOOKS_SECRETS: WEBHOOK_SECRET });
  const browser = await console.signIn('owner', 'ann');
  // Before the sets: which of them the process has when the next request comes is open.
  const { body: person } = await console.post('/signup', { email: freshEmail(), password });
  const changes = { AUTH_DISABLE_SIGNUP: 'true', AUTH_PAGES_NAME: 'Acme' };
  t.match(await browser.post('/api/config', { base_version: 0, changes }), { body: { version: 1 } });
  t.match(await browser.post('/api/config/rollback', { base_version: 1, version: 0 }), { body: { version: 2 } });
  const sql = "select user_id, data from events where type = 'settings.changed' order by data -> 'version'";
  const names = ['AUTH_DISABLE_SIGNUP', 'AUTH_PAGES_NAME'];
  const { rows } = await console.database.admin.query(sql);
  t.match(rows, [
    { user_id: null, data: { version: 1, names, changed_by: 'ann', request_id: String, ip: '127.0.0.1' } },
    { data: { version: 2, names, restored: 0 } },
  ]);
  // As for what an administrator does with a token.
  t.equal((await browser.post('/api/users/bulk', { action: 'ban', ids: [person.user.id] })).status, 200);
  const ofUser = "select data from events where type = 'user.banned'";
  const [banned] = (await console.database.admin.query(ofUser)).rows;
  const actor = { type: 'operator', id: browser.operatorId, role: 'owner' };
  for (const { data } of [...rows, banned]) t.same(data.actor, actor);
  t.notMatch(JSON.stringify(rows), /Acme/);
});
