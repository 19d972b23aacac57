/** Changes of settings as an attacker or a broken client would send them. */
import { openTestConsole } from '../support/console.js';
import { fillDiskFor } from '../support/full-disk.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

t.test('an administrator sends no secret to another server, and calls none in the network of this one', async (t) => {
  const console = await openTestConsole(t, {
    SMS_VONAGE_API_SECRET: 'kept',
    SECURITY_CAPTCHA_SECRET: 'kept',
    MAILER_EMAIL_VALIDATION_SERVICE_HEADERS: '{"Authorization":["kept"]}',
    EXTERNAL_GITLAB_SECRET: 'kept',
  });
  const admin = await console.signIn('admin', 'ada@example.com');
  const places = [
    { AUTH_SMS_VONAGE_API_URL: 'https://evil.example' },
    { AUTH_SECURITY_CAPTCHA_URL: 'https://evil.example' },
    { AUTH_MAILER_EMAIL_VALIDATION_SERVICE_URL: 'https://evil.example' },
    { AUTH_EXTERNAL_GITLAB_URL: 'https://evil.example' },
    // Without a secret the answers would still tell of the network of the server.
    { AUTH_SMTP_HOST: '127.0.0.1' },
    { AUTH_SMTP_PORT: '22' },
    { AUTH_SMS_TWILIO_API_URL: 'https://169.254.169.254' },
    { AUTH_PASSWORD_HIBP_API_URL: 'https://10.0.0.7' },
    { AUTH_EXTERNAL_ALLOWED_ID_TOKEN_ISSUERS: 'https://10.0.0.7;app' },
    // Each new account, or a client, would administer the server.
    { AUTH_JWT_DEFAULT_GROUP_NAME: 'service_role' },
    { AUTH_OAUTH_SERVER_MACHINE_ROLES: 'service_role' },
    // A preview would show what the server reads on its own machine.
    { AUTH_MAILER_TEMPLATES_INVITE: console.url },
  ];
  for (const changes of places) {
    for (const path of ['/api/config/check', '/api/config']) {
      const answer = await admin.post(path, { base_version: 0, changes });
      t.match(answer, { status: 403, body: { error_code: 'operator_role' } }, `${path} ${Object.keys(changes)}`);
    }
  }
  const draft = { kind: 'invite', changes: { AUTH_MAILER_TEMPLATES_INVITE: `${console.url}/health` } };
  const preview = await admin.post('/api/mail/preview', draft);
  t.match(preview, { status: 200, body: { faults: [{ name: 'AUTH_MAILER_TEMPLATES_INVITE', problem: /owners/ }] } });
  t.notMatch(preview.text, 'latchkey');
  const { settings } = (await admin.get('/api/settings')).body;
  const ofOwners = new Set(
    settings.filter((one: { is_of_owners: boolean }) => one.is_of_owners).map((one: { name: string }) => one.name),
  );
  t.ok(
    places.every((changes) => Object.keys(changes).every((name) => ofOwners.has(name))),
    'forms say so',
  );
  const changes = { AUTH_SMTP_HOST: '127.0.0.1', AUTH_SMTP_PORT: '22', AUTH_SMTP_ADMIN_EMAIL: 'a@example.com' };
  for (const draft of [changes, { ...changes, AUTH_SMTP_PASS: 'typed' }]) {
    const tried = await admin.post('/api/mail/test', { changes: draft });
    t.match(tried, { body: { stage: null, steps: [], faults: [{ problem: /owners/ }, { problem: /owners/ }] } });
  }
});

t.test('numbers and texts that the database does not take', async (t) => {
  const console = await openTestConsole(t);
  const owner = await console.signIn('owner');
  t.match(await owner.post('/api/config', { base_version: 0, changes: { AUTH_PAGES_NAME: 'A' } }), { status: 200 });
  const one = { AUTH_PAGES_NAME: 'B' };
  for (const [what, path, body] of [
    ['a version beyond integers', '/api/config/rollback', { version: 2 ** 31, base_version: 1 }],
    ['a larger one', '/api/config/rollback', { version: 1e15, base_version: 1 }],
    ['NUL in a comment', '/api/config', { base_version: 1, changes: one, comment: 'a\0b' }],
    ['half a character in a comment', '/api/config', { base_version: 1, changes: one, comment: '\ud800' }],
    ['half a character in a text', '/api/config', { base_version: 1, changes: { AUTH_PAGES_NAME: '\ud800' } }],
    ['half a character in a secret', '/api/config', { base_version: 1, changes: { AUTH_SMTP_PASS: 'x\udc00' } }],
    ['NUL in a name', '/api/config', { base_version: 0, changes: { 'AUTH_\0': null } }],
    ['half a character in a name', '/api/config', { base_version: 0, changes: { 'AUTH_\ud800': null } }],
    ['NUL in a text', '/api/config', { base_version: 1, changes: { AUTH_PAGES_NAME: 'a\0' } }],
    [
      'a name of objects',
      '/api/config',
      { base_version: 0, changes: JSON.parse('{"__proto__":"x","constructor":"y"}') },
    ],
    [
      'many names',
      '/api/config',
      { base_version: 0, changes: Object.fromEntries(Array.from({ length: 30000 }, (_, n) => [`A${n}`, 'x'])) },
    ],
  ] as const) {
    for (const at of path === '/api/config' ? ['/api/config/check', path] : [path]) {
      const started = Date.now();
      const answer = await owner.post(at, body);
      t.ok(
        answer.status < 500,
        `${what} ${at}: ${answer.status} ${answer.text.slice(0, 200)} ${Date.now() - started} ms`,
      );
    }
  }
  for (const cursor of ['2147483648', '999999999']) {
    t.ok(
      (
        await owner.get(
          `/api/config/history?cursor=${Buffer.from(JSON.stringify([cursor, 'settings'])).toString('base64url')}`,
        )
      ).status < 500,
      cursor,
    );
  }
  t.match((await owner.get('/api/config')).status, 200);
});

t.test('what was written by hand', async (t) => {
  const console = await openTestConsole(t);
  const owner = await console.signIn('owner');
  const { admin } = console.database;
  await admin.query("insert into setting_sets (version, changed_by) values (1, 'by hand')");
  await admin.query(`insert into setting_changes (version, name, text, is_sealed) values
    (1, 'AUTH_SMTP_PASS', 'hush-hush', false), (1, 'AUTH_NEWER', 'x', false), (1, 'AUTH_JWT_SECRET', 'hush-hush', false),
    (1, 'AUTH_HOOK_SEND_SMS_HEADERS', 'not sealed text', true), (1, 'AUTH_PAGES_NAME', 'hand', false),
    (1, 'AUTH_SMS_TWILIO_AUTH_TOKEN', '', false)`);
  const process = async () => (await owner.get('/api/config')).body.processes[0];
  await until(async () => (await process())?.version === 1);
  t.match(await owner.get('/api/settings'), {
    body: {
      notices: [
        'AUTH_HOOK_SEND_SMS_HEADERS',
        'AUTH_JWT_SECRET',
        'AUTH_NEWER',
        'AUTH_SMS_TWILIO_AUTH_TOKEN',
        'AUTH_SMTP_PASS',
      ].map((variable) => ({
        variable,
      })),
    },
  });
  const seen: string[] = [];
  for (const path of ['/api/config', '/api/settings', '/api/config/history', '/api/overview', '/api/activity']) {
    const { status, text } = await owner.get(path);
    t.equal(status, 200, path);
    seen.push(text);
  }
  const conflict = await owner.post('/api/config', {
    base_version: 0,
    changes: { AUTH_SMTP_PASS: 'other', AUTH_PAGES_NAME: 'o' },
  });
  t.match(conflict, { status: 409 });
  seen.push(conflict.text);
  seen.push((await owner.post('/api/config', { base_version: 1, changes: { AUTH_SMTP_PASS: 'other' } })).text);
  seen.push((await owner.post('/api/config', { base_version: 2, changes: { AUTH_NEWER: null } })).text);
  const { rows } = await admin.query('select payload::text from audit_log');
  seen.push(JSON.stringify(rows));
  t.notMatch(seen.join('\n'), 'hush-hush');
  t.match((await owner.get('/api/config')).body, { version: 3 });
});

t.test('credentials in addresses', async (t) => {
  const console = await openTestConsole(t);
  const owner = await console.signIn('owner', 'ann');
  const viewer = await console.signIn('viewer');
  const template = 'https://bucket.example.com/t.html?token=hush-hush';
  const hook = 'https://hooks.example.com/x?token=hush-hush';
  const changes = { AUTH_MAILER_TEMPLATES_INVITE: template, AUTH_HOOK_SEND_SMS_URI: hook };
  const answer = await owner.post('/api/config', { base_version: 0, force: true, changes });
  t.equal(answer.status, 200, answer.text);
  await until(async () => (await owner.get('/api/config')).body.processes[0]?.version === 1);
  const seen: Record<string, string> = {};
  for (const path of [
    '/api/config',
    '/api/settings',
    '/api/config/history',
    '/api/activity?limit=50',
    '/api/mail/templates/invite',
    '/api/hooks',
    '/api/providers',
  ])
    seen[path] = (await viewer.get(path)).text;
  seen['conflict'] = (
    await owner.post('/api/config', {
      base_version: 0,
      force: true,
      changes: { ...changes, AUTH_HOOK_SEND_SMS_URI: 'https://o.example', AUTH_MAILER_TEMPLATES_INVITE: '/x' },
    })
  ).text;
  seen['audit'] = JSON.stringify((await console.database.admin.query('select payload::text from audit_log')).rows);
  seen['events'] = JSON.stringify(
    (await console.database.admin.query('select * from events').catch(() => ({ rows: [] }))).rows,
  );
  for (const [where, text] of Object.entries(seen)) t.notMatch(text, 'hush-hush', where);
});

t.test('long texts and images are described, not printed', async (t) => {
  const console = await openTestConsole(t);
  const owner = await console.signIn('owner');
  const svg = `<svg xmlns="http://www.w3.org/2000/svg"><path d="${'M0 0h9'.repeat(10_000)}"/></svg>`;
  const logo = `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
  const changes = { AUTH_PAGES_LOGO: logo, AUTH_PAGES_NAME: 'a.'.repeat(100_000) };
  t.match(await owner.post('/api/config', { base_version: 0, changes }), { status: 200 });
  const history = await owner.get('/api/config/history');
  const conflict = await owner.post('/api/config', {
    base_version: 0,
    changes: { AUTH_PAGES_LOGO: null, AUTH_PAGES_NAME: 'b' },
  });
  const { rows } = await console.database.admin.query(
    "select payload::text as text from audit_log where payload ->> 'action' = 'settings_changed'",
  );
  for (const text of [history.text, conflict.text, rows[0].text]) {
    t.match(text, /image\/svg\+xml, \d+ bytes, sha256/);
    t.match(text, /… \(200000 characters\)/);
    t.ok(text.length < 6000, String(text.length));
  }
});

t.test('a full disk: the set is refused whole, and may be sent again', async (t) => {
  const console = await openTestConsole(t);
  const owner = await console.signIn('owner');
  const { admin } = console.database;
  // Of a set of three, the last row finds no room.
  const giveRoom = await fillDiskFor(admin, 'AUTH_PAGES_NAME');
  const changes = { AUTH_DISABLE_SIGNUP: 'true', AUTH_JWT_EXP: '600', AUTH_PAGES_NAME: 'Acme' };
  const apply = () => owner.post('/api/config', { base_version: 0, changes });
  const refused = await apply();
  t.match(refused, {
    status: 503,
    body: { error_code: 'settings_not_stored', msg: /the disk of the database is full/ },
  });
  t.notMatch(refused.text, 'base/1/2');
  for (const table of ['setting_sets', 'setting_changes']) {
    t.same((await admin.query(`select 1 from ${table}`)).rows, [], table);
  }
  const audit = "select 1 from audit_log where payload ->> 'action' = 'settings_changed'";
  t.same((await admin.query(audit)).rows, [], 'nor is it in the audit log');
  t.match((await console.call('GET', '/settings')).body, { disable_signup: false });
  t.match((await owner.get('/api/config')).body, { version: 0 });
  await giveRoom();
  t.match(await apply(), { status: 200, body: { version: 1 } });
});
