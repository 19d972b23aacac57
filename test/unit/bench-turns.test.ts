import { createHistogram } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { type ClosedLoopResult, type LoadResult, sumResults } from '../../bench/lib/load-window.js';
import type { Rig } from '../../bench/lib/rig.js';
import { loadInTurns, type TurnLoad } from '../../bench/lib/turns.js';
import { t } from '../support/tap.js';

/** @param latenciesMs one answer each */
function resultOf(latenciesMs: readonly number[], seconds: number, more: Partial<LoadResult> = {}): LoadResult {
  const latencies = createHistogram();
  for (const ms of latenciesMs) latencies.record(ms * 1e6);
  return {
    ...{ requestsPerSecond: latenciesMs.length / seconds, p50Ms: 0, p99Ms: 0, latencies },
    statuses: { 200: latenciesMs.length },
    cpuMicroseconds: { server: 10, generator: 1 },
    ...more,
  };
}

t.test('slices add up to one measurement', async (t) => {
  const sum = sumResults([
    resultOf([1, 1, 1], 1, { cpuMicroseconds: { server: 10, database: 4 } }),
    resultOf([5], 3, { cpuMicroseconds: { server: 30 }, statuses: { 200: 1, 503: 2 } }),
  ]);
  t.equal(sum.requestsPerSecond, 1);
  t.same(sum.statuses, { 200: 4, 503: 2 });
  t.equal(Math.round(sum.p50Ms), 1);
  t.equal(Math.round(sum.p99Ms), 5);
  t.same(sum.cpuMicroseconds, { server: 15 }, 'by answer; without what a slice could not read');
});

const account = { email: 'a@example.com', accessToken: 'a', refreshToken: '' };
const load = (name: string, more: Partial<TurnLoad> = {}): TurnLoad => ({
  server: { url: name, pid: 1, stop: async () => 0 },
  traffic: 'refresh',
  accounts: [{ ...account, refreshToken: name }],
  ...more,
});

/** Raises the token of each account, and notes what it was given. */
function fakeRig(seconds: number) {
  const calls: string[] = [];
  const rig: Pick<Rig, 'seconds' | 'loadClosed'> = {
    seconds,
    async loadClosed({ url }, _traffic, accounts, more): Promise<ClosedLoopResult> {
      calls.push(`${url} ${accounts[0]!.refreshToken} ${more?.warmUpSeconds}`);
      await pause(1);
      const next = accounts.map((one) => ({ ...one, refreshToken: `${one.refreshToken}+` }));
      return { ...resultOf([1, 1], 0.4), accounts: next };
    },
  };
  return { rig, calls };
}

t.test('loads take turns, each with the tokens of its last slice', async (t) => {
  const { rig, calls } = fakeRig(0.8);
  const samples = await loadInTurns(rig, [load('A', { warmUpSeconds: 2 }), load('B')]);
  t.same(calls, ['A A 2', 'A A+ 0.15', 'B B 0.15', 'A A++ 0.15', 'B B+ 0.15']);
  t.same(
    samples.map(({ requestsPerSecond }) => requestsPerSecond),
    [5, 5],
    'the warm-up does not count',
  );
});

t.test('what belongs to a load runs as long as its slices', async (t) => {
  const { rig } = fakeRig(0.8);
  const log: string[] = [];
  const beside = async (signal: AbortSignal) => {
    log.push('starts');
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    log.push('ends');
  };
  await loadInTurns(rig, [load('A'), load('B', { beside })]);
  t.same(log, ['starts', 'ends', 'starts', 'ends']);
  const failing = async () => {
    throw new Error('A console was answered 500');
  };
  await t.rejects(loadInTurns(rig, [load('A', { beside: failing })]), { message: 'A console was answered 500' });
});
