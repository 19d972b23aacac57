import { codeOf, enrolTotp, type Session } from '../support/authenticator-app.js';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';
import { openTripCounter, type TripCounter } from '../support/trip-counter.js';

t.test('a verification takes two trips to the database beside authentication, an enrolment seven', async (t) => {
  let counter!: TripCounter;
  const server = await openTestServer(t, { DB_MAX_POOL_SIZE: '1' }, async (url) => {
    counter = await openTripCounter(t, new URL(url));
    return counter.url;
  });
  const { call, post } = server;
  const least = { user: Infinity, enrol: Infinity, wrong: Infinity, right: Infinity };
  for (let round = 0; round < 5; round++) {
    const session = (await post('/signup', { email: freshEmail(), password })).body as Session;
    const bearer = session.access_token;
    // The first look-up of a token takes one more.
    await call('GET', '/user', { bearer });
    let enrolled!: Awaited<ReturnType<typeof enrolTotp>>;
    const enrol = async () => {
      enrolled = await enrolTotp(server, session);
    };
    least.enrol = Math.min(least.enrol, await counter.during(enrol));
    const { id, secret } = enrolled;
    const { body } = await call('POST', `/factors/${id}/challenge`, { bearer });
    const verify = (code: string) => async () => {
      const answer = await call('POST', `/factors/${id}/verify`, { bearer, body: { challenge_id: body.id, code } });
      t.equal(answer.status, code === '000000' ? 422 : 200);
    };
    // The account has changed.
    await call('GET', '/user', { bearer });
    least.user = Math.min(least.user, await counter.during(() => call('GET', '/user', { bearer })));
    least.wrong = Math.min(least.wrong, await counter.during(verify('000000')));
    least.right = Math.min(least.right, await counter.during(verify(codeOf(secret))));
  }
  // A wrong code is taken from the tries and written to the audit log. An enrolment locks the account, makes room, reads the
  // factors and the session, and writes, in one transaction.
  t.same(least, { user: 1, enrol: 8, wrong: 3, right: 3 });
});
