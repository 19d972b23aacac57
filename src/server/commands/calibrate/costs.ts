import { randomBytes } from 'node:crypto';
import { openCryptoPool } from '../../../workers/pool.js';
import type { Argon2Parameters, CryptoPool } from '../../../workers/wire.js';

const MEMORIES_MIB = [12, 19, 32, 46, 64];
const PASSES = [1, 2, 3, 4];
const PASSWORD = 'correct horse battery staple';

/** Settings that OWASP's Password Storage Cheat Sheet recommends as equivalent, as far as the table has them. */
const OWASP: readonly (readonly [mib: number, passes: number])[] = [
  [46, 1],
  [19, 2],
  [12, 3],
];
const LEAST_STRENGTH = Math.min(...OWASP.map(([mib, passes]) => mib * passes));

export interface MeasuredCost {
  readonly parameters: Argon2Parameters;
  /** Time of one verify while nothing else is being hashed. */
  readonly aloneMilliseconds: number;
  /** Time of one verify while every hash thread works. */
  readonly busyMilliseconds: number;
  /** Of all hash threads together. */
  readonly verifiesPerSecond: number;
}

export interface Calibration {
  /** Package that computes Argon2. */
  readonly engine: string;
  readonly hashThreads: number;
  /** By memory, then passes. */
  readonly costs: readonly MeasuredCost[];
  /** Left out because the memory or the time did not suffice. */
  readonly omitted: readonly Argon2Parameters[];
}

export const mib = ({ memoryKiB }: Argon2Parameters): number => memoryKiB / 1024;

/** Memory times passes, which is about equal for OWASP's settings. */
const strengthOf = (parameters: Argon2Parameters): number => mib(parameters) * parameters.iterations;

/** Compares parameters with those that OWASP recommends. */
export function compareWithOwasp(parameters: Argon2Parameters): 'equal' | 'weaker' | 'stronger' {
  if (OWASP.some(([memory, passes]) => memory === mib(parameters) && passes === parameters.iterations)) return 'equal';
  return strengthOf(parameters) < LEAST_STRENGTH ? 'weaker' : 'stronger';
}

/**
 * The strongest parameters below a time with all threads busy; of two equally strong, those with more memory (RFC 9106,
 * 4). Never weaker than OWASP's settings.
 */
export function chooseStrongest(costs: readonly MeasuredCost[], belowMilliseconds: number): MeasuredCost | undefined {
  return costs
    .filter(({ busyMilliseconds }) => busyMilliseconds < belowMilliseconds)
    .filter(({ parameters }) => compareWithOwasp(parameters) !== 'weaker')
    .sort((a, b) => strengthOf(b.parameters) - strengthOf(a.parameters) || mib(b.parameters) - mib(a.parameters))[0];
}

export interface CalibrationOptions {
  readonly hashThreads: number;
  readonly seconds: number;
  /** Memory limit over all hash threads. */
  readonly mostBytes: number;
  /** @param done elapsed share of the time, up to 1 */
  report(done: number): void;
}

/**
 * Verifies passwords on the server's hash threads, with their priority and engine. Each round measures every cost once,
 * alone and on all threads, so that a busy moment of the machine affects all alike. Results are medians.
 */
export async function measureCosts(options: CalibrationOptions): Promise<Calibration> {
  const { hashThreads, seconds, mostBytes, report } = options;
  const grid = MEMORIES_MIB.flatMap((memory) =>
    PASSES.map((iterations) => ({ memoryKiB: memory * 1024, iterations, parallelism: 1 })),
  );
  const pool = await openCryptoPool({
    hashThreads,
    signThreads: 1,
    argon2: grid[0]!,
    jwtSecret: randomBytes(32).toString('base64'),
    jwtKeyId: '',
    maxQueuedHashes: 0,
  });
  try {
    let rows = grid
      .filter(({ memoryKiB }) => memoryKiB * 1024 * hashThreads <= mostBytes)
      .sort((a, b) => strengthOf(a) - strengthOf(b))
      .map((parameters) => ({ parameters, hash: makeHash(parameters), alone: [] as number[], busy: [] as number[] }));
    const startMs = performance.now();
    const elapsedSeconds = () => (performance.now() - startMs) / 1000;
    for (let roundSeconds = 0; elapsedSeconds() + roundSeconds < seconds; ) {
      const roundStart = elapsedSeconds();
      for (const { hash, alone, busy } of rows) {
        // The first round may be too slow for the strongest rows; a later one starts only if it fits.
        if (elapsedSeconds() > seconds) break;
        alone.push(await verifyAtOnce(pool, hash, 1));
        busy.push(hashThreads === 1 ? alone.at(-1)! : await verifyAtOnce(pool, hash, hashThreads));
        report(Math.min(1, elapsedSeconds() / seconds));
      }
      roundSeconds = elapsedSeconds() - roundStart;
      rows = rows.filter(({ busy }) => busy.length > 0);
    }
    const costs = rows.map(({ parameters, alone, busy }) => {
      const busyMilliseconds = middle(busy);
      const verifiesPerSecond = (1000 * hashThreads) / busyMilliseconds;
      return { parameters, aloneMilliseconds: middle(alone), busyMilliseconds, verifiesPerSecond };
    });
    const inOrder = grid.map((parameters) => costs.find((cost) => cost.parameters === parameters));
    return {
      engine: pool.stats().engine,
      hashThreads,
      costs: inOrder.filter((cost) => cost !== undefined),
      omitted: grid.filter((_, at) => inOrder[at] === undefined),
    };
  } finally {
    await pool.close();
  }
}

/** A stored hash that matches no password, so that nothing is renewed. */
function makeHash({ memoryKiB, iterations, parallelism }: Argon2Parameters): string {
  const text = (bytes: number) => randomBytes(bytes).toString('base64').replace(/=+$/, '');
  return `$argon2id$v=19$m=${memoryKiB},t=${iterations},p=${parallelism}$${text(16)}$${text(32)}`;
}

/** @returns milliseconds of a verify, the mean over the threads */
async function verifyAtOnce(pool: CryptoPool, hash: string, threads: number): Promise<number> {
  const took = await Promise.all(
    Array.from({ length: threads }, async () => {
      const startMs = performance.now();
      await pool.verifyPassword(PASSWORD, hash);
      return performance.now() - startMs;
    }),
  );
  return took.reduce((sum, each) => sum + each, 0) / threads;
}

const middle = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1]!;
