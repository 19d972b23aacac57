import { performance } from 'node:perf_hooks';
import { chooseStrongest, compareWithOwasp, measureCosts } from '../../src/server/commands/calibrate/costs.js';
import { advise, describe } from '../../src/server/commands/calibrate/report.js';
import { runCommand } from '../support/run-command.js';
import { t } from '../support/tap.js';

/** Of the measurement. */
const SECONDS = '0.5';

const file = `${t.testdir({ 'empty.env': '' })}/empty.env`;

const cost = (mib: number, iterations: number, busyMilliseconds = mib * iterations) => ({
  parameters: { memoryKiB: mib * 1024, iterations, parallelism: 1 },
  aloneMilliseconds: busyMilliseconds / 2,
  busyMilliseconds,
  verifiesPerSecond: 1000 / busyMilliseconds,
});

t.test("OWASP's equal settings, and what is weaker than these", async (t) => {
  const compare = (mib: number, iterations: number) => compareWithOwasp(cost(mib, iterations).parameters);
  for (const [mib, passes] of [
    [46, 1],
    [19, 2],
    [12, 3],
  ] as const)
    t.equal(compare(mib, passes), 'equal');
  for (const [mib, passes] of [
    [12, 1],
    [12, 2],
    [19, 1],
    [32, 1],
  ] as const)
    t.equal(compare(mib, passes), 'weaker');
  for (const [mib, passes] of [
    [12, 4],
    [19, 3],
    [32, 2],
    [64, 1],
  ] as const)
    t.equal(compare(mib, passes), 'stronger');
});

t.test('the strongest below the target is chosen, and nothing weaker than OWASP', async (t) => {
  const costs = [cost(12, 1), cost(12, 4), cost(19, 2), cost(32, 2), cost(64, 1), cost(64, 4)];
  const choose = (target: number) => chooseStrongest(costs, target)?.parameters;
  t.match(choose(1000), { memoryKiB: 65536, iterations: 4 });
  t.match(choose(256), { memoryKiB: 65536, iterations: 1 }, 'below the target, and with more memory than 32 × 2');
  t.match(choose(50), { memoryKiB: 12288, iterations: 4 });
  t.match(choose(40), { memoryKiB: 19456, iterations: 2 });
  t.equal(choose(30), undefined, '12 × 1 would fit');
});

t.test('a small machine: options that exceed its memory are left out and named', async (t) => {
  const { costs, omitted } = await measureCosts({
    hashThreads: 2,
    seconds: 0.1,
    mostBytes: 2 * 12 * 1024 * 1024,
    report: () => undefined,
  });
  t.ok(costs.length >= 1 && costs.every(({ parameters }) => parameters.memoryKiB === 12288));
  t.equal(costs.length + omitted.length, 20);
});

t.test('the command measures on the hash threads, before there is a configuration', async (t) => {
  let ticks = 0;
  const timer = setInterval(() => (ticks += 1), 5);
  const startMs = performance.now();
  const environment = { AUTH_CRYPTO_THREADS: '2', AUTH_PASSWORD_ARGON2_MEMORY_KIB: '65536' };
  const json = await runCommand(['calibrate', '--seconds', SECONDS, '--target', '100000', '--json'], environment, file);
  clearInterval(timer);
  const tookMs = performance.now() - startMs;
  const report = JSON.parse(json.out);
  t.equal(json.code, report.chosen === null ? 1 : 0);
  t.match(report, { hash_threads: 2, current: { memory_kib: 65536, iterations: 2 }, target_ms: 100000 });
  t.ok(report.chosen === null || report.chosen.memory_kib >= 12288);
  t.equal(report.costs.length + report.omitted.length, 20);
  for (const each of report.costs) {
    t.ok(each.alone_ms > 0 && each.busy_ms > 0);
    t.equal(each.memory_in_use_kib, 2 * each.memory_kib);
    t.equal(Math.round(each.verifies_per_second), Math.round(2 * each.verifies_per_second_per_thread));
  }
  // Argon2 on this thread would have let it run once a verify, which takes some 20 ms on average.
  t.ok(ticks > tookMs / 50, `${ticks} ticks of 5 ms in ${Math.round(tookMs)} ms`);
});

t.test('the table marks the current settings, and prints those to paste', async (t) => {
  const current = cost(19, 2).parameters;
  const costs = [cost(12, 1), cost(19, 2), cost(64, 4, 1234.5)];
  const calibration = { engine: 'argon2', hashThreads: 4, costs, omitted: [cost(64, 3).parameters] };
  const table = describe(calibration, current);
  t.match(table, /^\* +19 MiB +2 .* 76 MiB {2}set now$/m);
  t.match(table, /^- +12 MiB +1 /m);
  t.match(table, /Not measured.*: 64 MiB × 3\./);
  const lines = table.split('\n').filter((line) => / MiB +\d /.test(line));
  t.equal(lines.length, 3);
  t.equal(new Set(lines.map((line) => line.replace('  set now', '').length)).size, 1, 'the columns line up');
  const pasted = 'AUTH_PASSWORD_ARGON2_MEMORY_KIB=19456\nAUTH_PASSWORD_ARGON2_ITERATIONS=2\n';
  t.match(
    advise(current, undefined, undefined),
    `Set now; put the row you choose in its place, memory in KiB:\n\n${pasted}`,
  );
  t.match(advise(cost(64, 4).parameters, 50, costs[1]), `19 MiB, 2 passes (38.0 ms)\n\n${pasted}`);
});

t.test('an unreachable target', async (t) => {
  const args = ['calibrate', '--seconds', '0.1', '--target', '0.001'];
  t.match(await runCommand(args, { AUTH_CRYPTO_THREADS: '1' }, file), { code: 1, err: /stays below 0\.001 ms/ });
});

t.test('wrong usage', async (t) => {
  for (const args of [
    ['--target', 'fast'],
    ['--target', '0'],
    ['--seconds', '-1'],
    ['--seconds', '601'],
  ]) {
    t.match(await runCommand(['calibrate', ...args], {}, file), { code: 2, out: '' }, args.join(' '));
  }
});
