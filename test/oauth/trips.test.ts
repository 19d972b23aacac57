/** What the authorization server costs the database. */

import {
  addClient,
  authorize,
  consent,
  oauthSettings,
  redeem,
  refresh,
  signUpPerson,
  type TestClient,
} from '../support/oauth-client.js';
import { openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';
import { openTripCounter, type TripCounter } from '../support/trip-counter.js';

t.test('trips to the database: code exchange, refresh, discovery and keys', async (t) => {
  const settings = oauthSettings();
  const server = await openTestServer(t, settings);
  let counter!: TripCounter;
  // Another instance on the same database: it has not seen the client at the authorization endpoint.
  const other = await openTestServer(t, { ...settings, DB_MAX_POOL_SIZE: '1' }, async () => {
    counter = await openTripCounter(t, new URL(server.database.url));
    return counter.url;
  });
  const person = await signUpPerson(server);

  async function takeCode(client: TestClient): Promise<string> {
    const { location } = await authorize(server, { clientId: client.id, parameters: { scope: 'openid email' } });
    return (await consent(server, person, location)).searchParams.get('code')!;
  }
  const least: Record<string, number> = {};
  async function count(what: string, work: () => ReturnType<typeof redeem>) {
    let answer!: Awaited<ReturnType<typeof redeem>>;
    const trips = await counter.during(async () => {
      answer = await work();
    });
    t.equal(answer.status, 200, what);
    least[what] = Math.min(least[what] ?? Infinity, trips);
    return answer.body;
  }

  for (let round = 0; round < 5; round++) {
    const client = await addClient(server, { token_endpoint_auth_method: 'client_secret_post' });
    const [first, second] = [await takeCode(client), await takeCode(client)];
    await count('code', () => redeem(other, client, first));
    const { refresh_token } = await count('code of a known client', () => redeem(other, client, second));
    await count('refresh', () => refresh(other, client, refresh_token));
    for (const path of ['oauth-authorization-server', 'openid-configuration', 'jwks.json']) {
      await count(path, () => other.call('GET', `/.well-known/${path}`));
    }
  }
  t.same(least, {
    code: 2,
    'code of a known client': 1,
    refresh: 1,
    'oauth-authorization-server': 0,
    'openid-configuration': 0,
    'jwks.json': 0,
  });
});
