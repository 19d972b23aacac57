/** Requests at fixed rates, whether or not the server can answer them. */
import type { OpenLoopResult } from './load-window.js';
import { watchMemory } from './process-usage.js';
import type { Account, Traffic } from './requests.js';
import { assertGood, type Rig } from './rig.js';
import type { ServerUnderTest } from './servers.js';

/** Until the hash queue is full and the first requests have waited in it. */
const WARM_UP_SECONDS = 2;
/** Few: their latency is of interest, not how many the server can answer. */
export const USERS_PER_SECOND = 300;
/** Times what the hash threads can do. */
export const OVERLOAD = 10;

export interface Storm<Kind extends Traffic> {
  readonly results: Readonly<Record<Kind, OpenLoopResult>>;
  /** The most during the storm. */
  readonly residentBytes: number | undefined;
}

/**
 * @param rates requests per second of each kind, at the same time
 * @param shedding the kinds that may be answered 503
 * @throws when another answer was not 2xx
 */
export async function storm<Kind extends Traffic>(
  rig: Rig,
  { url, pid }: ServerUnderTest,
  accounts: readonly Account[],
  rates: Readonly<Record<Kind, number>>,
  shedding: readonly Traffic[],
): Promise<Storm<Kind>> {
  const memory = watchMemory(pid);
  const job = { url, accounts, seconds: rig.seconds, warmUpSeconds: WARM_UP_SECONDS };
  const runs = (Object.keys(rates) as Kind[]).map(async (traffic) => {
    const result = await rig.runOpenLoop({ ...job, traffic, requestsPerSecond: rates[traffic] });
    assertGood(traffic, result, shedding.includes(traffic) ? 503 : undefined);
    return [traffic, result] as const;
  });
  const results = await Promise.all(runs).finally(() => memory.stop());
  return { results: Object.fromEntries(results) as Storm<Kind>['results'], residentBytes: memory.stop() };
}
