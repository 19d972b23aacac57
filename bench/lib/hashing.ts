import { loadConfig } from '../../src/server/config/load.js';
import { planThreads } from '../../src/server/shares.js';
import type { Argon2Parameters } from '../../src/workers/wire.js';
import { environmentOf, type ServerOptions } from './servers.js';

/** How many threads of a server hash, and at what cost. */
export function planHashing(options: ServerOptions): { readonly threads: number; readonly argon2: Argon2Parameters } {
  const { config } = loadConfig({ environment: environmentOf(options, 0), file: null });
  const { serverThreads, share } = planThreads(config);
  return {
    threads: share.hashThreads * serverThreads,
    argon2: {
      memoryKiB: config.argon2MemoryKib,
      iterations: config.argon2Iterations,
      parallelism: config.argon2Parallelism,
    },
  };
}
