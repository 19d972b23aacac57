/** Argon2 without a server: verifies passwords one after another, with the server's engine. Runs in threads; see rig.ts. */
import { setPriority } from 'node:os';
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { loadArgon2Engine } from '../../src/workers/tasks/argon2-engine.js';
import { makePasswordTasks } from '../../src/workers/tasks/password.js';
import type { Argon2Parameters } from '../../src/workers/wire.js';
import { PASSWORD } from './requests.js';

export interface HashJob {
  readonly argon2: Argon2Parameters;
  readonly seconds: number;
}

export interface HashResult {
  readonly engine: string;
  readonly perSecond: number;
  readonly latencies: RecordableHistogram;
}

/** As the server's hash threads: other work on the machine then takes as much from both. */
const NICENESS = 10;

export async function verifyPasswords({ argon2, seconds }: HashJob): Promise<HashResult> {
  if (process.platform === 'linux') setPriority(0, NICENESS);
  const engine = await loadArgon2Engine(undefined);
  const tasks = makePasswordTasks(engine, argon2);
  const stored = await tasks.hash(PASSWORD);
  const latencies = createHistogram();
  const startMs = performance.now();
  let nowMs = startMs;
  while (nowMs < startMs + seconds * 1000) {
    const { matches } = await tasks.verify(PASSWORD, stored);
    if (!matches) throw new Error(`${engine.name} does not recognise its own hash`);
    const doneMs = performance.now();
    latencies.record(Math.round((doneMs - nowMs) * 1e6));
    nowMs = doneMs;
  }
  return { engine: engine.name, perSecond: (latencies.count * 1000) / (nowMs - startMs), latencies };
}
