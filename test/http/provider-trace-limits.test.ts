/** What a trace must not be: a store of secrets, a way to sign in twice, a look at strangers; and what a dry run writes. */

import type { ProviderName } from '../../src/server/config/settings/external.js';
import { asAdmin } from '../support/admin.js';
import { credentialsOf, fakeProviders } from '../support/fake-providers/index.js';
import { HOOK_SECRET, openHookReceiver } from '../support/hook-receiver.js';
import { openTracedProviders, type TracedProviders } from '../support/provider-trace.js';
import { openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';
import { openTripCounter, type TripCounter } from '../support/trip-counter.js';

const rowsOf = async ({ console }: TracedProviders): Promise<string> => {
  const { rows } = await console.database.admin.query('select to_jsonb(t) as row from provider_traces t');
  return JSON.stringify(rows);
};

t.test('no code, token, secret, verifier, state or nonce is in the rows, whichever provider', async (t) => {
  const names = Object.keys(fakeProviders) as ProviderName[];
  const traced = await openTracedProviders(t, names);
  const { openTrace, openBrowser, providers } = traced;
  const secrets = new Set<string>();
  for (const name of names) {
    const { path, address } = await openTrace(name, false);
    const browser = openBrowser();
    const departure = await browser.open(path);
    const away = new URL(departure.headers.get('location')!);
    const back = await providers.signIn(away.href);
    const landing = await browser.comeBack(back);
    t.ok(landing.fragment.get('access_token'), name);
    secrets.add(credentialsOf(name).secret);
    for (const url of [path, address]) secrets.add(new URLSearchParams(url.split('?')[1]).get('latchkey_trace')!);
    secrets.add(browser.cookie.split('=')[1]!);
    for (const part of ['state', 'nonce', 'code_challenge', 'oauth_token'])
      secrets.add(away.searchParams.get(part) ?? '');
    for (const part of ['code', 'state', 'user', 'oauth_token', 'oauth_verifier']) secrets.add(back.fields[part] ?? '');
    for (const part of ['access_token', 'refresh_token', 'provider_token', 'provider_refresh_token']) {
      secrets.add(landing.fragment.get(part) ?? '');
    }
  }
  for (const { fields, headers } of providers.requests) {
    for (const part of ['code', 'code_verifier', 'client_secret']) secrets.add(fields.get(part) ?? '');
    const authorization = String(headers['authorization'] ?? '');
    secrets.add(authorization.replace(/^\w+ /, ''));
    for (const [, value] of authorization.matchAll(/oauth_(?:token|signature)="([^"]+)"/g)) {
      secrets.add(value!);
      secrets.add(decodeURIComponent(value!));
    }
  }
  secrets.delete('');
  t.ok(secrets.size > 10 * names.length, `${secrets.size} secrets`);
  const rows = await rowsOf(traced);
  t.ok(rows.length > 10_000);
  const found = [...secrets].filter((secret) => rows.includes(JSON.stringify(secret).slice(1, -1)));
  t.same(found, []);
});

t.test('a provider that repeats everything in its error', async (t) => {
  const traced = await openTracedProviders(t, ['google']);
  const { openTrace, openBrowser, providers } = traced;
  const { id, secret } = credentialsOf('google');
  const { path } = await openTrace('google', false);
  const browser = openBrowser();
  const away = (await browser.open(path)).headers.get('location')!;
  const back = await providers.signIn(away);
  const code = back.fields['code']!;
  const words = `wrong: ${code}, ${encodeURIComponent(secret)}, ${secret}, ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
  const unknown = 'gho_16C7e42F292c6912E7710c838347Ae178B4a';
  const body = { error: 'invalid_grant', error_description: words, access_token: 'tok-of-another', hint: unknown };
  providers.misbehave('google', 'token', { status: 400, body });
  await browser.comeBack(back);
  const rows = await rowsOf(traced);
  t.match(rows, /invalid_grant/);
  for (const text of [code, secret, encodeURIComponent(secret), unknown, 'tok-of-another'])
    t.notOk(rows.includes(text), text);
  t.notOk(rows.includes(Buffer.from(`${id}:${secret}`).toString('base64').slice(0, 20)));
});

t.test('a trace is good for one attempt, at one provider, for ten minutes', async (t) => {
  const traced = await openTracedProviders(t, ['github', 'google']);
  const { console, openTrace, openBrowser, providers, read, operator } = traced;
  const refused = async (path: string, what: string) => {
    const answer = await openBrowser().open(path);
    t.equal(answer.status, 403, what);
    t.match(await answer.json(), { error_code: 'trace_not_usable' });
    t.equal(answer.headers.get('location'), null);
  };
  const used = await openTrace('github', false);
  t.equal((await openBrowser().open(used.path)).status, 302);
  await refused(used.path, 'used');
  const late = await openTrace('github');
  await console.database.admin.query('update provider_traces set expires_at = now() where started_at is null');
  await refused(late.path, 'expired');
  t.equal((await read(late.id)).state, 'expired');
  const other = await openTrace('github');
  for (let previews = 0; previews < 3; previews++) {
    const page = await openBrowser().open(other.address);
    t.equal(page.status, 200, 'whoever only looks at the address does not use it');
    t.equal(page.headers.get('set-cookie'), null);
    t.equal(page.headers.get('referrer-policy'), 'no-referrer');
    t.match(await page.text(), /dry run: you are not signed in/);
  }
  await refused(used.address, 'the address of a used one');
  await refused(late.address, 'the address of an expired one');
  await refused(other.address.replace('provider=github', 'provider=google'), 'the address with another provider');
  await refused(other.path.replace('provider=github', 'provider=google'), 'of another provider');
  t.equal((await read(other.id)).state, 'waiting', 'that did not use it');
  await refused(other.path.slice(0, -1) + (other.path.endsWith('A') ? 'B' : 'A'), 'changed');
  await refused('/authorize?provider=github&latchkey_trace=', 'empty');
  await refused(`/authorize?provider=github&latchkey_trace=${'x'.repeat(43)}`, 'made up');
  t.equal((await console.database.admin.query('select from flow_states')).rowCount, 1, 'no sign-in began');

  const odd = `${other.address}&redirect_to=${encodeURIComponent('"><script>')}`;
  t.notMatch(await (await openBrowser().open(odd)).text(), /<script>/);

  // A state is not good as a trace, nor is a trace as a state.
  const away = new URL((await openBrowser().open('/authorize?provider=github')).headers.get('location')!);
  await refused(`/authorize?provider=github&latchkey_trace=${away.searchParams.get('state')}`, 'a state');
  const ticket = new URLSearchParams(other.path.split('?')[1]).get('latchkey_trace')!;
  const back = await openBrowser().open(`/callback?state=${ticket}&code=x`);
  t.match(back.headers.get('location'), /bad_oauth_state/);

  // Two browsers at once: one begins.
  const raced = await openTrace('github');
  const answers = await Promise.all([1, 2, 3, 4].map(() => openBrowser().open(raced.path)));
  t.same(answers.map(({ status }) => status).sort(), [302, 403, 403, 403]);
  t.match(await operator.get(`/api/traces/${raced.id}`), { body: { state: 'running' } });
  t.ok(providers.requests.length === 0);
});

t.test('strangers: a sign-in without the trace leaves nothing, also while one is open', async (t) => {
  const { console, openTrace, openBrowser, providers, read } = await openTracedProviders(t, ['github']);
  const { id, path } = await openTrace('github');
  const [browser, stranger] = [openBrowser(), openBrowser()];
  const away = await browser.open(path);
  const before = await read(id);
  const { location } = await stranger.leave('github');
  const landing = await stranger.comeBack(await providers.signIn(location));
  t.ok(landing.fragment.get('access_token'));
  await stranger.comeBack(await providers.signIn((await stranger.leave('github')).location, { decision: 'deny' }));
  await stranger.open('/callback?code=x');
  t.same(await read(id), before);
  t.equal((await console.database.admin.query('select from flow_states where trace_id is not null')).rowCount, 1);
  await browser.comeBack(await providers.signIn(away.headers.get('location')!));
  t.equal((await read(id)).state, 'dry_run');
});

t.test('a dry run writes nothing about accounts, whatever was decided, and asks no hook', async (t) => {
  const receiver = await openHookReceiver(t, () => ({}));
  const traced = await openTracedProviders(t, ['google', 'github'], {
    MAILER_AUTOCONFIRM: 'false',
    HOOK_BEFORE_USER_CREATED_ENABLED: 'true',
    HOOK_BEFORE_USER_CREATED_URI: receiver.url,
    HOOK_BEFORE_USER_CREATED_SECRETS: HOOK_SECRET,
  });
  const { attempt, console, providers } = traced;
  const admin = asAdmin(console);
  await admin('POST', '/admin/users', { email: 'linked@example.com', email_confirm: true });
  await admin('POST', '/admin/users', { email: 'unproven@example.com' });
  const tables = ['users', 'identities', 'sessions', 'one_time_tokens', 'outbox', 'rate_counters'];
  const count = async () => {
    const sums = tables.map(
      (name) => `(select md5(coalesce(string_agg(t::text, ',' order by t::text), '')) from ${name} t)`,
    );
    const ours = "(select count(*) from audit_log where payload ->> 'action' <> 'provider_trace_opened')";
    return (await console.database.admin.query(`select ${[...sums, ours].join(', ')}`)).rows[0];
  };
  const people = {
    'new and verified': { email: 'new@example.com', isVerified: true },
    'new and unverified': { email: 'new@example.com', isVerified: false },
    linked: { email: 'linked@example.com', isVerified: true },
    'of an unproven account': { email: 'unproven@example.com', isVerified: true },
  };
  const before = await count();
  const rules = [];
  for (const [what, person] of Object.entries(people)) {
    providers.person('google', person);
    const { answer, trace } = await attempt('google', { isDry: true });
    t.equal(answer.status, 200);
    t.match(answer.headers.get('content-type'), /^text\/html/);
    t.match(await answer.text(), /No account, session or mail was made/);
    t.equal(trace.state, 'dry_run', what);
    rules.push(trace.steps.find(({ kind }: { kind: string }) => kind === 'decision').detail.rule);
  }
  t.same(rules, ['address_new', 'address_unverified', 'address_linked', 'address_proven']);
  t.same(await count(), before);
  t.equal(receiver.calls.length, 0);
  providers.person('google', people['new and verified']);
  t.equal((await attempt('google')).trace.state, 'session');
  t.equal(receiver.calls.length, 1, 'a real one asks it');
});

t.test('traces need the role admin; other administrators see them, too', async (t) => {
  const { console, attempt } = await openTracedProviders(t, ['github']);
  const { id } = await attempt('github', { isDry: true });
  const support = await console.signIn('support');
  for (const path of [`/api/traces/${id}`, '/api/providers/github/traces'])
    t.equal((await support.get(path)).status, 403);
  t.equal((await support.post('/api/providers/github/traces', {})).status, 403);
  t.equal((await support.get('/api/providers/github')).status, 200);
  const owner = await console.signIn('owner');
  t.equal((await owner.get(`/api/traces/${id}`)).body.state, 'dry_run', 'not only who opened it');
});

t.test('another instance takes the attempt up, and without a trace nothing is asked of the database', async (t) => {
  const traced = await openTracedProviders(t, ['github'], {});
  const { console, openTrace, openBrowser, providers, read } = traced;
  let counter!: TripCounter;
  const settings = providers.settings('github');
  const other = await openTestServer(t, { ...settings, DB_MAX_POOL_SIZE: '1' }, async () => {
    counter = await openTripCounter(t, new URL(console.database.url));
    return counter.url;
  });
  const elsewhere = (url: string) => `${other.url}${new URL(url).pathname}${new URL(url).search}`;
  const { id, path } = await openTrace('github', false);
  const browser = openBrowser();
  const away = await browser.open(path);
  const back = await providers.signIn(away.headers.get('location')!);
  const answer = await fetch(elsewhere(back.url), { redirect: 'manual', headers: { cookie: browser.cookie } });
  t.match(answer.headers.get('location'), /#access_token/);
  t.equal((await read(id)).state, 'session');

  const least = { leave: Infinity, return: Infinity };
  for (let round = 0; round < 4; round++) {
    let departure!: Response;
    const leave = await counter.during(async () => {
      departure = await fetch(`${other.url}/authorize?provider=github`, { redirect: 'manual' });
    });
    const cookie = departure.headers.get('set-cookie')!.split(';')[0]!;
    const home = await providers.signIn(departure.headers.get('location')!);
    const returning = await counter.during(() =>
      fetch(elsewhere(home.url), { redirect: 'manual', headers: { cookie } }),
    );
    least.leave = Math.min(least.leave, leave);
    least.return = Math.min(least.return, returning);
  }
  t.same(least, { leave: 1, return: 3 }, 'begin; claim, find the account, sign in');
});
