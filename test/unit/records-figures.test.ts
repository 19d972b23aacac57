/** Latency in buckets, counts by day, and what threads do together. */

import { apiError } from '../../src/server/errors.js';
import { openDayCounter } from '../../src/server/records/day-counter.js';
import { openLatency, quantile } from '../../src/server/records/latency.js';
import { type FigureSources, measureThread, mergeFigures } from '../../src/server/records/live-figures.js';
import { t } from '../support/tap.js';

t.test('quantiles of the last minute are right to a tenth', async (t) => {
  let now = 1_000_000;
  const latency = openLatency(() => now);
  t.equal(quantile(latency.read(), 0.5), null);
  for (let n = 1; n <= 1000; n++) latency.record(n / 10);
  const [p50, p99] = [0.5, 0.99].map((part) => quantile(latency.read(), part)!);
  t.ok(Math.abs(p50! - 50) < 6, String(p50));
  t.ok(Math.abs(p99! - 99) < 11, String(p99));
  latency.record(0);
  latency.record(1e9);
  now += 5000;
  t.equal(latency.rate(), 1002 / 5);
  now += 56_000;
  t.equal(latency.read().length, 0, 'a minute later they are forgotten');
  latency.record(5);
  const other = openLatency(() => now);
  other.record(5);
  t.same(latency.read(), other.read());
});

t.test('counts go by the day of the count, and come back if they could not be stored', async (t) => {
  let now = Date.parse('2026-03-01T23:59:59Z');
  const counter = openDayCounter(() => now);
  const refused = (method: string, route: string | null, grantType?: string) =>
    counter.countRefusal({ method, route, grantType, error: apiError('invalidLogin') });
  counter.countSignIn('password');
  counter.countSignIn('password');
  counter.countAuditEvent('user_signedup');
  counter.countAuditEvent('logout');
  refused('POST', '/token', 'password');
  refused('POST', '/token', 'refresh_token');
  refused('POST', '/signup');
  refused('GET', '/user');
  refused('GET', null);
  now += 1000;
  counter.countAuditEvent('token_refreshed');
  const day = '2026-03-01';
  const taken = counter.take();
  t.same(taken, [
    { day, name: 'sign_in', method: 'password', result: 'ok', count: 2 },
    { day, name: 'sign_up', method: '', result: 'ok', count: 1 },
    { day, name: 'sign_in', method: 'password', result: 'invalid_credentials', count: 1 },
    { day, name: 'refresh', method: '', result: 'invalid_credentials', count: 1 },
    { day, name: 'sign_up', method: '', result: 'invalid_credentials', count: 1 },
    { day: '2026-03-02', name: 'refresh', method: '', result: 'ok', count: 1 },
  ]);
  t.same(counter.take(), []);
  counter.countAuditEvent('token_refreshed');
  counter.putBack(taken);
  t.equal(counter.take().find(({ day }) => day === '2026-03-02')!.count, 2);
});

t.test('threads are added up; the outbox is one of all', async (t) => {
  const sources = (waiting: number): FigureSources => ({
    version: '1.0.0',
    inFlight: () => 2,
    crypto: () => ({
      hashThreads: 1,
      hashesRunning: 1,
      hashesQueued: 3,
      hashesRejected: 4,
      signaturesQueued: 0,
      threadsLost: 0,
    }),
    database: () => ({ open: 5, idle: 1, waiting: 6, limit: 10 }),
    mail: () => ({ waiting, sent: 0, retried: 0, failed: { a: 1, b: 2 } }),
    texts: () => ({ waiting: 1, sent: 0, retried: 0, failed: {} }),
  });
  const threads = [7, 9].map((waiting, n) => measureThread(n === 0 ? 'a' : 'b', sources(waiting), openLatency()));
  t.match(mergeFigures([...threads, threads[0]!]), {
    processes: 2,
    threads: 3,
    versions: ['1.0.0'],
    in_flight: 6,
    hashes_queued: 9,
    connections_limit: 30,
    mails_waiting: 9,
    texts_waiting: 1,
    mails_failed: 9,
    p50_ms: null,
  });
});
