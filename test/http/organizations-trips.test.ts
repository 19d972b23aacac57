/** What organizations cost the database. */
import { actWith } from '../support/organizations.js';
import { openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';
import { openTripCounter, type TripCounter } from '../support/trip-counter.js';

t.test('trips to the database: activation, refresh, GET /user and lists', async (t) => {
  let counter!: TripCounter;
  const settings = { ORGANIZATIONS_ENABLED: 'true', DB_MAX_POOL_SIZE: '1' };
  const server = await openTestServer(t, settings, async (databaseUrl) => {
    counter = await openTripCounter(t, new URL(databaseUrl));
    return counter.url;
  });
  const { activate, as, found, join, refresh } = actWith(server);
  const owner = await join();
  const organizations = [await found(owner, 'First'), await found(owner, 'Second')];
  const least: Record<string, number> = {};
  const count = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    least[what] = Math.min(least[what] ?? Infinity, await counter.during(work));
  };
  const read = async (path: string): Promise<void> => {
    const { status } = await as(owner, 'GET', path);
    if (status !== 200) throw new Error(`${path} answered ${status}`);
  };
  for (let round = 0; round < 6; round++) {
    const id = organizations[round % 2]!;
    await count('activation', () => activate(owner, id));
    await count('refresh', () => refresh(owner));
    await count('GET /user', () => read('/user'));
    await count('own organizations', () => read('/organizations'));
    await count('members', () => read(`/organizations/${id}/members`));
  }
  t.same(least, { activation: 2, refresh: 1, 'GET /user': 1, 'own organizations': 2, members: 3 });
});
