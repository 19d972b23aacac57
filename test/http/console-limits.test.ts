/** Operators see whom limits hold back, and forgive. */

import { openTestConsole, type SignedInOperator } from '../support/console.js';
import { freshEmail, openTestServer, password, type TestServer } from '../support/server.js';
import { openTestMailServer } from '../support/smtp.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

const CLIENT = '192.0.2.7';
const SETTINGS = { RATE_LIMIT_HEADER: 'X-Client-IP', MAILER_AUTOCONFIRM: 'false', SMTP_MAX_FREQUENCY: '3600' };

const refresh = ({ call }: TestServer, client = CLIENT) =>
  call('POST', '/token?grant_type=refresh_token', { body: { refresh_token: 'x' }, headers: { 'x-client-ip': client } });
const signIn = ({ post }: TestServer, email: string) =>
  post('/token?grant_type=password', { email, password: 'wrong' });

type Held = { name: string; key: string; count: number; wait_seconds: number; until: string };
const heldBack = async (browser: SignedInOperator, query = '') =>
  (await browser.get(`/api/limits?${query}`)).body.held as Held[];
const countersOf = async (browser: SignedInOperator, who: string) =>
  (await browser.post('/api/limits/of', { who })).body as { user_id: string | null; counters: Held[] };

t.test('a client that is held back is listed with its time, and forgiven in every process', async (t) => {
  const console = await openTestConsole(t, { ...SETTINGS, RATE_LIMIT_TOKEN_REFRESH: '1' });
  const other = await openTestServer(t, {
    ...{ ...SETTINGS, RATE_LIMIT_TOKEN_REFRESH: '1', DB_DATABASE_URL: console.database.url },
    // It only has to be on: then operators may forgive.
    CONSOLE_PORT: String(console.consolePort + 1),
  });
  const browser = await console.signIn('support', 'ann');
  t.same(await heldBack(browser), []);
  for (let n = 0; n < 30; n++) await refresh(console);
  t.same(await heldBack(browser), [], 'a full bucket has refused nobody yet');
  t.equal((await refresh(console)).status, 429);
  t.equal((await refresh(other)).status, 429);
  const askedMs = Date.now();
  const [held] = (await heldBack(browser)) as [Held];
  t.match(held, { name: 'client.token', key: CLIENT, count: 30 });
  t.ok(held.wait_seconds > 290 && held.wait_seconds <= 300, 'one request in 300 s');
  const toldMs = Date.parse(held.until) - held.wait_seconds * 1000;
  t.ok(toldMs > askedMs - 1500 && toldMs < Date.now() + 1500, 'from the answer on, to the second');
  t.same(await heldBack(browser, 'name=client.verify'), []);
  t.equal((await heldBack(browser, 'name=client.token')).length, 1);
  t.equal((await browser.get('/api/limits?name=nothing')).status, 400);
  t.match(await countersOf(browser, CLIENT), {
    user_id: null,
    counters: [{ name: 'client.token', was_refused: true }],
  });

  const place = { name: held.name, key: held.key };
  t.equal((await browser.post('/api/limits/forgive', { ...place, reason: 'ticket 9' })).status, 204);
  t.equal((await refresh(console)).status, 400, 'this process knows at once');
  await until(async () => (await refresh(other)).status === 400);
  t.same(await heldBack(browser), []);
  t.match(await browser.post('/api/limits/forgive', { name: 'client.token', key: '192.0.2.8' }), {
    status: 404,
    body: { error_code: 'limit_not_found' },
  });
  t.match(await browser.post('/api/limits/forgive', { name: 'nothing', key: CLIENT }), { status: 404 });
  const { rows } = await console.database.admin.query(
    "select payload from audit_log where payload ->> 'action' = 'limit_forgiven'",
  );
  t.equal(rows.length, 1, 'what was not there is no entry');
  t.match(rows[0].payload, {
    actor_username: 'ann',
    traits: {
      ...{ limit: 'client.token', key: CLIENT, reason: 'ticket 9', request_id: /^[0-9a-f-]{36}$/ },
      before: { count: 30 },
      after: { count: 0 },
    },
  });
});

t.test('a delay after wrong passwords and a send interval are found by the address', async (t) => {
  const { port } = await openTestMailServer(t);
  const mail = { SMTP_HOST: '127.0.0.1', SMTP_PORT: String(port), SMTP_ADMIN_EMAIL: 'a@example.com' };
  const console = await openTestConsole(t, { ...SETTINGS, ...mail });
  const browser = await console.signIn('support');
  const email = freshEmail();
  await console.post('/signup', { email, password });
  t.equal((await console.post('/resend', { type: 'signup', email })).status, 429);
  for (let n = 0; n < 11; n++) await signIn(console, email);
  t.equal((await signIn(console, email)).status, 429);
  const { user_id, counters } = await countersOf(browser, email.toUpperCase());
  t.match(user_id, /^[0-9a-f-]{36}$/);
  const find = (name: string) => counters.find((one) => one.name === name)!;
  t.ok(find('sign_in').wait_seconds > 0);
  t.equal(find('sign_in').count, 10);
  const interval = find('recipient.confirmation');
  t.ok(interval.wait_seconds > 3590 && interval.wait_seconds <= 3600);
  const names = (await heldBack(browser)).map(({ name }) => name);
  t.same([...names].sort(), ['recipient.confirmation', 'sign_in']);
  t.same(await countersOf(browser, freshEmail()), { user_id: null, counters: [] });

  const forgive = ({ name, key }: Held) => browser.post('/api/limits/forgive', { name, key });
  t.equal((await forgive(find('sign_in'))).status, 204);
  t.equal((await signIn(console, email)).status, 400, 'wrong again, and not delayed');
  t.equal((await forgive(interval)).status, 204);
  await until(async () => (await console.post('/resend', { type: 'signup', email })).status === 200);
});

t.test('operators who are held back, and pages of the list', async (t) => {
  // One request in 300 s: what is held back stays so while the pages are read.
  const console = await openTestConsole(t, { RATE_LIMIT_TOKEN_REFRESH: '1' });
  const browser = await console.signIn('viewer', 'ben');
  const support = await console.signIn('support', 'cid');
  for (let n = 0; n < 11; n++) await browser.post('/api/sign-in/password', { name: 'ben', password: 'x', code: '0' });
  t.match(await countersOf(support, 'Ben'), { user_id: null, counters: [{ name: 'sign_in', count: 10 }] });
  t.match(await browser.post('/api/limits/of', { who: 'ben' }), { status: 403, body: { error_code: 'operator_role' } });
  await console.database.admin.query(`
    insert into rate_counters (name, key, level, updated_at)
    select 'client.token', '10.0.' || n / 250 || '.' || n % 250, case when n % 100 = 0 then -31 else 3 end, now()
    from generate_series(1, 45000) n`);
  const found: string[] = [];
  let cursor = '';
  let pages = 0;
  do {
    const { body } = await browser.get(`/api/limits?limit=100${cursor && `&cursor=${cursor}`}`);
    // The sign-in of the operator may be free again by now.
    found.push(...body.held.filter(({ name }: Held) => name === 'client.token').map(({ key }: Held) => key));
    cursor = body.next_cursor ?? '';
    pages += 1;
  } while (cursor !== '');
  t.equal(new Set(found).size, 450, 'each once');
  t.equal(found.length, 450);
  t.ok(pages >= 5);
  t.equal((await browser.get('/api/limits?cursor=x')).status, 400);
});
