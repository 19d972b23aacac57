import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/dev/embedded-postgres.js';
import { makeScratchDirectory } from './postgres.js';

/** A Postgres for one test alone, with durable settings, which may be stopped and killed. */
export interface OwnPostgres {
  /** Superuser URL; the same after every start. */
  readonly url: string;
  /** Starts it again on the same data. @returns when it accepts connections */
  start(): Promise<void>;
  /** Ends it in good order. */
  stop(): Promise<void>;
  /** Ends it as a power cut of the process does: kill -9. */
  crash(): Promise<void>;
}

const silent = { debug: () => undefined, info: () => undefined };

export async function startOwnPostgres(t: Test): Promise<OwnPostgres> {
  const directory = makeScratchDirectory();
  // Below the range the system takes ports from by itself, so that nobody gets this one while Postgres is down.
  writeFileSync(join(directory, 'port'), String(14_000 + Math.floor(Math.random() * 14_000)));
  let running: EmbeddedPostgres | undefined;
  t.teardown(async () => {
    await running?.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  const start = async (): Promise<EmbeddedPostgres> => {
    running = await startEmbeddedPostgres({ directory, log: silent });
    return running;
  };
  const { url, directory: place } = await start();
  return {
    url,
    async start() {
      const { url: again } = await start();
      if (again !== url) throw new Error('Postgres came back at another place: its port was taken meanwhile.');
    },
    async stop() {
      await running!.stop();
    },
    async crash() {
      const [pid] = readFileSync(join(place, 'data', 'postmaster.pid'), 'utf8').split('\n');
      process.kill(Number(pid), 'SIGKILL');
      // Waits for the shell that watches it.
      await running!.stop();
    },
  };
}
