/** All retries of a delivery with their real pauses, until it is a dead letter, and its replay. */
import { setTimeout as pause } from 'node:timers/promises';
import { asAdmin } from '../support/admin.js';
import { spawnServer } from '../support/process.js';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { shiftClock } from '../support/shifted-clock.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';
import { startWebhookReceiver } from '../support/webhook-receiver.js';

/** docs/events.md. */
const RETRY_SECONDS = [5, 30, 120, 600, 3600, 18_000, 36_000, 86_400];
const TWO_DAYS = 172_800;

t.test('eight retries with growing pauses, a dead letter, and a replay', async (t) => {
  const receiver = await startWebhookReceiver(t);
  const arrivedMs: number[] = [];
  receiver.answer = () => {
    arrivedMs.push(performance.now());
    return 503;
  };
  const server = await openTestServer(t, { OUTBOUND_PRIVATE_HOSTS: '127.0.0.1' });
  // The clock of the database decides: an instance whose own clock is two days ahead must not be early.
  const ahead = { NODE_OPTIONS: shiftClock(TWO_DAYS) };
  await spawnServer(t, server.database.url, { OUTBOUND_PRIVATE_HOSTS: '127.0.0.1' }, ahead);
  const admin = asAdmin(server);
  const created = await admin('POST', '/admin/webhooks', { url: receiver.url, events: ['user.created'] });
  const path = `/admin/webhooks/${created.body.id}`;
  receiver.secret = created.body.secret;
  const listed = async (state: string) => (await admin('GET', `${path}/deliveries?state=${state}`)).body.deliveries;
  t.equal((await server.post('/signup', { email: freshEmail(), password })).status, 200);

  for (const [index, seconds] of RETRY_SECONDS.entries()) {
    await until(async () => (await listed('pending'))[0]?.attempts === index + 1);
    const { rows } = await server.database.admin.query(
      `select extract(epoch from q.next_attempt_at - d.last_attempt_at)::float8 as pause
       from webhook_queues q join webhook_deliveries d using (endpoint_id, ordering_key)`,
    );
    const planned = rows[0].pause;
    t.ok(planned > seconds * 0.99 && planned < seconds * 1.21, `retry ${index + 1}: ${planned} s, not ${seconds}`);
    if (index === 0) {
      await until(() => receiver.received.length === 2);
      const passedSeconds = (arrivedMs[1]! - arrivedMs[0]!) / 1000;
      t.ok(passedSeconds > 4.9, `the first pause passes without help: ${passedSeconds} s`);
      continue;
    }
    await pause(300);
    t.equal(receiver.received.length, index + 1, 'none before its time');
    // The pause passes.
    await server.database.admin.query(
      'update webhook_queues set next_attempt_at = next_attempt_at - make_interval(secs => $1)',
      [planned],
    );
  }
  await until(async () => (await listed('dead')).length === 1);
  const [dead] = await listed('dead');
  t.match(dead, { attempts: RETRY_SECONDS.length + 1, last_status: 503, event: { type: 'user.created' } });
  t.equal(receiver.received.length, RETRY_SECONDS.length + 1);
  t.equal(new Set(receiver.received.map(({ id }) => id)).size, 1, 'each with the same id');
  await pause(1500);
  t.equal(receiver.received.length, RETRY_SECONDS.length + 1, 'then no more');

  receiver.answer = () => 204;
  t.equal((await admin('POST', `${path}/deliveries/${dead.id}/replay`)).status, 202);
  await until(async () => (await listed('delivered')).length === 1);
  t.match((await listed('delivered'))[0], { attempts: 1, last_status: 204 });
  t.equal(receiver.received.at(-1)!.id, dead.event.id);
});
