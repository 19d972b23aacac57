import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createTestDatabase } from '../support/database.js';
import { type KeptConnection, keepConnection } from '../support/keep-alive.js';
import { pickForm, reportProgress } from '../support/long-form.js';
import { spawnServer } from '../support/process.js';
import { call, freshEmail } from '../support/server.js';
import { median, quantile } from '../support/statistics.js';
import { type Test, t } from '../support/tap.js';

/** Each kind of them; 2,000 together. Node raises its descriptor limit to the hard one: 4096 and more everywhere. */
const SLOW_CLIENTS = 1000;
const ROUNDS = pickForm({ short: 1, long: 5 });
/** Requests of a window, each sent 5 ms after the answer before: the p99 of so many is the second worst. */
const WINDOW_REQUESTS = 150;
const WINDOWS = 6;
/**
 * Compared are medians over windows of each window's p99, so that one pause of the machine has no effect. The short
 * form has six windows a side; what those differ by on a shared machine without slow clients is allowed on top.
 */
const GRAIN_MS = pickForm({ short: 4, long: 0.3 });
/** Other load on the machine is temporary; a fault of the server is not. */
const MOST_TRIES = 3;
const script = fileURLToPath(new URL('../support/slow-clients.js', import.meta.url));

interface Ending {
  readonly closedAfterMs: readonly [number, number, number];
  readonly statuses: Readonly<Record<string, number>>;
}

function startSlowClients(
  t: Test,
  port: number,
  kind: 'head' | 'body',
): { isOpen: Promise<unknown>; ended: Promise<Ending> } {
  const child: ChildProcess = spawn(process.execPath, [script, String(port), String(SLOW_CLIENTS), kind], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout! });
  const isOpen = once(lines, 'line');
  const ended = isOpen.then(async () => JSON.parse(String((await once(lines, 'line'))[0])) as Ending);
  return { isOpen, ended };
}

t.test(
  `REL-20: ${2 * SLOW_CLIENTS} slow clients are closed at about 12 s and slow no other client`,
  { timeout: 60_000 + MOST_TRIES * ROUNDS * 60_000 },
  async (t) => {
    const { url } = await createTestDatabase(t);
    const server = await spawnServer(t, url);
    const signUp = { email: freshEmail(), password: 'correct horse battery' };
    while ((await call(server.url, 'GET', '/health/ready')).status !== 200) await pause(50);
    const bearer = (await call(server.url, 'POST', '/signup', { body: signUp })).body.access_token;
    const measureWindow = async (connection: KeptConnection): Promise<number> => {
      const times: number[] = [];
      for (let n = 0; n < WINDOW_REQUESTS; n++) {
        const sentMs = performance.now();
        const { status } = await connection.send('GET', '/user', undefined, bearer);
        times.push(performance.now() - sentMs);
        if (status !== 200) t.fail(`GET /user: ${status}`);
        await pause(5);
      }
      return quantile(times, 0.99);
    };
    const measure = async (): Promise<number[]> => {
      const connection = await keepConnection(server.port);
      const p99s: number[] = [];
      for (let n = 0; n < WINDOWS; n++) p99s.push(await measureWindow(connection));
      connection.close();
      return p99s;
    };

    /** @returns the medians without slow clients and with them */
    const compare = async (): Promise<readonly [calm: number, busy: number]> => {
      const [quiet, attacked]: [number[], number[]] = [[], []];
      for (let round = 0; round < ROUNDS; round++) {
        quiet.push(...(await measure()));
        const kinds = {
          head: startSlowClients(t, server.port, 'head'),
          body: startSlowClients(t, server.port, 'body'),
        };
        await Promise.all([kinds.head.isOpen, kinds.body.isOpen]);
        attacked.push(...(await measure()));
        for (const [kind, { ended }] of Object.entries(kinds)) {
          const { closedAfterMs, statuses } = await ended;
          const [first, middle, last] = closedAfterMs;
          t.comment(`slow ${kind}: closed after ${first}, ${middle}, ${last} ms; ${JSON.stringify(statuses)}`);
          t.ok(first > 8000 && last < 16_000, `slow ${kind}: all closed between ${first} and ${last} ms`);
          // Ours answers a body that is late after 10 s. The engine, whose clock ticks every 4 s, silently closes a
          // body that comes at less than 16 kB/s, 8 to 12 s after it began: whichever comes first. SEC-09 tests the 408.
          const others = Object.keys(statuses).filter((status) => !/^(?:408|none)/.test(status));
          t.same(others, [], `408 or closed: ${JSON.stringify(statuses)}`);
        }
        reportProgress(`REL-20: round ${round + 1}, ${median(quiet).toFixed(2)} and ${median(attacked).toFixed(2)} ms`);
      }
      return [median(quiet), median(attacked)];
    };

    const warm = await keepConnection(server.port);
    await measureWindow(warm);
    warm.close();
    let [calm, busy] = await compare();
    const isSlowed = (): boolean => busy > calm * 1.1 + GRAIN_MS;
    for (let tries = 1; isSlowed() && tries < MOST_TRIES; tries++) {
      t.comment(`once more: p99 ${calm.toFixed(2)} → ${busy.toFixed(2)} ms`);
      [calm, busy] = await compare();
    }
    t.notOk(isSlowed(), `p99 ${calm.toFixed(2)} ms without them, ${busy.toFixed(2)} ms with them`);
    t.match(await server.stop(), { code: 0 });
  },
);
