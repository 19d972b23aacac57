/** Collects the metrics of server threads on the main thread. */
import type { MetricSnapshot } from '../telemetry/metric-sources.js';
import type { FromThread, ToThread } from './thread.js';

/** The part of Worker used here. */
interface MetricsThread {
  postMessage(message: ToThread): void;
  on(event: 'message', listener: (message: FromThread) => void): unknown;
  off(event: 'message', listener: (message: FromThread) => void): unknown;
}

type Snapshot = readonly MetricSnapshot[];

/** For a thread that does not answer within this time the last values are used. */
const ANSWER_MS = 1000;

/**
 * Counters must never decrease, since Prometheus would assume a restart. So the last counters of an ended thread stay
 * in the sum.
 */
export function gatherFromThreads(): { gather(threads: readonly MetricsThread[]): Promise<Snapshot[]> } {
  const last = new Map<MetricsThread, Snapshot>();
  let gone: Snapshot[] = [];
  let askId = 0;

  async function ask(thread: MetricsThread): Promise<void> {
    askId += 1;
    const mine = askId;
    const answer = await new Promise<Snapshot | undefined>((resolve) => {
      const listen = (message: FromThread): void => {
        if (message.type === 'measured' && message.requestId === mine) finish(message.snapshot);
      };
      const finish = (snapshot?: Snapshot): void => {
        clearTimeout(timer);
        thread.off('message', listen);
        resolve(snapshot);
      };
      const timer = setTimeout(finish, ANSWER_MS);
      thread.on('message', listen);
      thread.postMessage({ type: 'measure', askId: mine });
    });
    if (answer !== undefined) last.set(thread, answer);
  }

  return {
    async gather(threads) {
      for (const [thread, snapshot] of last) {
        if (threads.includes(thread)) continue;
        last.delete(thread);
        const { mergeSnapshots } = await import('../telemetry/metrics.js');
        gone = [await mergeSnapshots([...gone, snapshot.filter(({ type }) => type !== 'gauge')])];
      }
      await Promise.all(threads.map(ask));
      return [...threads.flatMap((thread) => (last.has(thread) ? [last.get(thread)!] : [])), ...gone];
    },
  };
}
