/**
 * Loads that are compared take turns in short slices. What a machine does varies from one second to the next by more than
 * what most changes bring; within a second it varies little.
 */
import { type LoadResult, sumResults } from './load-window.js';
import type { Account, Traffic } from './requests.js';
import { type Rig, type Sample, sampleWithCpu } from './rig.js';
import type { ServerUnderTest } from './servers.js';

const SLICE_SECONDS = 0.4;
/** The connections are opened, and the tokens whose answers the end of the last slice has cut off are sent again. */
const WARM_UP_SECONDS = 0.15;

export interface TurnLoad {
  readonly server: ServerUnderTest;
  readonly traffic: Traffic;
  /** Two loads may not share their sessions. */
  readonly accounts: readonly Account[];
  /** Before its first slice, in seconds. */
  readonly warmUpSeconds?: number;
  /** Runs as long as each of its slices. */
  beside?(signal: AbortSignal): Promise<void>;
}

/**
 * Measures each load for the usual length: A, B, C, A, B, C and so on. The order stays, since a token whose answer was cut
 * off is only good for ten seconds, the reuse interval.
 * @throws when an answer was not 2xx
 */
export async function loadInTurns(
  rig: Pick<Rig, 'seconds' | 'loadClosed'>,
  loads: readonly TurnLoad[],
): Promise<Sample[]> {
  const turns = loads.map((load) => ({ ...load, results: [] as LoadResult[] }));
  for (const turn of turns) {
    if (turn.warmUpSeconds) await loadSlice(rig, turn, turn.warmUpSeconds);
    turn.results = [];
  }
  const slices = Math.max(2, Math.round(rig.seconds / SLICE_SECONDS));
  for (let slice = 0; slice < slices; slice += 1) {
    for (const turn of turns) await loadSlice(rig, turn);
  }
  return turns.map(({ results }) => sampleWithCpu(sumResults(results)));
}

interface Turn extends TurnLoad {
  accounts: readonly Account[];
  readonly results: LoadResult[];
}

async function loadSlice(rig: Pick<Rig, 'loadClosed'>, turn: Turn, warmUpSeconds = WARM_UP_SECONDS): Promise<void> {
  const { server, traffic, accounts, beside } = turn;
  const over = new AbortController();
  const besides = beside?.(over.signal);
  // Awaited below.
  besides?.catch(() => undefined);
  const lengths = { warmUpSeconds, seconds: SLICE_SECONDS };
  const { accounts: now, ...result } = await rig
    .loadClosed(server, traffic, accounts, lengths)
    .finally(() => over.abort());
  await besides;
  turn.accounts = now;
  turn.results.push(result);
}
