import { createHash, randomBytes } from 'node:crypto';
import pg from 'pg';
import { type Browser, type Landing, openExternalFlow } from '../support/external-flow.js';
import { untilBlocked } from '../support/lock-waits.js';
import { freshEmail, JWT_SECRET } from '../support/server.js';
import { type Test, t } from '../support/tap.js';
import { signTestToken } from '../support/tokens.js';

const PASSWORD = 'correct horse battery';
const OTHER_BROWSER = /^The link was begun in another browser.*PKCE/;
const NO_SESSION = 'Session from session_id claim in JWT does not exist';

const flow = await openExternalFlow(t, ['github', 'google'], {
  SECURITY_MANUAL_LINKING_ENABLED: 'true',
  MAILER_AUTOCONFIRM: 'true',
});
let subjects = 8600;

interface Account {
  readonly id: string;
  readonly email: string;
  readonly bearer: string;
}

async function signUp(): Promise<Account> {
  const email = freshEmail();
  const { body } = await flow.post('/signup', { email, password: PASSWORD });
  return { id: body.user.id, email, bearer: body.access_token };
}

async function signIn({ id, email }: Account): Promise<Account> {
  const { body } = await flow.post('/token?grant_type=password', { email, password: PASSWORD });
  return { id, email, bearer: body.access_token };
}

const logout = (bearer: string, scope: string) => flow.call('POST', `/logout?scope=${scope}`, { bearer });

const providersOf = async (id: string): Promise<string[]> => {
  const text = 'select provider from identities where user_id = $1 order by provider';
  return (await flow.database.admin.query(text, [id])).rows.map(({ provider }) => provider);
};

function makePkce() {
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  return { verifier, query: { code_challenge: challenge, code_challenge_method: 's256' } };
}

/** Requests a link as auth-js does, in a browser that keeps cookies; @returns the provider's URL. */
async function begin(browser: Browser, bearer: string, query: Record<string, string> = {}, headers = {}) {
  const all = new URLSearchParams({ provider: 'github', skip_http_redirect: 'true', ...query });
  const response = await browser.open(`/user/identities/authorize?${all}`, {
    headers: { authorization: `Bearer ${bearer}`, ...headers },
  });
  const body = (await response.json()) as { url: string; error_code: string; msg: string };
  return { status: response.status, ...body };
}

/** The provider's answer for a new user there. */
const answerFor = (url: string) =>
  flow.providers.signIn(url, { as: flow.providers.person('github', { email: freshEmail(), subject: subjects++ }) });

const exchange = (code: string, verifier: string) =>
  flow.post('/token?grant_type=pkce', { auth_code: code, code_verifier: verifier });

function isRefused(t: Test, landing: Landing, status: number, code: string, description: string | RegExp) {
  t.equal(landing.status, status);
  t.equal(landing.query.get('error_code'), code);
  t.match(landing.query.get('error_description'), description);
  t.notOk(landing.fragment.has('access_token'));
}

t.test('SEC-86: without PKCE, a link completes in the browser that began it and in no other', async (t) => {
  const account = await signUp();
  const browser = flow.openBrowser();
  const { url } = await begin(browser, account.bearer);
  t.match(browser.cookie, /^latchkey-browser=/, 'the answer to a script keeps the cookie where it can');
  const answer = await answerFor(url);
  const other = flow.openBrowser();
  isRefused(t, await other.comeBack(answer), 303, 'bad_oauth_state', OTHER_BROWSER);
  await other.leave('github');
  isRefused(t, await other.comeBack(answer), 303, 'bad_oauth_state', OTHER_BROWSER);
  t.same(await providersOf(account.id), ['email']);
  t.equal((await browser.comeBack(answer)).fragment.get('provider'), 'github', 'nothing was used up');
  t.same(await providersOf(account.id), ['email', 'github']);
});

t.test('SEC-86: with PKCE, a link completes with the verifier, not in the redirected browser', async (t) => {
  const account = await signUp();
  const pkce = makePkce();
  const { url } = await begin(flow.openBrowser(), account.bearer, pkce.query);
  const landing = await flow.openBrowser().comeBack(await answerFor(url));
  const code = landing.query.get('code')!;
  t.ok(code);
  t.same(await providersOf(account.id), ['email'], 'who opens the address is not linked by that');
  const { rows } = await flow.database.admin.query('select * from flow_states where linking_target_id = $1', [
    account.id,
  ]);
  t.notMatch(JSON.stringify(rows), /Octo C|@example/, 'what the provider said waits sealed');

  t.match(await exchange(code, makePkce().verifier), { status: 400, body: { error_code: 'bad_code_verifier' } });
  t.same(await providersOf(account.id), ['email']);
  const answers = await Promise.all(Array.from({ length: 20 }, () => exchange(code, pkce.verifier)));
  const linked = answers.filter(({ status }) => status === 200);
  t.equal(linked.length, 1, 'once');
  for (const { status, body } of answers) {
    if (status !== 200) t.match(body.error_code, /^(flow_state_not_found|identity_already_exists)$/);
  }
  t.match(await exchange(code, pkce.verifier), { status: 404, body: { error_code: 'flow_state_not_found' } });
  t.match(linked[0]!.body, { user: { id: account.id }, provider_token: /./ });
  t.same(
    linked[0]!.body.user.identities.map(({ provider }: { provider: string }) => provider),
    ['email', 'github'],
  );
  t.same(await providersOf(account.id), ['email', 'github']);
});

t.test('SEC-86: with PKCE, an impossible link is reported at once, and again at the exchange', async (t) => {
  const [account, other] = [await signUp(), await signUp()];
  const pkce = makePkce();
  const as = flow.providers.person('github', { email: freshEmail(), subject: subjects++ });
  const { url } = await begin(flow.openBrowser(), account.bearer, pkce.query);
  const landing = await flow.openBrowser().comeBack(await flow.providers.signIn(url, { as }));
  const late = makePkce();
  const begun = await begin(flow.openBrowser(), other.bearer, late.query);
  const lateLanding = await flow.openBrowser().comeBack(await flow.providers.signIn(begun.url, { as }));
  t.equal((await exchange(landing.query.get('code')!, pkce.verifier)).status, 200);
  const owned = 'Identity is already linked to another user';
  t.match(await exchange(lateLanding.query.get('code')!, late.verifier), {
    status: 422,
    body: { error_code: 'identity_already_exists', msg: owned },
  });
  const again = await begin(flow.openBrowser(), other.bearer, makePkce().query);
  const refused = await flow.openBrowser().comeBack(await flow.providers.signIn(again.url, { as }));
  isRefused(t, refused, 302, 'identity_already_exists', owned);
  t.same(await providersOf(other.id), ['email']);
});

t.test('SEC-86: a script of another origin, without cookies, needs PKCE and gets an error at once', async (t) => {
  const { bearer } = await signUp();
  for (const site of ['cross-site', 'same-site']) {
    const headers = { 'sec-fetch-site': site };
    const refused = await begin(flow.openBrowser(), bearer, {}, headers);
    t.match(refused, { status: 400, error_code: 'validation_failed', msg: /PKCE/ }, site);
    t.equal((await begin(flow.openBrowser(), bearer, makePkce().query, headers)).status, 200, site);
  }
  t.equal((await begin(flow.openBrowser(), bearer, {}, { 'sec-fetch-site': 'same-origin' })).status, 200);
});

const ends: readonly [name: string, end: (account: Account) => Promise<unknown>][] = [
  ['logout', ({ bearer }) => logout(bearer, 'local')],
  ['logout of the others', async (account) => logout((await signIn(account)).bearer, 'others')],
  ['logout of all', async (account) => logout((await signIn(account)).bearer, 'global')],
  [
    'a new password',
    async (account) => {
      const { bearer } = await signIn(account);
      return flow.call('PUT', '/user', { bearer, body: { password: 'another horse battery' } });
    },
  ],
];

for (const [name, end] of ends) {
  t.test(`SEC-86: after ${name}, a link of the session is not completed`, async (t) => {
    const implicit = await signUp();
    const browser = flow.openBrowser();
    const answer = await answerFor((await begin(browser, implicit.bearer)).url);
    await end(implicit);
    isRefused(t, await browser.comeBack(answer), 302, 'session_not_found', NO_SESSION);
    t.same(await providersOf(implicit.id), ['email']);
    const refused = await begin(flow.openBrowser(), implicit.bearer);
    t.match(refused, { status: 403, error_code: 'session_not_found' }, 'nor does it begin another');

    const early = await signUp();
    const pkce = makePkce();
    const begun = await answerFor((await begin(browser, early.bearer, pkce.query)).url);
    await end(early);
    isRefused(t, await browser.comeBack(begun), 302, 'session_not_found', NO_SESSION);

    const late = await signUp();
    const { url } = await begin(browser, late.bearer, pkce.query);
    const landing = await browser.comeBack(await answerFor(url));
    await end(late);
    t.match(await exchange(landing.query.get('code')!, pkce.verifier), {
      status: 403,
      body: { error_code: 'session_not_found', msg: NO_SESSION },
    });
    for (const { id } of [early, late]) t.same(await providersOf(id), ['email']);
  });
}

t.test('SEC-86: a session that ends while the link is in progress does not link', async (t) => {
  const account = await signUp();
  const browser = flow.openBrowser();
  const answer = await answerFor((await begin(browser, account.bearer)).url);
  // In the order of every statement that ends sessions: the user's row, the sessions, the commit.
  const ending = new pg.Client({ connectionString: flow.database.url });
  await ending.connect();
  await ending.query('begin');
  await ending.query('select from users where id = $1 for no key update', [account.id]);
  await ending.query('delete from sessions where user_id = $1', [account.id]);
  const landing = browser.comeBack(answer);
  await untilBlocked(flow.database);
  await ending.query('commit');
  await ending.end();
  isRefused(t, await landing, 302, 'session_not_found', NO_SESSION);
  t.same(await providersOf(account.id), ['email']);
});

t.test('SEC-86: a token without a session links nothing, by address or by ID token', async (t) => {
  const account = await signUp();
  const { id } = account;
  const made = signTestToken({ sub: id, aud: 'authenticated', role: 'authenticated' }, JWT_SECRET);
  const expected = { status: 403, error_code: 'session_not_found' };
  t.match(await begin(flow.openBrowser(), made), expected);
  const link = async (bearer: string) => {
    const claims = { sub: `g-${subjects++}`, email: freshEmail(), email_verified: true };
    const id_token = await flow.providers.idToken('google', claims);
    const body = { id_token, provider: 'google', link_identity: true };
    return flow.call('POST', '/token?grant_type=id_token', { body, bearer });
  };
  t.match(await link(made), { status: 403, body: { error_code: 'session_not_found' } });
  const ended = await signIn(account);
  await logout(ended.bearer, 'local');
  t.match(await link(ended.bearer), { status: 403, body: { error_code: 'session_not_found' } });
  t.same(await providersOf(id), ['email']);
  t.match(await link(account.bearer), { status: 200, body: { user: { id } } });
  t.same(await providersOf(id), ['email', 'google']);
});
