import { setTimeout as pause } from 'node:timers/promises';
import { createTestDatabase } from '../support/database.js';
import { spawnServer } from '../support/process.js';
import { type Answer, call, freshEmail, password } from '../support/server.js';
import { quantile } from '../support/statistics.js';
import { t } from '../support/tap.js';
import { assertUnavailable } from '../support/unavailable.js';

// Demanded of a quiet machine: accepted sign-ins p99 under 2 s, health p99 under 100 ms, refresh p99 under 250 ms. The
// client of this test shares the two cores with the server and with other tests, hence bounds several times as wide.
const BOUNDS_MS = { accepted: 8000, health: 1500, refresh: 3000, refused: 5000 };

t.test('REL-09: two hundred sign-ins at once at full cost', async (t) => {
  const { url: databaseUrl, admin } = await createTestDatabase(t);
  const server = await spawnServer(t, databaseUrl, {
    PASSWORD_ARGON2_MEMORY_KIB: '19456',
    PASSWORD_ARGON2_ITERATIONS: '2',
    CRYPTO_THREADS: '2',
  });
  const times: Record<keyof typeof BOUNDS_MS, number[]> = { accepted: [], health: [], refresh: [], refused: [] };
  const timed = async (method: string, path: string, body?: unknown): Promise<{ answer: Answer; tookMs: number }> => {
    const sentMs = performance.now();
    const answer = await call(server.url, method, path, body === undefined ? {} : { body });
    return { answer, tookMs: performance.now() - sentMs };
  };
  const people = await Promise.all(
    [1, 2, 3, 4].map(async () => {
      const email = freshEmail();
      const { body } = await call(server.url, 'POST', '/signup', { body: { email, password } });
      return { email, id: body.user.id as string, refreshToken: body.refresh_token as string };
    }),
  );
  // Opens the two hundred connections, so that only requests are measured.
  await Promise.all(Array.from({ length: 200 }, () => timed('GET', '/health')));

  let isStorming = true;
  const health = (async () => {
    for (; isStorming; await pause(5)) {
      const { answer, tookMs } = await timed('GET', '/health');
      t.equal(answer.status, 200, 'health is served');
      times.health.push(tookMs);
    }
  })();
  const refresh = (async () => {
    let token = people[0]!.refreshToken;
    for (; isStorming; await pause(5)) {
      const { answer, tookMs } = await timed('POST', '/token?grant_type=refresh_token', { refresh_token: token });
      t.equal(answer.status, 200, 'refresh is served');
      token = answer.body.refresh_token;
      times.refresh.push(tookMs);
    }
  })();

  let done = 0;
  const refusedAfter: number[] = [];
  await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      const person = people[index % people.length]!;
      // Every fifth password is wrong: 400 or 503, but never a session.
      const isRight = index % 5 !== 0;
      const body = { email: person.email, password: isRight ? password : 'not the password' };
      const { answer, tookMs } = await timed('POST', '/token?grant_type=password', body);
      if (answer.status === 503) {
        assertUnavailable(t, answer);
        times.refused.push(tookMs);
        refusedAfter.push(done);
        return;
      }
      done += 1;
      times.accepted.push(tookMs);
      t.equal(answer.status, isRight ? 200 : 400, `status ${answer.status}`);
      if (isRight) t.equal(answer.body.user.id, person.id, 'the right account');
      else t.equal(answer.body.error_code, 'invalid_credentials');
    }),
  );
  isStorming = false;
  await Promise.all([health, refresh]);

  // 2 in work, 64 waiting; each one served admits another, and on a busy machine those
  // that would have waited more than 2 s are refused.
  t.ok(times.accepted.length >= 2, `${times.accepted.length} accepted`);
  t.ok(times.refused.length > 20, `${times.refused.length} refused`);
  t.ok(quantile(refusedAfter, 0.2) < 60, 'rejected before waiting ones are served');
  for (const what of ['accepted', 'health', 'refresh', 'refused'] as const) {
    const p99 = quantile(times[what], 0.99);
    t.comment(`${what}: ${times[what].length}, p99 ${p99.toFixed(0)} ms`);
    t.ok(p99 < BOUNDS_MS[what], `${what}: ${p99.toFixed(0)} ms`);
  }
  const { rows } = await admin.query('select count(*)::int as count from sessions');
  const opened = people.length + times.accepted.length;
  t.ok(rows[0].count <= opened, 'no rejected request wrote anything');
  t.equal(
    (await timed('POST', '/token?grant_type=password', { email: people[0]!.email, password })).answer.status,
    200,
  );
});
