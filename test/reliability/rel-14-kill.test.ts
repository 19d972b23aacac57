import { setTimeout as pause } from 'node:timers/promises';
import { createTestDatabase } from '../support/database.js';
import { pickForm } from '../support/long-form.js';
import { type ServerProcess, spawnServer } from '../support/process.js';
import { call, freshEmail, password } from '../support/server.js';
import { t, takesMinutesInFull } from '../support/tap.js';

takesMinutesInFull('twenty kills');

const KILLS = pickForm({ short: 2, full: 20 });
const CLIENTS = 8;

interface Acknowledged {
  readonly emails: string[];
  /** Newest refresh token of each client whose answer arrived whole. */
  readonly tokens: (string | undefined)[];
}

t.test(`REL-14: kill -9 under load, ${KILLS} times: every acknowledged sign-up and refresh is stored`, async (t) => {
  const { url: databaseUrl, admin } = await createTestDatabase(t);
  // Reuse must not hide a lost refresh: with a strict interval only the newest token is good.
  const settings = { SECURITY_REFRESH_TOKEN_REUSE_INTERVAL: '0' };
  const all: Acknowledged = { emails: [], tokens: Array.from({ length: CLIENTS }) };
  let refreshes = 0;
  let slowestStartMs = 0;

  const start = async (): Promise<ServerProcess> => {
    const startedMs = performance.now();
    const server = await spawnServer(t, databaseUrl, settings);
    slowestStartMs = Math.max(slowestStartMs, performance.now() - startedMs);
    return server;
  };
  let next = await start();
  for (let round = 0; round < KILLS; round++) {
    const server = next;
    let [isKilled, acknowledged] = [false, 0];

    const clients = Array.from({ length: CLIENTS }, async (_, index) => {
      while (!isKilled) {
        try {
          const email = freshEmail();
          const signUp = await call(server.url, 'POST', '/signup', { body: { email, password } });
          if (signUp.status !== 200) t.fail(`sign-up: ${signUp.status} ${JSON.stringify(signUp.body)}`);
          all.emails.push(email);
          acknowledged += 1;
          all.tokens[index] = signUp.body.refresh_token;
          for (let turn = 0; turn < 5 && !isKilled; turn++) {
            const token = all.tokens[index];
            // In flight at the kill: it may have happened or not, so neither token is claimed.
            all.tokens[index] = undefined;
            const body = { refresh_token: token };
            const refreshed = await call(server.url, 'POST', '/token?grant_type=refresh_token', { body });
            if (refreshed.status !== 200) t.fail(`refresh: ${refreshed.status} ${JSON.stringify(refreshed.body)}`);
            all.tokens[index] = refreshed.body.refresh_token;
            refreshes += 1;
            acknowledged += 1;
          }
        } catch (error) {
          // The connection broke: nothing was acknowledged.
          if (!isKilled) throw error;
        }
      }
    });
    // A busy machine takes longer until there is something to lose.
    while (acknowledged < 2 * CLIENTS) await pause(5);
    await pause(Math.random() * 250);
    isKilled = true;
    const { signal } = await server.stop('SIGKILL');
    t.equal(signal, 'SIGKILL');
    await Promise.all(clients);

    // The restarted server is checked, and killed next.
    next = await start();
    for (const token of all.tokens) {
      if (token === undefined) continue;
      const answer = await call(next.url, 'POST', '/token?grant_type=refresh_token', {
        body: { refresh_token: token },
      });
      t.equal(answer.status, 200, `round ${round}: the newest acknowledged token is good`);
    }
    all.tokens.fill(undefined);
  }
  await next.stop('SIGKILL');

  const { rows } = await admin.query('select email from users where email = any($1)', [all.emails]);
  t.equal(rows.length, all.emails.length, 'every acknowledged sign-up is there');
  t.ok(
    all.emails.length > KILLS && refreshes > KILLS,
    `load was real: ${all.emails.length} sign-ups, ${refreshes} refreshes`,
  );
  t.comment(`slowest start ${Math.round(slowestStartMs)} ms`);
});
