/** What the programs of the bench have in common: a database that goes away again, whatever ends the program. */
import { type BenchDatabase, startBenchDatabase } from './database.js';
import { killAll } from './processes.js';

export type Say = (line: string) => void;

/** @returns a way to tell on standard error what is going on, with the seconds since now */
export function startSaying(): Say {
  const startMs = performance.now();
  return (line) => {
    process.stderr.write(`${((performance.now() - startMs) / 1000).toFixed(0).padStart(4)} s  ${line}\n`);
  };
}

/**
 * @param name for messages
 * @param limitSeconds when to give up, even if a server hangs
 * @param settings of Postgres, e.g. `{ shared_buffers: '4GB' }`
 * @returns the exit code
 */
export async function runWithDatabase(
  name: string,
  say: Say,
  limitSeconds: number,
  work: (database: BenchDatabase) => Promise<number>,
  settings: Readonly<Record<string, string>> = {},
): Promise<number> {
  say('starting a fresh Postgres');
  const database = await startBenchDatabase(settings);
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    killAll();
    stopping ??= database.stop();
    return stopping;
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      say(`${signal}: stopping`);
      void stop().then(() => process.exit(130));
    });
  }
  const watchdog = setTimeout(() => {
    say(`giving up after ${limitSeconds} s`);
    void stop().then(() => process.exit(1));
  }, limitSeconds * 1000);
  try {
    return await work(database);
  } catch (error) {
    // Whatever fails because everything is being ended is not worth a word.
    if (stopping === undefined) process.stderr.write(`${name}: ${(error as Error).message}\n`);
    return 1;
  } finally {
    clearTimeout(watchdog);
    await stop();
  }
}
