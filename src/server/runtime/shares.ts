import { availableParallelism } from 'node:os';
import type { Config } from '../config/settings.js';

/** One thread's share of the limits of the process. */
export interface ThreadShare {
  readonly hashThreads: number;
  /** 0: as many as the database permits. */
  readonly maxConnections: number;
  /** All server threads of the process. */
  readonly serverThreads: number;
}

/** The number of threads, and the limits of each. */
export interface ThreadPlan {
  readonly serverThreads: number;
  readonly share: ThreadShare;
}

type ThreadSettings = Pick<Config, 'serverThreads' | 'cryptoThreads' | 'dbMaxPoolSize' | 'databaseUrl'>;

/**
 * Server threads: 1 up to 4 cores, 2 up to 8, then a quarter of the cores up to 4: HTTP is not the bottleneck. Hash
 * threads: the cores, less one when the database runs on this machine too. Hash threads and connections are a budget of
 * the process, split evenly (docs/decisions.md, Server threads). Each server thread needs one of both, so a number set
 * lower than that of the server threads lowers theirs.
 */
export function planThreads(config: ThreadSettings, cores = availableParallelism()): ThreadPlan {
  const wanted = config.serverThreads ?? (cores <= 4 ? 1 : cores <= 8 ? 2 : Math.min(4, Math.floor(cores / 4)));
  const serverThreads = Math.min(wanted, config.cryptoThreads ?? wanted, config.dbMaxPoolSize || wanted);
  const hashThreads = config.cryptoThreads ?? Math.max(1, cores - (isLocal(config.databaseUrl) ? 1 : 0));
  return {
    serverThreads,
    share: {
      hashThreads: Math.max(1, Math.floor(hashThreads / serverThreads)),
      serverThreads,
      maxConnections: config.dbMaxPoolSize === 0 ? 0 : Math.floor(config.dbMaxPoolSize / serverThreads),
    },
  };
}

function isLocal(databaseUrl: string): boolean {
  try {
    const { hostname } = new URL(databaseUrl);
    return hostname === '' || hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
  } catch {
    // A socket directory in place of a host is not a URL; it is always local.
    return true;
  }
}
