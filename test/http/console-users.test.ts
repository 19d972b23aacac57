/** The console finds users, shows one and changes them, each change with its audit entry. */
import { randomUUID } from 'node:crypto';
import { openTestConsole, type SignedInOperator, type TestConsole } from '../support/console.js';
import { freshEmail, password } from '../support/server.js';
import { openTestMailServer } from '../support/smtp.js';
import { t } from '../support/tap.js';

async function signUp({ post }: TestConsole, email = freshEmail()) {
  const { body } = await post('/signup', { email, password });
  return { id: body.user.id as string, email, bearer: body.access_token as string };
}

const emailsOf = (answer: { body: { users: { email: string }[] } }) => answer.body.users.map(({ email }) => email);

/** All pages of a list. */
async function readAll(browser: SignedInOperator, query: string): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const answer = await browser.get(`/api/users?${query}&cursor=${cursor}`);
    if (answer.status !== 200) throw new Error(answer.text);
    found.push(...emailsOf(answer));
    cursor = answer.body.next_cursor;
  }
  return found;
}

t.test('users are found by the beginning of an address, number or id, page by page', async (t) => {
  const console = await openTestConsole(t, { EXTERNAL_PHONE_ENABLED: 'true', SMS_AUTOCONFIRM: 'true' });
  const browser = await console.signIn('viewer');
  const { admin } = console.database;
  await admin.query(`
    insert into users (id, aud, role, email, phone, email_confirmed_at, app_metadata, created_at)
    select gen_random_uuid(), 'authenticated', 'authenticated', 'user' || lpad(n::text, 3, '0') || '@example.com', (15550000000 + n)::text,
      case when n % 2 = 0 then now() end, jsonb_build_object('providers', case when n % 5 = 0 then '["github"]'::jsonb
        else '["email"]'::jsonb end), now() - n * interval '1 minute'
    from generate_series(1, 250) n`);
  const expected = Array.from({ length: 250 }, (_, n) => `user${String(n + 1).padStart(3, '0')}@example.com`);
  t.same(await readAll(browser, 'q=USER&limit=7'), expected, 'in the order of the addresses');
  t.same(await readAll(browser, 'limit=7'), expected, 'newest first');
  t.same(await readAll(browser, 'q=user01&limit=4'), expected.slice(9, 19));
  t.same(emailsOf(await browser.get('/api/users?q=user042@example.com')), ['user042@example.com']);
  t.same(emailsOf(await browser.get('/api/users?q=%2B1%20555%20000%200042')), ['user042@example.com']);
  t.same(await readAll(browser, 'q=1555000001&limit=3'), expected.slice(9, 19));
  for (const q of ['nobody', 'er042', '%25', '_ser', "user'"]) {
    t.same(emailsOf(await browser.get(`/api/users?q=${q}`)), [], q);
  }
  const { id } = (await browser.get('/api/users?q=user042')).body.users[0];
  t.same(emailsOf(await browser.get(`/api/users?q=${id}`)), ['user042@example.com']);
  t.ok(emailsOf(await browser.get(`/api/users?by=id&q=${id.slice(0, 13)}`)).includes('user042@example.com'));
  t.same(emailsOf(await browser.get(`/api/users?by=id&q=abc`)), [], 'too short');
  await admin.query(`
    update users set id = ('0badcafe-0000-4000-8000-' || lpad((15550000250 - phone::bigint)::text, 12, '0'))::uuid
    where phone::bigint > 15550000230`);
  t.same(await readAll(browser, 'q=0badcafe-&limit=6'), expected.slice(230).reverse(), 'in the order of the ids');
  t.same(await readAll(browser, 'by=id&q=0badcafe&limit=20'), expected.slice(230).reverse());
  const { next_cursor } = (await browser.get('/api/users?q=0badcafe-&limit=6')).body;
  t.equal(
    (await browser.get(`/api/users?q=0badcaf0-&cursor=${next_cursor}`)).status,
    400,
    'a cursor of another search',
  );

  t.equal((await readAll(browser, 'confirmed=true&limit=10')).length, 125);
  t.equal((await readAll(browser, 'provider=github')).length, 50);
  t.equal((await readAll(browser, 'provider=github&confirmed=false')).length, 25);
  t.equal((await readAll(browser, 'banned=true')).length, 0);
  const hour = new Date(Date.now() - 3_600_000).toISOString();
  const since = (await readAll(browser, `created_from=${hour}`)).length;
  t.equal(since + (await readAll(browser, `created_before=${hour}`)).length, 250);
  for (const bad of ['limit=0', 'cursor=x', 'banned=maybe', 'created_from=yesterday', 'by=name&q=x']) {
    t.equal((await browser.get(`/api/users?${bad}`)).status, 400, bad);
  }
  await admin.query('analyze users');
  t.equal((await browser.get('/api/users')).body.about_total, 250);
});

t.test('a search that finds little stops, says where, and goes on there', async (t) => {
  const console = await openTestConsole(t);
  const browser = await console.signIn('viewer');
  await console.database.admin.query(`
    insert into users (id, aud, role, email, is_anonymous, created_at)
    select gen_random_uuid(), 'authenticated', 'authenticated', 'u' || n || '@example.com', n in (5, 15000), now() - n * interval '1 second'
    from generate_series(1, 20500) n`);
  const first = await browser.get('/api/users?anonymous=true');
  t.same(emailsOf(first), ['u5@example.com']);
  t.type(first.body.searched_until, 'string');
  t.same(await readAll(browser, 'anonymous=true'), ['u5@example.com', 'u15000@example.com']);
});

t.test('one user: what there is, changes against the state that was seen, sessions one by one', async (t) => {
  const console = await openTestConsole(t);
  const browser = await console.signIn('support', 'ann');
  const user = await signUp(console);
  const other = (await console.post('/token?grant_type=password', { email: user.email, password })).body;
  const path = `/api/users/${user.id}`;
  const seen = await browser.get(path);
  t.match(seen.body, { user: { id: user.id, identities: [{}] }, passkeys: [] });
  t.equal(seen.body.sessions.length, 2);
  t.notMatch(seen.text, /password_hash|argon2/);

  const change = (tag: string, body: object) => browser.call('PUT', path, { body, headers: { 'if-match': tag } });
  const tag = String(seen.headers['etag']);
  const changed = await change(tag, { user_metadata: { plan: 'pro' }, reason: 'ticket 7' });
  t.match(changed, { status: 200, body: { user_metadata: { plan: 'pro' } } });
  t.match(await change(tag, { user_metadata: { plan: 'free' } }), {
    status: 412,
    body: { error_code: 'user_changed' },
  });
  t.equal((await change(String(changed.headers['etag']), { user_metadata: { plan: null } })).status, 200);
  const both = String((await browser.get(path)).headers['etag']);
  const race = await Promise.all([1, 2].map((n) => change(both, { user_metadata: { n } })));
  t.same(race.map(({ status }) => status).sort(), [200, 412], 'of two changes of one state one is made');

  const { session_id } = JSON.parse(Buffer.from(other.access_token.split('.')[1], 'base64url').toString());
  t.equal((await browser.call('DELETE', `${path}/sessions/${session_id}`)).status, 204);
  t.equal((await browser.call('DELETE', `${path}/sessions/${session_id}`)).status, 404);
  const refresh = await console.post('/token?grant_type=refresh_token', { refresh_token: other.refresh_token });
  t.equal(refresh.status, 400);
  t.equal((await console.call('GET', '/user', { bearer: user.bearer })).status, 200, 'the other session goes on');
  t.equal((await browser.call('DELETE', `${path}/sessions`)).status, 204);
  t.same((await browser.get(path)).body.sessions, []);

  const { entries } = (await browser.get(`${path}/activity`)).body;
  const actions = entries.map((entry: { payload: { action: string } }) => entry.payload.action);
  t.same([...new Set(entries.map((entry: { ip_address: string }) => entry.ip_address))], ['127.0.0.1']);
  t.same(actions.slice(0, 6), ['logout', 'logout', 'user_modified', 'user_modified', 'user_modified', 'login']);
  // Of one statement, so at the same time.
  t.same(actions.slice(6).sort(), ['login', 'user_signedup']);
  t.match(entries[4].payload, {
    actor_username: 'ann',
    actor_id: browser.operatorId,
    traits: {
      operator: { name: 'ann', role: 'support' },
      request_id: /^[0-9a-f-]{36}$/,
      reason: 'ticket 7',
      user_id: user.id,
      before: { user_metadata: { plan: null } },
      after: { user_metadata: { plan: 'pro' } },
    },
  });
  const byOperator = (await browser.get(`/api/activity?person=${browser.operatorId}`)).body.entries;
  t.ok(byOperator.length >= 5);
});

t.test('codes that are out: what for, sent where, until when, and never the code', async (t) => {
  const smtp = await openTestMailServer(t);
  const console = await openTestConsole(t, {
    SMTP_HOST: '127.0.0.1',
    SMTP_PORT: String(smtp.port),
    SMTP_ADMIN_EMAIL: 'auth@example.com',
    MAILER_AUTOCONFIRM: 'true',
    MAILER_OTP_EXP: '600',
  });
  const browser = await console.signIn('viewer');
  const [user, other] = [await signUp(console), await signUp(console)];
  const codesOf = async ({ id }: { id: string }) => (await browser.get(`/api/users/${id}`)).body.codes;
  t.same(await codesOf(user), []);
  await console.post('/recover', { email: user.email });
  const [mail] = await smtp.waitForMails(1);
  const sent = /\b\d{6}\b/.exec(mail!.text!)![0];
  const [code] = await codesOf(user);
  t.match(code, {
    kind: 'recovery',
    recipient: user.email,
    has_link: true,
    has_code: true,
    wrong_tries: 0,
  });
  t.equal(Date.parse(code.expires_at) - Date.parse(code.created_at), 600_000);
  t.ok(Date.parse(code.expires_at) > Date.now());
  const { text } = await browser.get(`/api/users/${user.id}`);
  t.notOk(text.includes(sent));
  const { rows } = await console.database.admin.query('select link_hash, code_hash from one_time_tokens');
  t.notOk(text.includes(rows[0].link_hash) || text.includes(rows[0].code_hash), 'no hash either');
  t.same(await codesOf(other), []);

  const attempt = { type: 'recovery', email: user.email, token: '000000' };
  for (let n = 1; n <= 10; n += 1) await console.post('/verify', attempt);
  t.match(await codesOf(user), [{ has_code: false, wrong_tries: 10, has_link: true }], 'only the link is left');
  await console.database.admin.query("update one_time_tokens set created_at = now() - interval '601 seconds'");
  t.same(await codesOf(user), [], 'it has run out');
});

t.test('many at once: a result for each, and none without its audit entry', async (t) => {
  const console = await openTestConsole(t);
  const browser = await console.signIn('admin');
  const people = await Promise.all([1, 2, 3].map(() => signUp(console)));
  const ids = people.map(({ id }) => id);
  const missing = randomUUID();
  const bulk = (action: string, more = {}) =>
    browser.post('/api/users/bulk', { action, ids: [...ids, missing], ...more });
  const banned = await bulk('ban', { reason: 'spam' });
  t.same(banned.body.results, [
    ...ids.map((id) => ({ id, error_code: null, msg: null })),
    { id: missing, error_code: 'user_not_found', msg: 'User not found' },
  ]);
  for (const { email } of people) {
    t.match((await console.post('/token?grant_type=password', { email, password })).body, {
      error_code: 'user_banned',
    });
  }
  t.same((await browser.get('/api/users?banned=true')).body.users.length, 3);
  t.equal((await bulk('unban')).status, 200);
  t.equal((await console.post('/token?grant_type=password', { email: people[0]!.email, password })).status, 200);
  t.equal((await bulk('sign_out')).status, 200);
  t.same((await console.database.admin.query('select id from sessions')).rows, []);
  t.equal((await bulk('delete')).status, 400, 'that is another request');
  t.equal((await browser.post('/api/users/bulk', { action: 'ban', ids: [] })).status, 400);

  const deleted = await browser.post('/api/users/bulk-delete', {
    users: [
      { id: ids[0], typed: people[0]!.email },
      { id: ids[1], typed: people[0]!.email },
    ],
  });
  t.match(deleted.body.results, [{ error_code: null }, { error_code: 'user_not_named' }]);
  const one = await browser.call('DELETE', `/api/users/${ids[1]}`, { body: { typed: people[1]!.email.toUpperCase() } });
  t.equal(one.status, 204);
  const { rows } = await console.database.admin.query('select id from users');
  t.same(rows, [{ id: ids[2] }]);
  const { rows: audit } = await console.database.admin.query(
    "select payload ->> 'action' as action, count(*)::int from audit_log where payload ->> 'actor_username' = 'admin' group by 1 order by 1",
  );
  t.match(audit, [
    { action: 'logout', count: 3 },
    { action: 'operator_passkey_added' },
    { action: 'operator_signed_in' },
    { action: 'user_deleted', count: 2 },
    { action: 'user_modified', count: 6 },
  ]);
});

t.test('activity: by action, and a tail that shows each entry', async (t) => {
  const console = await openTestConsole(t);
  const browser = await console.signIn('viewer');
  const since = (await browser.get('/api/activity?limit=1')).body.entries[0].created_at;
  const seen = new Set<string>();
  for (let n = 0; n < 3; n++) {
    await signUp(console);
    const { entries } = (await browser.get(`/api/activity/tail?since=${encodeURIComponent(since)}`)).body;
    for (const { id } of entries) seen.add(id);
  }
  const all = (await browser.get('/api/activity')).body.entries;
  t.ok(all.every(({ id }: { id: string }) => seen.has(id) || all.length > seen.size));
  const signUps = (await browser.get('/api/activity?action=user_signedup&limit=2')).body;
  t.equal(signUps.entries.length, 2);
  const rest = (await browser.get(`/api/activity?action=user_signedup&cursor=${signUps.next_cursor}`)).body;
  t.equal(rest.entries.length, 1);
  t.equal((await browser.get('/api/activity/tail?since=x')).status, 400);
  t.equal((await browser.get('/api/activity/tail')).status, 400);
  t.equal((await browser.get('/api/activity/tail?cursor=x')).status, 400);
});

t.test('a tail that is full goes on after its last entry, of whose time there may be more', async (t) => {
  const console = await openTestConsole(t);
  const browser = await console.signIn('viewer');
  const since = (await browser.get('/api/activity?limit=1')).body.entries[0].created_at;
  await console.database.admin.query(
    `insert into audit_log (payload, created_at)
    select jsonb_build_object('action', 'login', 'n', n), $1::timestamptz + (n / 300) * interval '1 second'
    from generate_series(1, 700) n`,
    [since],
  );
  const seen: number[] = [];
  let [path, asked] = [`since=${encodeURIComponent(since)}`, 0];
  for (; path !== '' && asked < 10; asked++) {
    const { body } = await browser.get(`/api/activity/tail?${path}`);
    for (const { payload } of body.entries) if (payload.n !== undefined) seen.push(payload.n);
    path = body.next_cursor === null ? '' : `cursor=${body.next_cursor}`;
  }
  t.equal(asked, 4);
  const newest = (await browser.get('/api/activity?limit=1')).body.entries[0].created_at;
  const exact = await browser.get(`/api/activity/tail?exact=true&since=${encodeURIComponent(newest)}`);
  t.same(exact.body, { entries: [], next_cursor: null });
  t.same(
    seen.toSorted((a, b) => a - b),
    Array.from({ length: 700 }, (_, index) => index + 1),
    'each once',
  );
});

t.test('activity of one person and one action: no more is looked at than a page may cost', async (t) => {
  const console = await openTestConsole(t);
  const browser = await console.signIn('viewer');
  const person = randomUUID();
  await console.database.admin.query(
    `insert into audit_log (payload, created_at)
    select jsonb_build_object('action', case when n in (2, 10500) then 'user_deleted' else 'login' end,
      case when n % 2 = 0 then 'actor_id' else 'other' end, $1::text,
      'traits', case when n % 3 = 0 or n % 2 = 1 then jsonb_build_object('user_id', $1::text) else '{}' end, 'n', n),
      now() - n * interval '1 second' from generate_series(1, 10600) n`,
    [person],
  );
  const path = `/api/activity?person=${person}&action=user_deleted`;
  const numbersOf = ({ body }: Awaited<ReturnType<typeof browser.get>>): number[] =>
    body.entries.map((entry: { payload: { n: number } }) => entry.payload.n);
  const first = await browser.get(path);
  t.same(numbersOf(first), [2]);
  t.type(first.body.searched_until, 'string');
  const second = await browser.get(`${path}&cursor=${first.body.next_cursor}`);
  t.same(numbersOf(second), [10_500]);
  t.match(second.body, { next_cursor: null, searched_until: null });
  const whole: number[] = [];
  for (let cursor = ''; cursor !== null; ) {
    const answer = await browser.get(`/api/activity?person=${person}&limit=200&cursor=${cursor}`);
    whole.push(...numbersOf(answer));
    cursor = answer.body.next_cursor;
  }
  t.same(
    whole,
    Array.from({ length: 10_600 }, (_, n) => n + 1),
  );
  t.equal((await browser.get('/api/users/x/activity')).status, 404);
});

t.test('redirects and settings say what the API does, and no secret', async (t) => {
  const console = await openTestConsole(t, { URI_ALLOW_LIST: 'https://*.example.com/**' });
  const browser = await console.signIn('viewer');
  const check = async (redirect_to: string) => (await browser.post('/api/redirects/check', { redirect_to })).body;
  t.match(await check('https://a.example.com/x?y=1'), {
    is_allowed: true,
    reason: /matches https:\/\/\*\.example\.com/,
    leads_to: 'https://a.example.com/x?y=1',
    parts: { host: 'a.example.com', path: '/x' },
  });
  t.match(await check('https://evil.example#.example.com'), {
    is_allowed: false,
    leads_to: 'http://localhost:3000',
    parts: { host: 'evil.example' },
  });
  t.match(await check('//'), { is_allowed: false, parts: null });
  const settings = await browser.get('/api/settings');
  const find = (name: string) => settings.body.settings.find((one: { name: string }) => one.name === name);
  t.match(find('AUTH_SITE_URL'), { value: 'http://localhost:3000', is_set: true, section: 'Top level' });
  t.match(find('AUTH_JWT_SECRET'), { is_secret: true, fingerprint: /^[\w-]{22}$/ });
  t.notOk(settings.text.includes('test-secret-test-secret'));

  const form = await browser.get('/api/settings?form=addresses');
  t.match(form.body.groups[0], { title: 'Your site', is_folded: false });
  const rows: readonly { name: string; form: { form: string } }[] = form.body.settings;
  t.same([...new Set(rows.map((row) => row.form.form))], ['addresses']);
  t.match(
    rows.find(({ name }) => name === 'AUTH_URI_ALLOW_LIST'),
    { text: 'https://*.example.com/**', kind: 'list', is_hidden: false, storable: true, stored: false },
  );
  t.match(find('AUTH_JWT_SECRET'), { text: null, is_hidden: true, form: null });
  t.equal((await browser.get('/api/settings?form=of-nobody')).status, 400);
});
