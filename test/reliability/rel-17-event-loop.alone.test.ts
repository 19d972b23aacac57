import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createTestDatabase } from '../support/database.js';
import { type Lateness, LOOP_METER_MODULE, readLateness, watchIdleLoop } from '../support/lateness.js';
import { pickForm } from '../support/long-form.js';
import { openMetricsPage } from '../support/metrics-page.js';
import { startMixedLoad } from '../support/mixed-load.js';
import { spawnServer } from '../support/process.js';
import { t } from '../support/tap.js';

const CLIENTS = 24;
const SATURATION_MS = pickForm({ short: 1000, long: 4000 });
/** The loop ticks a hundred times a second, so the p99 of the short form is the third worst. */
const WINDOW_MS = pickForm({ short: 3000, long: 21_000 });
const TRIES = 4;
const LIMITS = { p99: 0.02, max: 0.1 };

t.test('REL-17: at 60 % load the event loop delay is 20 ms at most at p99, and 100 ms at the maximum', async (t) => {
  const { url } = await createTestDatabase(t);
  const page = await openMetricsPage();
  const loopFile = join(t.testdir(), 'loop');
  const server = await spawnServer(t, url, page.settings, {
    NODE_OPTIONS: `--import=${LOOP_METER_MODULE}`,
    LATCHKEY_TEST_LOOP_FILE: loopFile,
  });

  const full = await startMixedLoad(server.port, CLIENTS);
  await pause(SATURATION_MS / 2);
  const warm = full.count();
  await pause(SATURATION_MS);
  const capacity = ((full.count() - warm) * 1000) / SATURATION_MS;
  await full.stop();
  t.same(full.faults, []);

  const load = await startMixedLoad(server.port, CLIENTS, capacity * 0.6);
  t.teardown(() => load.stop());
  const readIdle = watchIdleLoop(t);
  while (load.count() < 2 * CLIENTS) await pause(20);
  // Nothing of the saturation, nor of the clients' sign-ups, is in what is read below.
  await readLateness(server.pid, loopFile);
  const [startMs, startCount] = [performance.now(), load.count()];
  const delays: { ours: Lateness; idle: Lateness }[] = [];
  // On a quiet machine an idle loop is late by a tenth of a millisecond, and this is the demand itself.
  const isGood = (): boolean =>
    delays.some(({ ours, idle }) => ours.p99 < LIMITS.p99 + idle.p99 && ours.max < LIMITS.max + idle.max);
  // The figure is about the server: what else the machine does for a moment is not in every window.
  while (delays.length < TRIES && !isGood()) {
    await pause(WINDOW_MS);
    const [ours, idle] = await Promise.all([readLateness(server.pid, loopFile), readIdle()]);
    delays.push({ ours, idle });
    t.comment(
      `p99 ${(ours.p99 * 1000).toFixed(1)} ms, max ${(ours.max * 1000).toFixed(1)} ms; ` +
        `a loop with nothing to do ${(idle.p99 * 1000).toFixed(1)} and ${(idle.max * 1000).toFixed(1)} ms`,
    );
  }
  const metrics = await page.read();
  const [p99, max] = ['p99', 'max'].map((part) => metrics.get(`latchkey_event_loop_delay_${part}_seconds`)!);
  t.ok(p99! > 0 && max! >= p99!, 'an operator sees it, too');
  const rate = ((load.count() - startCount) * 1000) / (performance.now() - startMs);
  await load.stop();
  t.same(load.faults, []);
  t.comment(`${capacity.toFixed(0)} answers a second at most, ${rate.toFixed(0)} meanwhile`);
  // Less than the 60 % where other work on the machine has grown since the capacity was measured.
  t.ok(rate > capacity * 0.3, `the load was real: ${((rate / capacity) * 100).toFixed(0)} %`);
  const message = JSON.stringify(delays);
  // What a loop with nothing to do waits for so long, the machine does: the figure says nothing of the server.
  const isShared = delays.every(({ idle }) => idle.p99 > LIMITS.p99 / 2);
  if (isGood() || !isShared) t.ok(isGood(), message);
  else t.pass(message, { skip: 'other work takes the processors' });
});
