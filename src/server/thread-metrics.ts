/** Collects the metrics of server threads on the main thread. */
import type { MetricSnapshot } from './telemetry/metric-sources.js';
import type { FromThread, ToThread } from './thread.js';

/** What this needs of a Worker. */
interface AskedThread {
  postMessage(message: ToThread): void;
  on(event: 'message', listener: (message: FromThread) => void): unknown;
  off(event: 'message', listener: (message: FromThread) => void): unknown;
}

type Snapshot = readonly MetricSnapshot[];

/** A thread that does not answer so long is left out of this page, its last figures in. */
const ANSWER_MS = 1000;

/**
 * Counters must never fall, or whoever reads them sees a restart: of a thread that is gone, what it had counted when it
 * was last asked stays in the sum.
 */
export function gatherFromThreads(): { gather(threads: readonly AskedThread[]): Promise<Snapshot[]> } {
  const last = new Map<AskedThread, Snapshot>();
  let gone: Snapshot[] = [];
  let askId = 0;

  async function ask(thread: AskedThread): Promise<void> {
    askId += 1;
    const mine = askId;
    const answer = await new Promise<Snapshot | undefined>((resolve) => {
      const listen = (message: FromThread): void => {
        if (message.type === 'measured' && message.askId === mine) finish(message.snapshot);
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
        const { mergeSnapshots } = await import('./telemetry/metrics.js');
        gone = [await mergeSnapshots([...gone, snapshot.filter(({ type }) => type !== 'gauge')])];
      }
      await Promise.all(threads.map(ask));
      return [...threads.flatMap((thread) => (last.has(thread) ? [last.get(thread)!] : [])), ...gone];
    },
  };
}
