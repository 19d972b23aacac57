import { spawnServer } from '../support/process.js';
import { untilServed } from '../support/served.js';
import { type Answer, call, freshEmail, freshPhone, openTestServer, password } from '../support/server.js';
import { type Test, t } from '../support/tap.js';

const settings = { EXTERNAL_PHONE_ENABLED: 'true', SMS_AUTOCONFIRM: 'true', CRYPTO_MAX_QUEUE: '1000' };

async function openAccounts(t: Test, more: Record<string, string> = {}) {
  const server = await openTestServer(t, { ...settings, ...more });
  const { admin } = server.database;
  const email = freshEmail();
  await server.post('/signup', { email, password });
  return {
    ...server,
    email,
    signIn: (body: object): Promise<Answer> => untilServed(() => server.post('/token?grant_type=password', body)),
    /** Moves every delay into the past. */
    age: (seconds: number) =>
      admin.query('update rate_counters set updated_at = updated_at - make_interval(secs => $1)', [seconds]),
  };
}

/** The seconds of the delay. */
function assertDelayed(t: Test, { status, body, headers }: Answer, name: string): number {
  t.equal(status, 429, name);
  t.equal(body.error_code, 'over_request_rate_limit', name);
  const seconds = Number(headers.get('retry-after'));
  t.match(body.msg, `retry after ${seconds} seconds`, name);
  return seconds;
}

t.test(
  'SEC-49: from the tenth wrong password in a row an address waits, longer each time, 15 minutes at most',
  async (t) => {
    const { signIn, email, age } = await openAccounts(t);
    for (let n = 1; n <= 10; n++) t.equal((await signIn({ email, password: 'wrong' })).status, 400, `wrong ${n}`);
    const waits: number[] = [];
    for (let n = 11; n <= 21; n++) {
      const seconds = assertDelayed(t, await signIn({ email: email.toUpperCase(), password }), `before try ${n}`);
      waits.push(seconds);
      await age(seconds);
      t.equal((await signIn({ email, password: 'wrong' })).status, 400, `try ${n} after the delay`);
    }
    t.same(waits, [5, 10, 20, 40, 80, 160, 320, 640, 900, 900, 900]);
    await age(900);
    t.equal((await signIn({ email, password })).status, 200, 'never a lock: the right password opens it');
    for (let n = 1; n <= 9; n++) await signIn({ email, password: 'wrong' });
    t.equal((await signIn({ email, password })).status, 200, 'and the count began anew');
  },
);

t.test('SEC-49: failures that are three hours old are forgotten', async (t) => {
  const { signIn, email, age } = await openAccounts(t);
  for (let n = 1; n <= 9; n++) await signIn({ email, password: 'wrong' });
  await age(10_801);
  for (let n = 1; n <= 10; n++) t.equal((await signIn({ email, password: 'wrong' })).status, 400, `wrong ${n}`);
  assertDelayed(t, await signIn({ email, password }), 'the next');
});

t.test('SEC-49: an unknown address, an account without password and a number have the same delay', async (t) => {
  const { signIn, post, database } = await openAccounts(t);
  const passwordless = freshEmail();
  await post('/signup', { email: passwordless, password });
  await database.admin.query('update users set password_hash = null where email = $1', [passwordless]);
  const phone = freshPhone();
  await post('/signup', { phone, password });
  const arms = { unknown: { email: freshEmail() }, passwordless: { email: passwordless }, phone: { phone } };
  for (const [name, contact] of Object.entries(arms)) {
    const bodies = new Set<string>();
    for (let n = 1; n <= 10; n++) bodies.add(JSON.stringify((await signIn({ ...contact, password: 'wrong' })).body));
    t.equal(bodies.size, 1, name);
    t.equal(assertDelayed(t, await signIn({ ...contact, password: 'wrong' }), name), 5, name);
  }
  assertDelayed(t, await signIn({ phone: ` +${phone}`.trim(), password }), 'another spelling of the number');
});

t.test('SEC-49: of a hundred concurrent attempts ten are checked, and the right one is not revealed', async (t) => {
  const { signIn, email, database } = await openAccounts(t);
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, n) => signIn({ email, password: n === 60 ? password : `wrong ${n}` })),
  );
  t.same(
    answers.map(({ status, body }) => `${status} ${body.error_code}`).sort(),
    [
      ...Array.from({ length: 10 }, () => '400 invalid_credentials'),
      ...Array.from({ length: 90 }, () => '429 over_request_rate_limit'),
    ],
    'ten are evaluated; the others are turned away, the right one too',
  );
  t.equal(answers[60]!.status, 429);
  const { rows } = await database.admin.query('select count(*)::int as n from sessions where refreshed_at is null');
  t.equal(rows[0].n, 1, 'no session but the one of the sign-up');

  await database.admin.query('delete from rate_counters');
  await database.admin.query('update users set email_confirmed_at = null where email = $1', [email]);
  const unconfirmed = await Promise.all(
    Array.from({ length: 100 }, (_, n) => signIn({ email, password: n === 60 ? password : `wrong ${n}` })),
  );
  t.equal(unconfirmed[60]!.status, 429, 'a guess that is not checked does not reveal the state of the account');
  t.equal(unconfirmed.filter(({ status }) => status === 400).length, 10);
});

t.test('SEC-49: concurrent right passwords all succeed, and so does one between wrong ones', async (t) => {
  const { signIn, email } = await openAccounts(t);
  const answers = await Promise.all(Array.from({ length: 64 }, () => signIn({ email, password })));
  t.same([...new Set(answers.map(({ status }) => status))], [200]);
  const mixed = await Promise.all(
    Array.from({ length: 18 }, (_, n) => signIn({ email, password: n % 2 === 0 ? password : 'wrong' })),
  );
  t.same(
    mixed.map(({ status }) => status),
    Array.from({ length: 18 }, (_, n) => (n % 2 === 0 ? 200 : 400)),
  );
});

t.test('SEC-49: sign-up, which confirms an account by its password, is no way around', async (t) => {
  const { signIn, post, email, database } = await openAccounts(t);
  await database.admin.query('update users set email_confirmed_at = null where email = $1', [email]);
  const signUp = (secret: string) => post('/signup', { email, password: secret });
  for (let n = 1; n <= 10; n++) t.equal((await signUp(`wrong secret ${n}`)).status, 422, `wrong ${n}`);
  assertDelayed(t, await signUp(password), 'sign-up');
  assertDelayed(t, await signIn({ email, password }), 'sign-in');
});

t.test('SEC-49: one count for two processes, kept over a restart', async (t) => {
  // One process is this one.
  const { url: first, server, email, database } = await openAccounts(t);
  const second = await spawnServer(t, database.url, settings);
  const attempt = (url: string, secret: string) =>
    call(url, 'POST', '/token?grant_type=password', { body: { email, password: secret } });
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, n) => attempt(n % 2 === 0 ? first : second.url, 'wrong')),
  );
  t.equal(answers.filter(({ status }) => status === 400).length, 10);
  await database.admin.query("update rate_counters set updated_at = now() + interval '5 minutes'");
  await Promise.all([server.stop(1), second.stop()]);
  const third = await spawnServer(t, database.url, settings);
  assertDelayed(t, await attempt(third.url, password), 'a new process');
});

t.test('SEC-49: AUTH_SECURITY_LOGIN_THROTTLE=false switches it off', async (t) => {
  const { signIn, email } = await openAccounts(t, { SECURITY_LOGIN_THROTTLE: 'false' });
  for (let n = 1; n <= 15; n++) t.equal((await signIn({ email, password: 'wrong' })).status, 400);
  t.equal((await signIn({ email, password })).status, 200);
});
