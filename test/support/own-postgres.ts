import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/dev/embedded-postgres.js';
import { makeScratchDirectory, placeOfDatabases } from './postgres.js';
import type { Test } from './tap.js';

/** A Postgres for one test, with durable settings, which the test may stop and kill. */
export interface OwnPostgres {
  /** Superuser URL; the same after every start. */
  readonly url: string;
  /** Starts it again on the same data. @returns when it accepts connections */
  start(): Promise<void>;
  /** Stops it cleanly. */
  stop(): Promise<void>;
  /** Ends it with SIGKILL. */
  crash(): Promise<void>;
}

const silent = { debug: () => undefined, info: () => undefined };
/** In files of its directory, so that a server that is killed leaves nothing in shared memory. */
const settings = { dynamic_shared_memory_type: 'mmap' };

export async function startOwnPostgres(t: Test): Promise<OwnPostgres> {
  const directory = makeScratchDirectory(placeOfDatabases());
  // Below the ephemeral ports, so that no other program gets this one while Postgres is down.
  writeFileSync(join(directory, 'port'), String(14_000 + Math.floor(Math.random() * 14_000)));
  let running: EmbeddedPostgres | undefined;
  t.teardown(async () => {
    await running?.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  const start = async (): Promise<EmbeddedPostgres> => {
    running = await startEmbeddedPostgres({ directory, log: silent, settings });
    return running;
  };
  const { url, directory: place } = await start();
  return {
    url,
    async start() {
      const { url: again } = await start();
      if (again !== url) throw new Error('Postgres restarted at another URL: its port was taken meanwhile.');
    },
    async stop() {
      await running!.stop();
    },
    async crash() {
      const [pid] = readFileSync(join(place, 'data', 'postmaster.pid'), 'utf8').split('\n');
      process.kill(Number(pid), 'SIGKILL');
      // Waits for its supervising shell.
      await running!.stop();
    },
  };
}
