/** The main thread of a server with several threads: listens, hands out sockets, replaces threads that die. */
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { openAcceptor } from './http/listen.js';
import type { Log } from './telemetry/log.js';
import type { MetricSnapshot } from './telemetry/metric-sources.js';
import type { FromThread, ThreadSetup, ToThread } from './thread.js';
import { gatherFromThreads } from './thread-metrics.js';

export interface Cluster {
  readonly port: number;
  /** The metrics of every thread; of threads that are gone, what they had counted. */
  gather(): Promise<readonly (readonly MetricSnapshot[])[]>;
  /** @param timeoutSeconds how long running requests may take */
  stop(timeoutSeconds: number): Promise<void>;
}

interface StartingMember {
  readonly worker: Worker;
  readonly exited: Promise<void>;
  /** Rejects with what kept the thread from starting. */
  readonly ready: Promise<Member>;
}

interface Member extends Pick<StartingMember, 'worker' | 'exited'> {
  readonly descriptor: unknown;
}

/** Before a thread is started again after a death, so that one that dies at once does not eat a core. */
const RESTART_PAUSE_MS = 200;
/** A thread that has not stopped this long after its requests should have ended is ended by force. */
const STOP_GRACE_SECONDS = 1;
/** What runs in a thread that failed gets this long. */
const LEAVE_SECONDS = 8;
/** When one thread cannot start, the others may finish starting, which takes a second, before they are ended by force. */
const START_GRACE_SECONDS = 5;

/**
 * Starts the threads, then listens.
 * @throws ListenError, and what kept the first thread that failed from starting; no thread is left then
 */
export async function startCluster(setup: ThreadSetup, serverThreads: number, log: Log): Promise<Cluster> {
  const members = new Set<Member>();
  const leaving = new Set<Promise<void>>();
  const threadMetrics = gatherFromThreads();
  let isStopping = false;
  const first = await startAll(setup, serverThreads);
  const acceptor = await openAcceptor({ host: setup.config.apiHost, port: setup.config.port }).catch(async (error) => {
    await Promise.all(first.map((member) => stopMember(member, 0)));
    throw error;
  });

  function admit(member: Member): void {
    members.add(member);
    acceptor.add(member.descriptor);
    member.worker.on('message', (message: FromThread) => {
      if (message.type === 'leaving' && dismiss(member)) {
        const left = stopMember(member, LEAVE_SECONDS, false).finally(() => leaving.delete(left));
        leaving.add(left);
      }
    });
    void member.exited.then(() => dismiss(member));
  }

  /** Gives a member nothing more to do and starts another. @returns false when that has been done, or all are stopping */
  function dismiss(member: Member): boolean {
    if (isStopping || !members.delete(member)) return false;
    acceptor.remove(member.descriptor);
    log.error({ component: 'cluster', threads: members.size }, 'A server thread failed and is being replaced');
    void replace();
    return true;
  }

  async function replace(): Promise<void> {
    while (!isStopping) {
      await pause(RESTART_PAUSE_MS);
      try {
        const member = await startMember(setup).ready;
        if (isStopping) return await stopMember(member, 0);
        admit(member);
        log.info({ component: 'cluster', threads: members.size }, 'The server thread is replaced');
        return;
      } catch (error) {
        log.error({ component: 'cluster', error: String(error) }, 'A server thread could not be started, trying again');
      }
    }
  }

  for (const member of first) admit(member);
  return {
    port: acceptor.port,
    gather: () => threadMetrics.gather([...members].map(({ worker }) => worker)),
    async stop(timeoutSeconds) {
      isStopping = true;
      for (const { descriptor } of members) acceptor.remove(descriptor);
      acceptor.close();
      await Promise.all([...leaving, ...[...members].map((member) => stopMember(member, timeoutSeconds))]);
    },
  };
}

/** All or none: a thread that has started keeps the process alive, so one that fails takes the others with it. */
async function startAll(setup: ThreadSetup, count: number): Promise<readonly Member[]> {
  const starting = Array.from({ length: count }, () => startMember(setup));
  try {
    return await Promise.all(starting.map(({ ready }) => ready));
  } catch (error) {
    await Promise.all(starting.map(abandon));
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`A server thread could not start: ${reason}`, { cause: error });
  }
}

function startMember(setup: ThreadSetup): StartingMember {
  const worker = new Worker(new URL('./thread.js', import.meta.url), { workerData: setup });
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const ready = new Promise<Member>((resolve, reject) => {
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`The thread ended with code ${code} before it was ready.`)));
    worker.once('message', (message: FromThread) => {
      if (message.type === 'ready') resolve({ worker, exited, descriptor: message.descriptor });
    });
  });
  // The exit that follows is what counts; without a listener the error would end the process.
  worker.on('error', () => undefined);
  return { worker, exited, ready };
}

/** Ends a thread that may be starting still: one that is ended in the middle of a hash would abort the process. */
async function abandon({ worker, exited, ready }: StartingMember): Promise<void> {
  const grace = new AbortController();
  const late = pause(START_GRACE_SECONDS * 1000, null, grace).catch(() => null);
  const member = await Promise.race([ready.catch(() => null), late]);
  grace.abort();
  if (member !== null) return stopMember(member, 0);
  await worker.terminate();
  await exited;
}

/** @param isProcessEnding false: only this thread goes, and what it still answers must not say otherwise */
async function stopMember({ worker, exited }: Member, timeoutSeconds: number, isProcessEnding = true): Promise<void> {
  worker.postMessage({ type: 'stop', timeoutSeconds, isProcessEnding } satisfies ToThread);
  const force = setTimeout(() => void worker.terminate(), (timeoutSeconds + STOP_GRACE_SECONDS) * 1000);
  await exited;
  clearTimeout(force);
}
