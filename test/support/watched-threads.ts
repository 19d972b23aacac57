import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import type { Test } from './tap.js';

export interface WatchedThreads {
  /** In the order in which they were started. */
  readonly threads: readonly Worker[];
  /** Ends threads, each once it has loaded its modules: before that Node 20 would abort the process. */
  end(threads: readonly Worker[]): Promise<void>;
}

/** Collects the threads that this process starts until the test ends. */
export function watchThreads(t: Test): WatchedThreads {
  const threads: Worker[] = [];
  const loaded = new Map<Worker, Promise<unknown>>();
  const collect = (thread: Worker) => {
    threads.push(thread);
    // The pool's first message says that the thread is ready; one that cannot be has ended.
    loaded.set(
      thread,
      Promise.race([once(thread, 'message'), once(thread, 'exit')]).catch(() => undefined),
    );
  };
  process.on('worker', collect);
  t.teardown(() => void process.off('worker', collect));
  const endOne = async (thread: Worker) => {
    await loaded.get(thread);
    await thread.terminate();
  };
  return { threads, end: async (ended) => void (await Promise.all(ended.map(endOne))) };
}
