import { type Landing, openExternalFlow, readLanding } from '../support/external-flow.js';
import { freshEmail } from '../support/server.js';
import { type Test, t } from '../support/tap.js';

const flow = await openExternalFlow(t, ['github', 'gitlab'], { URI_ALLOW_LIST: 'https://app.example.com/**' });

/** A flow whose browser is on its way back, with what it brings. */
async function halfway(name: 'github' | 'gitlab' = 'github', query: Record<string, string> = {}) {
  const browser = flow.openBrowser();
  const as = flow.providers.person(name, { email: freshEmail(), subject: Math.floor(Math.random() * 1e9) + 1 });
  const { location } = await browser.leave(name, query);
  return { browser, location, answer: await flow.providers.signIn(location, { as }) };
}

const countSessions = async (): Promise<number> =>
  (await flow.database.admin.query('select count(*)::int as count from sessions')).rows[0].count;

/** The browser is redirected to SITE_URL with an error in the query, and no session was created. */
async function refused(t: Test, answer: Promise<Landing>, code: string, description: string) {
  const sessions = await countSessions();
  const landing = await answer;
  t.equal(landing.status, 303);
  t.equal(landing.location.origin + landing.location.pathname, 'http://localhost:3000/');
  t.same(Object.fromEntries(landing.query), {
    error: 'invalid_request',
    error_code: code,
    error_description: description,
  });
  t.equal(landing.location.hash, '');
  t.equal(await countSessions(), sessions);
}

t.test('SEC-60: a state is 256 bits and cannot be forged', async (t) => {
  const states = new Set<string>();
  for (let i = 0; i < 20; i++) {
    const { location } = await flow.openBrowser().leave('github');
    states.add(new URL(location).searchParams.get('state')!);
  }
  t.equal(states.size, 20);
  for (const state of states) t.match(state, /^[A-Za-z0-9_-]{43}$/);
});

t.test('SEC-60: a missing, forged or altered state is rejected', async (t) => {
  const { browser, answer } = await halfway();
  const state = answer.fields['state']!;
  const withState = (value: string | null) => {
    const url = new URL(answer.url);
    if (value === null) url.searchParams.delete('state');
    else url.searchParams.set('state', value);
    return { ...answer, url: url.href };
  };
  await refused(t, browser.comeBack(withState(null)), 'bad_oauth_callback', 'OAuth state parameter missing');
  await refused(t, browser.comeBack(withState('')), 'bad_oauth_callback', 'OAuth state parameter missing');
  const altered = `${state.slice(0, 5)}${state[5] === 'A' ? 'B' : 'A'}${state.slice(6)}`;
  const lastBits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const sameBytes = state.slice(0, -1) + lastBits[lastBits.indexOf(state.at(-1)!) ^ 1];
  for (const value of ['x', 'a.b.c', 'A'.repeat(43), altered, sameBytes, `${state}A`, state.slice(1), ` ${state}`]) {
    await refused(t, browser.comeBack(withState(value)), 'bad_oauth_state', 'OAuth state parameter is invalid');
  }
  t.equal((await browser.comeBack(answer)).fragment.get('provider'), 'github', 'and the real one still works');
});

t.test('SEC-60: a state works once', async (t) => {
  const { browser, answer } = await halfway();
  t.ok((await browser.comeBack(answer)).fragment.get('access_token'));
  await refused(t, browser.comeBack(answer), 'flow_state_already_used', 'State has already been used');
});

t.test('SEC-60: of fifty callbacks at once, one takes the state', async (t) => {
  const { browser, answer } = await halfway();
  const landings = await Promise.all(Array.from({ length: 50 }, () => browser.comeBack(answer)));
  t.equal(landings.filter(({ fragment }) => fragment.has('access_token')).length, 1);
  const codes = landings.map(({ query }) => query.get('error_code')).filter((code) => code !== null);
  t.same(new Set(codes), new Set(['flow_state_already_used']));
});

t.test('SEC-60: another browser is refused and does not consume the state', async (t) => {
  const { browser, answer } = await halfway();
  const description = 'OAuth state was begun in another browser';
  await refused(t, flow.openBrowser().comeBack(answer), 'bad_oauth_state', description);
  const other = await halfway();
  await refused(t, other.browser.comeBack(answer), 'bad_oauth_state', description);
  t.ok((await browser.comeBack(answer)).fragment.get('access_token'));
});

t.test('SEC-60: one browser may have several sign-ins in progress', async (t) => {
  const { browser, answer } = await halfway();
  const second = await browser.leave('gitlab');
  flow.providers.person('gitlab', { email: freshEmail(), subject: 99 });
  const secondAnswer = await flow.providers.signIn(second.location);
  t.equal((await browser.comeBack(answer)).fragment.get('provider'), 'github');
  t.equal((await browser.comeBack(secondAnswer)).fragment.get('provider'), 'gitlab');
});

t.test('SEC-60: provider and target are those of the redirect', async (t) => {
  const target = 'https://app.example.com/here';
  const { browser, answer } = await halfway('github', { redirect_to: target });
  const url = new URL(answer.url);
  url.searchParams.set('provider', 'gitlab');
  url.searchParams.set('redirect_to', 'https://app.example.com/elsewhere');
  const landing = await browser.comeBack({ ...answer, url: url.href });
  t.equal(landing.fragment.get('provider'), 'github');
  t.equal(landing.location.origin + landing.location.pathname, target);

  // A code of one provider with the state of another is sent to the provider of the state.
  const [github, gitlab] = [await halfway('github'), await halfway('gitlab')];
  const mixed = new URL(github.answer.url);
  mixed.searchParams.set('code', gitlab.answer.fields['code']!);
  const calls = flow.providers.requests.length;
  const { query } = await github.browser.comeBack({ ...github.answer, url: mixed.href });
  t.equal(query.get('error'), 'server_error');
  t.match(query.get('error_description'), /^Unable to exchange external code: .{4}$/);
  t.ok(flow.providers.requests.slice(calls).every(({ provider }) => provider === 'github'));
});

t.test('SEC-60: the state expires after ten minutes', async (t) => {
  const [expired, justInTime] = [await halfway(), await halfway()];
  const age = (state: string, seconds: number) =>
    flow.database.admin.query(
      'update flow_states set created_at = now() - make_interval(secs => $2) where id = $1::uuid',
      [Buffer.from(state, 'base64url').toString('hex').slice(0, 32), seconds],
    );
  await age(expired.answer.fields['state']!, 601);
  await age(justInTime.answer.fields['state']!, 590);
  await refused(t, expired.browser.comeBack(expired.answer), 'bad_oauth_state', 'OAuth state has expired');
  t.ok((await justInTime.browser.comeBack(justInTime.answer)).fragment.get('access_token'));
});

t.test('SEC-60: a state of an earlier server secret, or an invented one, is refused', async (t) => {
  const { browser, answer } = await halfway();
  await flow.database.admin.query('delete from flow_states');
  await refused(t, browser.comeBack(answer), 'bad_oauth_state', 'OAuth state not found or expired');
});

t.test('SEC-60: the cookie is for this host, out of reach of scripts, and the same for all of its tabs', async (t) => {
  const browser = flow.openBrowser();
  const { response } = await browser.leave('github');
  t.match(
    response.headers.get('set-cookie'),
    /^latchkey-browser=[A-Za-z0-9_-]{43}; Path=\/; Max-Age=900; HttpOnly; SameSite=Lax$/,
  );
  const { cookie } = browser;
  await browser.leave('github');
  t.equal(browser.cookie, cookie);
  const planted = flow.openBrowser();
  planted.cookie = 'latchkey-browser=short; other=1';
  await planted.leave('github');
  t.not(planted.cookie, 'latchkey-browser=short; other=1', 'what is not a secret of ours is replaced');

  const secure = await openExternalFlow(t, ['github'], { API_EXTERNAL_URL: 'https://auth.example.com' });
  const left = await secure.openBrowser().leave('github');
  t.match(
    left.response.headers.get('set-cookie'),
    /^__Host-latchkey-browser=\S+ Path=\/; .*HttpOnly; SameSite=None; Secure$/,
  );
  const { rows } = await secure.database.admin.query('select browser_hash from flow_states');
  t.notOk(left.response.headers.get('set-cookie')?.includes(rows[0].browser_hash), 'only its hash is stored');
});

t.test('SEC-60: a POST without a state gets the same error', async (t) => {
  const response = await flow.openBrowser().open('/callback', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'code=abc',
  });
  t.equal(readLanding(response).query.get('error_code'), 'bad_oauth_callback');
});
