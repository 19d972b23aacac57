/** Events under kill -9, with several instances, and beside a receiver that never answers. */
import { setTimeout as pause } from 'node:timers/promises';
import { createTestDatabase } from '../support/database.js';
import { pickForm } from '../support/long-form.js';
import { spawnServer } from '../support/process.js';
import { call, freshEmail, openTestServer, password } from '../support/server.js';
import { onlyInFull, t } from '../support/tap.js';
import { assertUnavailable } from '../support/unavailable.js';
import { until } from '../support/until.js';
import { startWebhookReceiver, webhookSettings } from '../support/webhook-receiver.js';

onlyInFull('two servers that are killed; the same of other work: rel-14-kill; that no event is lost: events-retries');

const KILLS = pickForm({ short: 1, full: 2, long: 3 });
const SIGN_UPS = pickForm({ short: 100, full: 300, long: 500 });
const CLIENTS = 4;
/** Attempts for an endpoint at a time, and the time after which one has failed. */
const [LANES, ATTEMPT_MS] = [4, 10_000];

t.test('kill -9 during sign-ups and deliveries loses no event and invents none, on two instances', async (t) => {
  const receiver = await startWebhookReceiver(t);
  // Every third attempt fails, so that a kill also meets repeated ones.
  let calls = 0;
  receiver.answer = () => (++calls % 3 === 0 ? 503 : 204);
  const { url: databaseUrl, admin } = await createTestDatabase(t);
  const settings = webhookSettings(receiver.url, { WEBHOOKS_EVENTS: 'user.created' });
  // The other instance lives in this process.
  await openTestServer(t, settings, () => databaseUrl);
  const acknowledged = new Set<string>();
  for (let round = 0; round < KILLS; round++) {
    const server = await spawnServer(t, databaseUrl, settings);
    let isKilled = false;
    const before = acknowledged.size;
    const clients = Array.from({ length: CLIENTS }, async () => {
      while (!isKilled) {
        try {
          const body = { email: freshEmail(), password };
          const { status, body: answer } = await call(server.url, 'POST', '/signup', { body });
          if (status === 200) acknowledged.add(answer.user.id);
        } catch (error) {
          // The connection broke: nothing was acknowledged.
          if (!isKilled) throw error;
        }
      }
    });
    while (acknowledged.size < before + 2 * CLIENTS) await pause(5);
    await pause(Math.random() * 100);
    isKilled = true;
    await server.stop('SIGKILL');
    await Promise.all(clients);
  }
  receiver.answer = () => 204;
  const delivered = () =>
    new Set(receiver.received.filter(({ status }) => status === 204).map(({ data }) => data.user_id));
  // What the killed instances had claimed comes when the claim has expired, what the receiver refused after a pause. Both times
  // are the database's, and end early here; between two polls, so that attempts in progress are left alone.
  for (;;) {
    await admin.query("update webhook_queues set next_attempt_at = now() where next_attempt_at < 'infinity'");
    await pause(2000);
    const known = delivered();
    if ([...acknowledged].every((id) => known.has(id))) break;
  }
  const { rows } = await admin.query('select id from users');
  const made = new Set(rows.map(({ id }) => id));
  t.same(
    [...acknowledged].filter((id) => !delivered().has(id)),
    [],
    `${acknowledged.size} acknowledged sign-ups`,
  );
  t.same(
    [...delivered()].filter((id) => !made.has(id)),
    [],
    'no event without its account',
  );
  const ids = new Map(receiver.received.map(({ id, data }) => [data.user_id, id]));
  t.ok(
    receiver.received.every(({ id, data, isSigned }) => isSigned && ids.get(data.user_id) === id),
    'one id an account',
  );
});

t.test(`${SIGN_UPS} sign-ups beside a receiver that never answers`, async (t) => {
  const receiver = await startWebhookReceiver(t);
  receiver.answer = () => undefined;
  const { url, post, database } = await openTestServer(t, webhookSettings(receiver.url));
  const begunMs = performance.now();
  let left = SIGN_UPS;
  const clients = Array.from({ length: 16 }, async () => {
    while (left-- > 0) {
      const answer = await call(url, 'POST', '/signup', { body: { email: freshEmail(), password } });
      if (answer.status === 200) continue;
      // On a machine busy with other things some may have waited too long; they are sent again.
      assertUnavailable(t, answer);
      left++;
    }
  });
  await Promise.all(clients);
  await until(() => receiver.received.length > 0);
  const { rows } = await database.admin.query(
    "select count(*)::int as n from events where type in ('user.created', 'session.created')",
  );
  t.equal(rows[0].n, 2 * SIGN_UPS, 'each has its events');
  const most = LANES * (1 + Math.floor((performance.now() - begunMs) / ATTEMPT_MS));
  t.ok(receiver.received.length <= most, `${receiver.received.length} attempts, at most ${LANES} at a time`);
  const last = await post('/signup', { email: freshEmail(), password });
  t.equal(last.status, 200, 'and goes on');
});
