/** Refused requests are recorded after their answers, found again, and explained. */
import { randomUUID } from 'node:crypto';
import { openTestConsole, type SignedInOperator, type TestConsole } from '../support/console.js';
import { type Answer, freshEmail, password } from '../support/server.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

// biome-ignore lint/suspicious/noExplicitAny: as the API answers.
type Body = any;

/** The refusals of a query, once there are so many. */
async function waitFor(browser: SignedInOperator, query: string, count: number): Promise<Body[]> {
  let refusals: Body[] = [];
  await until(async () => {
    const answer = await browser.get(`/api/requests?${query}`);
    if (answer.status !== 200) throw new Error(answer.text);
    refusals = answer.body.refusals;
    return refusals.length >= count;
  });
  return refusals;
}

async function explain(browser: SignedInOperator, { request_id }: Body): Promise<Body> {
  const answer = await browser.get(`/api/requests/${request_id}`);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.refusals[0];
}

const outcomesOf = ({ checks }: Body): Record<string, string> =>
  Object.fromEntries(checks.map(({ name, outcome }: Body) => [name, outcome]));

/** What a client learns from an answer: all of it but when it came. */
const learntFrom = ({ status, headers, body }: Answer) => ({
  ...{ status, body },
  headers: [...headers].filter(([name]) => name !== 'date'),
});

async function signUp({ post }: TestConsole) {
  const email = freshEmail();
  const { body } = await post('/signup', { email, password });
  return {
    email,
    id: body.user.id as string,
    bearer: body.access_token as string,
    refresh: body.refresh_token as string,
  };
}

t.test('each sign-in that failed tells how far it came, and why', async (t) => {
  const console = await openTestConsole(t);
  const { post, database } = console;
  const browser = await console.signIn('viewer');
  const { email, id } = await signUp(console);
  const signIn = (given: object) => post('/token?grant_type=password', given);
  const unknown = freshEmail();
  const atAccount = await signIn({ email, password: 'a wrong one' });
  t.equal(atAccount.status, 400);
  t.same(learntFrom(atAccount), learntFrom(await signIn({ email: unknown, password })), 'the client learns nothing');
  await database.admin.query("update users set banned_until = now() + interval '1 day' where id = $1", [id]);
  await signIn({ email, password });
  await database.admin.query('update users set banned_until = null, email_confirmed_at = null where id = $1', [id]);
  await signIn({ email, password });
  await signIn({ email, phone: '+15550001111', password });

  const [both, unconfirmed, banned, noAccount, wrong] = await Promise.all(
    (await waitFor(browser, '', 5)).map((one) => explain(browser, one)),
  );
  t.match(wrong, {
    error_code: 'invalid_credentials',
    status: 400,
    method: 'POST',
    route: '/token',
    grant_type: 'password',
    user_id: id,
    ip: '127.0.0.1',
    reason: /password was wrong/,
    failed: /password is right/,
    message: 'Invalid login credentials',
    left_out: 0,
  });
  t.ok(wrong.advice.length > 20);
  t.same(outcomesOf(wrong), {
    message: 'passed',
    endpoint: 'passed',
    switch: 'does_not_apply',
    caller: 'does_not_apply',
    limit: 'does_not_apply',
    body: 'passed',
    captcha: 'does_not_apply',
    input: 'passed',
    method: 'passed',
    delay: 'passed',
    credentials: 'failed',
    ban: 'not_reached',
    hook: 'not_reached',
    confirmed: 'not_reached',
  });
  t.match(noAccount, { user_id: null, reason: /No account/ });
  t.same(outcomesOf(noAccount), outcomesOf(wrong));
  t.match(banned, { user_id: id, error_code: 'user_banned' });
  t.match(outcomesOf(banned), { credentials: 'passed', ban: 'failed', confirmed: 'not_reached' });
  t.match(outcomesOf(unconfirmed), { ban: 'passed', confirmed: 'failed' });
  const confirmed = unconfirmed.checks.find(({ name }: Body) => name === 'confirmed');
  t.match(confirmed.settings, [{ name: 'AUTH_MAILER_AUTOCONFIRM', value: true, is_set: true, doc: /./ }, {}, {}]);
  t.match(outcomesOf(both), { input: 'failed', method: 'not_reached', credentials: 'not_reached' });
  const { rows } = await database.admin.query('select * from refusals');
  t.notMatch(JSON.stringify(rows), new RegExp(`${email}|${unknown}|${password}|wrong one`), 'no address, no secret');
});

t.test('refusals before the rules: limit, caller, body, endpoint; pages and redirects, too', async (t) => {
  const console = await openTestConsole(t, {
    RATE_LIMIT_HEADER: 'X-Client',
    RATE_LIMIT_VERIFY: '1',
    PAGES_ENABLED: 'true',
  });
  const { post, call } = console;
  const browser = await console.signIn('viewer');
  const { bearer, id, refresh } = await signUp(console);
  const only = async (code: string) => explain(browser, (await waitFor(browser, `code=${code}`, 1))[0]);

  await call('GET', '/nowhere');
  t.same(outcomesOf(await only('not_found')), { message: 'passed', endpoint: 'failed' });
  await call('GET', '/user', { bearer: 'x.y.z' });
  t.match(outcomesOf(await only('bad_jwt')), { endpoint: 'passed', caller: 'failed' });
  await call('PUT', '/user', { bearer, body: '{' });
  const badJson = await only('bad_json');
  t.match(badJson, { user_id: id });
  t.match(outcomesOf(badJson), { caller: 'passed', body: 'failed' });
  const headers = { 'x-client': '192.0.2.7' };
  for (let n = 0; n < 31; n++) await call('POST', '/verify', { headers, body: { type: 'email', token_hash: 'x' } });
  const limited = await only('over_request_rate_limit');
  t.match(limited, { limit: 'client.verify', status: 429 });
  t.match(outcomesOf(limited), { limit: 'failed', body: 'not_reached' });
  const { settings } = limited.checks.find(({ name }: Body) => name === 'limit');
  t.match(
    settings.find(({ name }: Body) => name === 'AUTH_RATE_LIMIT_VERIFY'),
    { value: 1 },
  );

  const page = await call('GET', '/ui/account/nowhere');
  t.ok(page.status >= 400);
  await call('GET', '/callback?state=abc');
  t.match(await only('bad_oauth_state'), { status: 303, route: '/callback', method: 'GET' });
  await call('GET', '/verify?type=signup&token=abc', { headers });
  t.ok((await waitFor(browser, 'code=over_request_rate_limit', 2)).some(({ route }) => route === '/verify'));
  await call('GET', '/verify?type=signup&token=abc', { headers: { 'x-client': '192.0.2.8' } });
  const links = await waitFor(browser, 'code=otp_expired', 31);
  t.match(await explain(browser, links[0]), { status: 303, reason: /no such code/ });

  await post('/token?grant_type=refresh_token', { refresh_token: refresh });
  await console.database.admin.query("update sessions set refreshed_at = now() - interval '1 hour'");
  await post('/token?grant_type=refresh_token', { refresh_token: refresh });
  await post('/token?grant_type=refresh_token', { refresh_token: refresh });
  const [ended, first] = await waitFor(browser, 'code=refresh_token_already_used', 2);
  t.match(await explain(browser, first), { reason: /used before/, user_id: id });
  t.match(outcomesOf(await explain(browser, first)), { refresh_token: 'passed', session: 'passed', reuse: 'failed' });
  t.match(outcomesOf(await explain(browser, ended)), { session: 'failed', reuse: 'not_reached' });
});

t.test('they are found by user, code and time, page by page', async (t) => {
  const console = await openTestConsole(t);
  const browser = await console.signIn('viewer');
  const user = randomUUID();
  await console.database.admin.query(
    `insert into refusals (created_at, request_id, method, route, status, error_code, error, steps, user_id, left_out)
    select now() - n * interval '1 minute', 'r' || n, 'POST', '/token', 400, case when n % 3 = 0 then 'a' else 'b' end,
      case when n = 7 then 'ofANewerRelease' else 'invalidLogin' end, '+message !rules', case when n % 2 = 0 then $1::uuid end, 0
    from generate_series(1, 60) n`,
    [user],
  );
  async function readAll(query: string): Promise<number[]> {
    const found: number[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body }: { body: Body } = await browser.get(`/api/requests?${query}&cursor=${cursor}`);
      found.push(...body.refusals.map((one: Body) => Number(one.request_id.slice(1))));
      cursor = body.next_cursor;
    }
    return found;
  }
  const all = Array.from({ length: 60 }, (_, n) => n + 1);
  t.same(await readAll('limit=7'), all, 'newest first');
  t.same(
    await readAll('limit=4&code=a'),
    all.filter((n) => n % 3 === 0),
  );
  t.same(
    await readAll(`limit=4&user=${user}`),
    all.filter((n) => n % 2 === 0),
  );
  t.same(
    await readAll(`limit=4&user=${user}&code=a`),
    all.filter((n) => n % 6 === 0),
  );
  const at = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  t.same(
    await readAll(`limit=4&from=${at(20.5)}&before=${at(9.5)}`),
    all.filter((n) => n > 9 && n < 21),
  );
  for (const bad of ['user=x', 'from=x', 'before=1', 'cursor=x', 'limit=0']) {
    t.equal((await browser.get(`/api/requests?${bad}`)).status, 400, bad);
  }
  t.match((await browser.get('/api/requests/r7')).body.refusals, [{ advice: /newer release/, message: '' }]);
  t.match(await browser.get('/api/requests/none'), { status: 404, body: { error_code: 'request_not_found' } });
  t.equal((await browser.get('/api/requests')).body.is_recording, true);
});

t.test('where it is switched off nothing is recorded', async (t) => {
  const console = await openTestConsole(t, { CONSOLE_RECORDS_ENABLED: 'false' });
  const browser = await console.signIn('viewer');
  await console.call('GET', '/nowhere');
  await new Promise((resolve) => setTimeout(resolve, 1500));
  t.match((await browser.get('/api/requests')).body, { refusals: [], is_recording: false });
});
