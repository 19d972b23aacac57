/** What follows wrong codes, over all challenges and factors of a user. */

import { codeOf, enrolTotp, openApp, type Session, verifyWith } from '../support/authenticator-app.js';
import { freshEmail, openTestServer, password, type TestServer } from '../support/server.js';
import { t } from '../support/tap.js';

async function openAccount(server: TestServer) {
  const session = (await server.post('/signup', { email: freshEmail(), password })).body as Session;
  const factors = [];
  for (const friendly_name of ['one', 'two']) factors.push(await enrolTotp(server, session, { friendly_name }));
  return { session, factors };
}

/** Sends wrong codes to the factors in turn, each to a challenge of its own. @returns the last answer */
async function fail(server: TestServer, { session, factors }: Awaited<ReturnType<typeof openAccount>>, times: number) {
  let answer: Awaited<ReturnType<typeof verifyWith>> | undefined;
  for (let n = 0; n < times; n++) {
    const { id, secret } = factors[n % factors.length]!;
    const near = new Set(Array.from({ length: 31 }, (_, index) => codeOf(secret, index - 15)));
    answer = await verifyWith(server, session, id, ['000000', '111111', '222222'].find((code) => !near.has(code))!);
  }
  return answer!;
}

const WRONG = { status: 422, body: { error_code: 'mfa_verification_failed' } };
const DELAYED = { status: 429, body: { error_code: 'over_request_rate_limit' } };

t.test('from the tenth wrong code in a row each has a longer delay, fifteen minutes at most', async (t) => {
  const server = await openTestServer(t);
  const { admin } = server.database;
  const account = await openAccount(server);
  t.match(await fail(server, account, 10), WRONG, 'ten are compared, over two factors');
  /** Seconds until the next try. */
  const readDelay = async (): Promise<number> =>
    (
      await admin.query(
        `select extract(epoch from updated_at - now())::float8 as seconds from rate_counters where name = 'factor_tries'`,
      )
    ).rows[0].seconds;
  const endDelay = () => admin.query(`update rate_counters set updated_at = now() where name = 'factor_tries'`);
  for (let n = 0; n < 12; n++) {
    const [delay, expected] = [await readDelay(), Math.min(2 ** n, 900)];
    // Some of it has passed.
    t.ok(delay <= expected && delay > expected / 2 - 1, `${delay} of ${expected} s`);
    await endDelay();
    t.match(await fail(server, account, 1), WRONG, 'after the delay');
  }
  const longest = await readDelay();
  t.ok(longest > 800 && longest <= 900, `${longest}`);
  const refused = await fail(server, account, 1);
  t.match(refused, DELAYED);
  const wait = Number(refused.headers.get('retry-after'));
  t.ok(wait > 800 && wait <= 900, `${wait}`);
});

t.test('a success ends it, for all factors', async (t) => {
  const server = await openTestServer(t);
  const account = await openAccount(server);
  await fail(server, account, 9);
  const { id, secret } = account.factors[0]!;
  const raised = (await verifyWith(server, account.session, id, openApp(secret).nextCode())).body as Session;
  const later = { session: raised, factors: [account.factors[0]!] };
  for (let n = 0; n < 9; n++) t.match(await fail(server, later, 1), WRONG, `${n}`);
});

t.test('wrong codes of one user delay no other', async (t) => {
  const server = await openTestServer(t);
  const [one, other] = [await openAccount(server), await openAccount(server)];
  await fail(server, one, 10);
  await server.database.admin.query(
    `update rate_counters set updated_at = now() + interval '1 minute' where name = 'factor_tries'`,
  );
  t.match(await fail(server, one, 1), DELAYED);
  const [{ id, secret }] = other.factors as [(typeof other.factors)[0]];
  t.equal((await verifyWith(server, other.session, id, codeOf(secret))).status, 200);
});

t.test('SECURITY_MFA_THROTTLE off: no delay, and ten tries of a challenge all the same', async (t) => {
  const server = await openTestServer(t, { SECURITY_MFA_THROTTLE: 'false' });
  const { call } = server;
  const account = await openAccount(server);
  t.match(await fail(server, account, 13), WRONG);
  const { rows } = await server.database.admin.query("select from rate_counters where name = 'factor_tries'");
  t.same(rows, []);
  const [{ id, secret }] = account.factors as [(typeof account.factors)[0]];
  const bearer = account.session.access_token;
  const challenge = await call('POST', `/factors/${id}/challenge`, { bearer });
  const attempt = (code: string) =>
    call('POST', `/factors/${id}/verify`, { bearer, body: { challenge_id: challenge.body.id, code } });
  for (let n = 0; n < 10; n++) t.equal((await attempt('abc')).status, 422);
  t.match(await attempt(codeOf(secret)), { status: 422, body: { error_code: 'mfa_challenge_expired' } });
});
