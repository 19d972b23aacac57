/** Replays while the same deliveries are made: nothing is lost, repeated without reason, or out of order for one user. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type EndpointRow, renewRecording, type StoredEvent } from '../../src/db/events.js';
import { openDatabase } from '../../src/db/pool.js';
import { insertWebhook, listDeliveries, replayDelivery, replaySince } from '../../src/db/webhooks.js';
import { startDispatcher } from '../../src/server/events/dispatcher.js';
import { createTestDatabase } from '../support/database.js';
import { awaitLockWaiters } from '../support/lock-waiters.js';
import { keepLog } from '../support/quiet-log.js';
import { silentLog } from '../support/sql-files.js';
import { type Test, t } from '../support/tap.js';
import { until } from '../support/until.js';

const USERS = 12;
/** Of each user, at least. */
const FEWEST_CHANGES = 20;
/** At least. */
const REPLAYS_BY_ID = 21;
const INSTANCES = 2;
/** Attempts until an event is given up. */
const ATTEMPTS = 3;
const LEASE_SECONDS = 4;
const timing = {
  pollSeconds: 0.05,
  idlePollSeconds: 0.05,
  retrySeconds: Array.from({ length: ATTEMPTS - 1 }, () => 0.02),
  leaseSeconds: LEASE_SECONDS,
  concurrency: 4,
};

interface Delivered {
  readonly event: StoredEvent;
  readonly isAccepted: boolean;
}

/** Two instances that deliver to one endpoint. */
async function openDeliveries(t: Test) {
  const { url, admin } = await createTestDatabase(t);
  const open = () => openDatabase({ url, maxConnections: 8, prefix: '', preparedStatements: true, log: silentLog });
  const db = open();
  const id = randomUUID();
  const webhook = { id, url: 'https://x.example/', patterns: ['user.*'], include: [], description: '' };
  await insertWebhook(db, { ...webhook, sealed_secrets: 'x', is_enabled: true }, []);
  await renewRecording(db);
  const attempts: Delivered[] = [];
  const running = new Set<string>();
  const state = { failing: 0.4, overlaps: 0 };
  const attempt = async (event: StoredEvent) => {
    const user = event.user_id!;
    if (running.has(user)) state.overlaps += 1;
    running.add(user);
    await pause(Math.random() * 8);
    running.delete(user);
    const isAccepted = Math.random() >= state.failing;
    attempts.push({ event, isAccepted });
    return isAccepted
      ? ({ isDelivered: true, status: 204 } as const)
      : ({ isDelivered: false, status: 503, error: 'The endpoint answered 503' } as const);
  };
  const attemptFor = (_endpoint: EndpointRow) => ({ target: 'x.example', attempt });
  for (let i = 0; i < INSTANCES; i++) {
    const own = open();
    const options = {
      db: own,
      log: keepLog() as never,
      attemptFor,
      timing,
      channel: 'latchkey_events',
      onPosition: () => {},
    };
    const dispatcher = startDispatcher(options);
    t.teardown(async () => {
      await dispatcher.close(1);
      await own.close();
    });
  }
  t.teardown(() => db.close());
  return { db, admin, id, attempts, state };
}

t.test('replays that race with deliveries', async (t) => {
  const { db, admin, id, attempts, state } = await openDeliveries(t);
  const since = new Date(Date.now() - 60_000).toISOString();
  const users = Array.from({ length: USERS }, () => randomUUID());
  let replays = 0;
  let replaysById = 0;
  let isWriting = true;
  let total = USERS;
  // An event is given up after three attempts that fail in a row, and each replay by its id begins anew: how many changes it takes
  // until a replay since a time finds one is the load's matter.
  const haveRaced = (): boolean => replays > 0 && replaysById >= REPLAYS_BY_ID;

  const write = async () => {
    for (const user of users) await admin.query("insert into users (id, aud) values ($1, 'authenticated')", [user]);
    for (let change = 1; change <= FEWEST_CHANGES || !haveRaced(); change++) {
      for (const user of users) {
        await admin.query('update users set user_metadata = $2 where id = $1', [user, { change }]);
        total += 1;
      }
      await pause(60);
    }
    isWriting = false;
  };
  const replayAll = async () => {
    while (isWriting) {
      replays += await replaySince(db, id, since, LEASE_SECONDS, 5000);
      await pause(Math.random() * 60);
    }
  };
  const replayOnes = async () => {
    while (isWriting) {
      const found = await Promise.all(
        ['dead', 'delivered', 'pending'].map((one) => listDeliveries(db, id, one, null, 50)),
      );
      const all = found.flat();
      const picked = all[Math.floor(Math.random() * all.length)];
      if (picked !== undefined && (await replayDelivery(db, id, picked.id, LEASE_SECONDS))) replaysById += 1;
      await pause(Math.random() * 60);
    }
  };
  await Promise.all([write(), replayAll(), replayAll(), replayOnes(), replayOnes()]);

  state.failing = 0;
  const count = async (where: string) =>
    (await admin.query(`select count(*)::int as n from webhook_deliveries where ${where}`)).rows[0].n;
  // An attempt whose claim a replay took away is repeated when the lease has expired.
  await until(async () => {
    replays += await replaySince(db, id, since, LEASE_SECONDS, 5000);
    await pause(200);
    return (await count("state = 'delivered'")) === total;
  });
  const accepted = attempts.filter(({ isAccepted }) => isAccepted);
  t.equal(new Set(accepted.map(({ event }) => event.id)).size, total, 'nothing is lost');
  t.ok(haveRaced(), `${replays} replays since a time, ${replaysById} by id`);
  // What arrived comes again when it is replayed by its id, or when a replay took the claim of its attempt away. Every
  // claim makes one attempt; the others are those of replays.
  const { rows: claims } = await admin.query('select sum(claims)::int as n from webhook_queues');
  const reasons = replaysById + claims[0].n - attempts.length;
  t.ok(accepted.length - total <= reasons, `${accepted.length - total} repeated, for ${reasons} reasons`);
  t.equal(state.overlaps, 0, 'one attempt at a time for each user');

  const { rows: order } = await admin.query('select id, user_id, position from events order by position');
  const late: string[] = [];
  for (const user of users) {
    const ids: string[] = order.filter(({ user_id: one }) => one === user).map(({ id }) => id);
    const seen = attempts.filter(({ event }) => event.user_id === user);
    const firstOf = (wanted: string) => seen.findIndex(({ event }) => event.id === wanted);
    for (const [index, later] of ids.entries()) {
      const before = seen.slice(0, firstOf(later));
      for (const earlier of ids.slice(0, index)) {
        const tries = before.filter(({ event }) => event.id === earlier);
        // Only what was given up may be overtaken.
        if (!tries.some(({ isAccepted }) => isAccepted) && tries.length < ATTEMPTS) late.push(`${earlier} ${later}`);
      }
    }
  }
  t.same(late, [], 'an event is first attempted when all earlier ones of its user arrived or were given up');
  const { rows } = await admin.query('select deadlocks::int from pg_stat_database where datname = current_database()');
  t.equal(rows[0].deadlocks, 0, 'no statement waits for another in a circle');
});

t.test('a replay locks the queue before its delivery, as the end of an attempt does', async (t) => {
  const { db, admin, id, state } = await openDeliveries(t);
  state.failing = 1;
  const since = new Date(Date.now() - 60_000).toISOString();
  await admin.query("insert into users (id, aud) values ($1, 'authenticated')", [randomUUID()]);
  await until(async () => (await listDeliveries(db, id, 'dead', null, 1)).length === 1);
  const [dead] = await listDeliveries(db, id, 'dead', null, 1);
  const replays = {
    one: () => replayDelivery(db, id, dead!.id, LEASE_SECONDS),
    since: () => replaySince(db, id, since, LEASE_SECONDS, 10),
  };
  for (const [name, replay] of Object.entries(replays)) {
    await until(async () => (await listDeliveries(db, id, 'dead', null, 1)).length === 1);
    await admin.query('begin');
    await admin.query('select from webhook_queues where endpoint_id = $1 for update', [id]);
    const replaying = replay();
    await awaitLockWaiters(admin, 1);
    await admin.query("set local lock_timeout = '100ms'");
    await t.resolves(
      admin.query('select from webhook_deliveries where endpoint_id = $1 for update', [id]),
      `${name}: the delivery is not locked yet`,
    );
    await admin.query('commit');
    t.ok(await replaying, name);
  }
});
