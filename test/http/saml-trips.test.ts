/** What sign-in at companies costs those who sign in otherwise: nothing. */
import { openFakeIdp } from '../support/fake-saml-idp.js';
import { samlFlowOn, samlSettings } from '../support/saml-flow.js';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';
import { openTripCounter, type TripCounter } from '../support/trip-counter.js';

const ROUNDS = 5;

/** @returns the least trips to the database of each call */
async function countTrips(settings: Record<string, string>): Promise<Record<string, number>> {
  let counter!: TripCounter;
  const server = await openTestServer(t, { ...settings, DB_MAX_POOL_SIZE: '1' }, async (url) => {
    counter = await openTripCounter(t, new URL(url));
    return counter.url;
  });
  const idp = openFakeIdp();
  // As busy as it gets: a company with domains, one of which may be enforced.
  await samlFlowOn(server).addProvider(idp, { domains: ['acme.example', 'other.example'], enforced: true });
  const email = freshEmail();
  await server.post('/signup', { email, password });
  const least: Record<string, number> = {};
  async function count(what: string, work: () => ReturnType<typeof server.post>) {
    let answer!: Awaited<ReturnType<typeof work>>;
    const trips = await counter.during(async () => {
      answer = await work();
    });
    t.equal(answer.status, 200, what);
    least[what] = Math.min(least[what] ?? Number.POSITIVE_INFINITY, trips);
    return answer.body;
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    const session = await count('password', () => server.post('/token?grant_type=password', { email, password }));
    const { refresh_token } = session;
    const next = await count('refresh', () => server.post('/token?grant_type=refresh_token', { refresh_token }));
    await count('GET /user', () => server.call('GET', '/user', { bearer: next.access_token }));
    await count('GET /user again', () => server.call('GET', '/user', { bearer: next.access_token }));
  }
  return least;
}

t.test('no statement more with SAML on: password, refresh, GET /user', async (t) => {
  const off = await countTrips({});
  const on = await countTrips(samlSettings());
  t.same(on, off);
  t.match(off, { refresh: 1 });
  t.comment(JSON.stringify(off));
});
