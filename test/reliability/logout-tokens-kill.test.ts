/** Back-channel logout under kill -9: nothing that was acknowledged is lost, and each token comes at least once. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { claimsOf } from '../support/authenticator-app.js';
import { createTestDatabase } from '../support/database.js';
import { pickForm } from '../support/long-form.js';
import { addClient, type CalledServer, oauthSettings, signInToClient, signUpPerson } from '../support/oauth-client.js';
import { spawnServer } from '../support/process.js';
import { call, openTestServer } from '../support/server.js';
import { onlyInFull, type Test, t } from '../support/tap.js';
import { until } from '../support/until.js';

onlyInFull('two servers that are killed; the same of other work: rel-14-kill');

const KILLS = pickForm({ short: 1, full: 3 });
const SESSIONS = 12;

const sidOf = (token: string): string => String(claimsOf(token)['sid']);

interface Delivery {
  readonly token: string;
  readonly status: number;
}

/** A client that refuses the first token of every third session, after a moment, so that a kill meets attempts in progress. */
async function openReceiver(test: Test) {
  const deliveries: Delivery[] = [];
  const seen = new Set<string>();
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const token = new URLSearchParams(await text(request)).get('logout_token') ?? '';
    const sid = sidOf(token);
    const status = !seen.has(sid) && seen.size % 3 === 0 ? 503 : 200;
    seen.add(sid);
    await pause(Math.random() * 50);
    deliveries.push({ token, status });
    response.writeHead(status).end();
  };
  const listener = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  test.teardown(() => {
    listener.closeAllConnections();
    listener.close();
  });
  return { deliveries, url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/logout` };
}

t.test('kill -9 during logouts and their deliveries', { timeout: 240_000 }, async (t) => {
  const receiver = await openReceiver(t);
  const { url: databaseUrl, admin } = await createTestDatabase(t);
  const settings = oauthSettings({ OUTBOUND_PRIVATE_HOSTS: '127.0.0.1' });
  // The other instance lives in this process.
  const survivor = await openTestServer(t, settings, () => databaseUrl);
  const at: CalledServer = { url: survivor.url, call: (...given) => call(survivor.url, ...given) };
  const client = await addClient(at, { backchannel_logout_uri: receiver.url });
  /** Sessions whose end was acknowledged, by their user. */
  const ended = new Map<string, string>();
  const opened = new Map<string, string>();
  for (let round = 0; round < KILLS; round++) {
    const server = await spawnServer(t, databaseUrl, settings);
    const people = await Promise.all(
      Array.from({ length: SESSIONS }, async () => {
        const person = await signUpPerson({ post: (path, body) => at.call('POST', path, { body }) });
        const { body } = await signInToClient(at, person, client, { parameters: { scope: 'openid' } });
        const sid = sidOf(body.id_token);
        opened.set(sid, person.id);
        return { person, sid };
      }),
    );
    const before = receiver.deliveries.length;
    let isKilled = false;
    const logouts = people.map(async ({ person, sid }, index) => {
      await pause(index * 25);
      if (isKilled) return;
      try {
        const { status } = await call(server.url, 'POST', '/logout', { bearer: person.token });
        if (status === 204) ended.set(sid, person.id);
      } catch (error) {
        // The connection broke: nothing was acknowledged.
        if (!isKilled) throw error;
      }
    });
    await until(() => receiver.deliveries.length > before);
    await pause(Math.random() * 100);
    isKilled = true;
    await server.stop('SIGKILL');
    await Promise.all(logouts);
  }
  const accepted = () =>
    new Set(receiver.deliveries.filter(({ status }) => status === 200).map(({ token }) => sidOf(token)));
  // What the killed instances had claimed comes when the claim has expired; what the client refused, after ten seconds. Both
  // times are the database's, and end early here: between two polls, so that attempts in progress are left alone.
  for (;;) {
    const { rowCount } = await admin.query('update oauth_logouts set next_attempt_at = now()');
    if (rowCount === 0) break;
    await pause(2000);
  }
  t.ok(ended.size >= KILLS, `${ended.size} acknowledged logouts`);
  t.same(
    [...ended.keys()].filter((sid) => !accepted().has(sid)),
    [],
    'each is known to the client',
  );
  const { rows } = await admin.query(
    'select id from sessions where oauth_client_id is not null and revoked_at is null',
  );
  const alive = new Set(rows.map(({ id }) => id));
  t.same(
    [...accepted()].filter((sid) => alive.has(sid) || !opened.has(sid)),
    [],
    'and no session that goes on',
  );
  const keys = createRemoteJWKSet(new URL(`${survivor.url}/.well-known/jwks.json`));
  for (const { token } of receiver.deliveries) {
    const { payload } = await jwtVerify(token, keys, { typ: 'logout+jwt', audience: client.id });
    if (payload.sub !== opened.get(String(payload['sid']))) t.fail(`a token of another user: ${payload['sid']}`);
  }
});
