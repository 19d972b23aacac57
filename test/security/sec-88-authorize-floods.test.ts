import { MAX_WAITING_FLOWS } from '../../src/db/prune.js';
import { openExternalFlow } from '../support/external-flow.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

const SITE = 'https://app.example.com';
const settings = { SITE_URL: SITE };
/** A bucket that does not refill during the test. */
const limited = { ...settings, RATE_LIMIT_HEADER: 'X-Client', RATE_LIMIT_AUTHORIZE: '0' };
const MAX_TARGET_BYTES = 2048;

t.test('SEC-88: how often a client may begin a sign-in at a provider is limited', async (t) => {
  const { url, database, post } = await openExternalFlow(t, ['github'], {
    ...limited,
    SECURITY_MANUAL_LINKING_ENABLED: 'true',
  });
  const signedUp = await post('/signup', { email: 'ann@example.com', password: 'correct horse' });
  const bearer = signedUp.body.access_token ?? (await signIn()).body.access_token;
  async function signIn() {
    await database.admin.query('update users set email_confirmed_at = now()');
    return post('/token?grant_type=password', { email: 'ann@example.com', password: 'correct horse' });
  }
  const begin = (client: string, path = '/authorize') =>
    fetch(`${url}${path}?provider=github`, {
      redirect: 'manual',
      headers: { 'x-client': client, ...(path !== '/authorize' && { authorization: `Bearer ${bearer}` }) },
    });
  const answers = [];
  for (let n = 0; n < 40; n++) {
    answers.push(await begin('203.0.113.9', n % 2 === 0 ? '/authorize' : '/user/identities/authorize'));
  }
  t.equal(answers.filter(({ status }) => status === 302).length, 30, 'linking counts with it');
  const refused = answers.filter(({ status }) => status === 429);
  t.equal(refused.length, 10);
  t.match(await refused[0]!.json(), { code: 429, error_code: 'over_request_rate_limit' });
  t.ok(Number(refused[0]!.headers.get('retry-after')) >= 1);
  const { rows } = await database.admin.query('select count(*)::int as n from flow_states');
  t.equal(rows[0].n, 30, 'rejected requests store nothing');
  t.equal((await begin('203.0.113.10')).status, 302, 'another client is not touched');
});

t.test('SEC-88: the target that is stored has 2 kB at most', async (t) => {
  const { openBrowser, database, providers } = await openExternalFlow(t, ['github'], settings);
  const stored = async (target: string) => {
    const browser = openBrowser();
    const { status, location } = await browser.leave('github', { redirect_to: target });
    t.equal(status, 302);
    const { rows } = await database.admin.query(
      'select redirect_to, octet_length(redirect_to) as bytes from flow_states order by created_at desc limit 1',
    );
    t.ok(rows[0].bytes <= MAX_TARGET_BYTES, `${rows[0].bytes} bytes`);
    const landing = await browser.comeBack(await providers.signIn(location));
    t.ok(landing.location.href.startsWith(rows[0].redirect_to), 'and it leads there');
    return rows[0].redirect_to as string;
  };
  const ofLength = (length: number) => `${SITE}/`.padEnd(length, 'a');
  t.equal(await stored(ofLength(MAX_TARGET_BYTES)), ofLength(MAX_TARGET_BYTES));
  t.equal(await stored(ofLength(MAX_TARGET_BYTES + 1)), SITE, 'like any target that is not permitted');
  t.equal(await stored(`${SITE}/${'ä'.repeat(300)}`), `${SITE}/${'%C3%A4'.repeat(300)}`);
  t.equal(await stored(`${SITE}/${'ä'.repeat(400)}`), SITE, 'as it is stored, not as it was written');
});

t.test('SEC-88: no other input of an unauthenticated client makes a flow larger', async (t) => {
  const { openBrowser, database } = await openExternalFlow(t, ['github'], settings);
  const long = 'x'.repeat(3000);
  const query = {
    redirect_to: `${SITE}/`.padEnd(MAX_TARGET_BYTES, 'a'),
    code_challenge: 'c'.repeat(128),
    code_challenge_method: 'S256',
    scopes: long,
    login_hint: long,
  };
  t.equal((await openBrowser().leave('GitHub', query)).status, 302);
  const { rows } = await database.admin.query('select max(octet_length(f::text))::int as bytes from flow_states f');
  t.ok(rows[0].bytes < MAX_TARGET_BYTES + 1024, `${rows[0].bytes} bytes`);
});

t.test('SEC-88: without client addresses, a flood is bounded by the newest flows', async (t) => {
  const { url, database } = await openExternalFlow(t, ['github'], settings);
  const waiting = async () => {
    const { rows } = await database.admin.query(
      "select count(*)::int as n, count(*) filter (where code_challenge = 'old')::int as old from flow_states",
    );
    return rows[0] as { n: number; old: number };
  };
  await database.admin.query(
    `insert into flow_states (authentication_method, provider, redirect_to, code_challenge, created_at)
     select 'oauth', 'github', $1, 'old', now() - interval '1 minute' + n * interval '1 microsecond'
     from generate_series(1, $2::int) n`,
    [SITE, MAX_WAITING_FLOWS],
  );
  // Rows go after a thousand flows, or with the minute.
  const begun = 1000;
  let last = '';
  let left = begun;
  const begin = async () => {
    left -= 1;
    const answer = await fetch(`${url}/authorize?provider=github`, { redirect: 'manual' });
    last = answer.headers.get('location') ?? '';
    if (answer.status !== 302) t.fail(`status ${answer.status}`);
  };
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      while (left > 1) await begin();
    }),
  );
  // All the others are there when this one has rows deleted.
  await begin();
  t.ok(last.includes('state='), 'and no request is refused');
  await until(async () => (await waiting()).n <= MAX_WAITING_FLOWS);
  const { n, old } = await waiting();
  t.equal(n - old, begun, 'the oldest went');
});
