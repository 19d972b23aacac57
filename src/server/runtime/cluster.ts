/** The main thread of a server with several threads: listens, distributes connections, replaces failed threads. */
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Config } from '../config/settings.js';
import { openAcceptor } from '../http/listen.js';
import type { SettingUse } from '../stored-settings/watch-settings.js';
import type { Log } from '../telemetry/log.js';
import type { MetricSnapshot } from '../telemetry/metric-sources.js';
import type { BootOptions } from './boot.js';
import { reloadThreads } from './cluster-reload.js';
import type { FromThread, ThreadSetup, ToThread } from './thread.js';
import { gatherFromThreads } from './thread-metrics.js';

export interface Cluster {
  readonly port: number;
  /** Of the console; null where it is off. */
  readonly consolePort: number | null;
  /** The metrics of every thread, including the counters of ended ones. */
  gather(): Promise<readonly (readonly MetricSnapshot[])[]>;
  /** @throws Error when a thread cannot make its parts; then every thread keeps those it has */
  reload(config: Config, generation: number): Promise<void>;
  /** Which settings of the database are in use from now on. */
  useSettings(use: SettingUse): void;
  /** @param timeoutSeconds limit for running requests */
  stop(timeoutSeconds: number): Promise<void>;
}

type ClusterSetup = ThreadSetup & Pick<BootOptions, 'onNewestSettings'>;

interface StartingMember {
  readonly worker: Worker;
  readonly exited: Promise<void>;
  /** Rejects with the reason why the thread did not start. */
  readonly ready: Promise<Member>;
  /** It does what one thread of the process does for all; so does the one that replaces it. */
  readonly runsJobs: boolean;
}

interface Member extends Pick<StartingMember, 'worker' | 'exited' | 'runsJobs'> {
  readonly descriptor: unknown;
  readonly consoleDescriptor: unknown;
}

/** Delay before a thread is replaced, so that one that fails at once does not use up a core. */
const RESTART_PAUSE_MS = 200;
/** A thread that has not stopped this long after its time limit is terminated. */
const STOP_GRACE_SECONDS = 1;
/** Time for running requests of a failed thread. */
const LEAVE_SECONDS = 8;
/** When one thread cannot start, the others get this time to finish their start before they are terminated. */
const START_GRACE_SECONDS = 5;

/**
 * Starts the threads, then listens.
 * @throws ListenError, or why the first failed thread did not start; all threads have ended then
 */
export async function startCluster(
  { onNewestSettings, ...firstSetup }: ClusterSetup,
  serverThreads: number,
  log: Log,
): Promise<Cluster> {
  const members = new Set<Member>();
  const leaving = new Set<Promise<void>>();
  const threadMetrics = gatherFromThreads();
  let isStopping = false;
  let setup: ThreadSetup = firstSetup;
  let reloading: Promise<void> = Promise.resolve();
  const first = await startAll(setup, serverThreads);
  const { acceptor, consoleAcceptor } = await openAcceptors(setup.config).catch(async (error) => {
    await Promise.all(first.map((member) => stopMember(member, 0)));
    throw error;
  });

  function addMember(member: Member): void {
    members.add(member);
    acceptor.add(member.descriptor);
    consoleAcceptor?.add(member.consoleDescriptor);
    // It may have changed while the thread started.
    if (setup.stored !== null) member.worker.postMessage({ type: 'settings', use: setup.stored } satisfies ToThread);
    member.worker.on('message', (message: FromThread) => {
      if (message.type === 'newest-settings') onNewestSettings?.(message.version);
      if (message.type === 'leaving' && removeMember(member)) {
        const left = stopMember(member, LEAVE_SECONDS, false).finally(() => leaving.delete(left));
        leaving.add(left);
      }
    });
    void member.exited.then(() => removeMember(member));
  }

  /** Removes a member and starts another one. @returns false when it was removed before, or all are stopping */
  function removeMember(member: Member): boolean {
    if (isStopping || !members.delete(member)) return false;
    disconnect(member);
    log.error({ component: 'cluster', threads: members.size }, 'A server thread failed and is being replaced');
    void replace(member.runsJobs);
    return true;
  }

  function disconnect({ descriptor, consoleDescriptor }: Member): void {
    acceptor.remove(descriptor);
    consoleAcceptor?.remove(consoleDescriptor);
  }

  async function replace(runsJobs: boolean): Promise<void> {
    while (!isStopping) {
      await pause(RESTART_PAUSE_MS);
      try {
        const { generation } = setup;
        const member = await startMember(setup, runsJobs).ready;
        await reloading;
        if (isStopping) return await stopMember(member, 0);
        if (setup.generation !== generation) {
          await stopMember(member, 0, false);
          continue;
        }
        addMember(member);
        log.info({ component: 'cluster', threads: members.size }, 'The server thread is replaced');
        return;
      } catch (error) {
        log.error({ component: 'cluster', error: String(error) }, 'A server thread could not be started, trying again');
      }
    }
  }

  for (const member of first) addMember(member);
  return {
    port: acceptor.port,
    consolePort: consoleAcceptor?.port ?? null,
    gather: () => threadMetrics.gather([...members].map(({ worker }) => worker)),
    reload(config, generation) {
      const step = { type: 'prepare', config, generation } as const;
      const threads = [...members].map(({ worker }) => worker);
      const run = reloadThreads(threads, step, () => {
        setup = { ...setup, config, generation };
      });
      reloading = run.catch(() => undefined);
      return run;
    },
    useSettings(use) {
      setup = { ...setup, stored: use };
      for (const { worker } of members) worker.postMessage({ type: 'settings', use } satisfies ToThread);
    },
    async stop(timeoutSeconds) {
      isStopping = true;
      for (const member of members) disconnect(member);
      acceptor.close();
      consoleAcceptor?.close();
      await Promise.all([...leaving, ...[...members].map((member) => stopMember(member, timeoutSeconds))]);
    },
  };
}

/** The acceptor of the API, and that of the console where it is on. @throws ListenError */
async function openAcceptors({ apiHost, port, consoleHost, consolePort }: Config) {
  const acceptor = await openAcceptor({ host: apiHost, port });
  if (consolePort === null) return { acceptor, consoleAcceptor: null };
  const addressSettings = 'AUTH_CONSOLE_HOST and AUTH_CONSOLE_PORT';
  const opening = openAcceptor({ host: consoleHost, port: consolePort, addressSettings });
  const consoleAcceptor = await opening.catch((error) => {
    acceptor.close();
    throw error;
  });
  return { acceptor, consoleAcceptor };
}

/** Starts all threads or none, since one that has started would keep the process alive. */
async function startAll(setup: ThreadSetup, count: number): Promise<readonly Member[]> {
  const starting = Array.from({ length: count }, (_, n) => startMember(setup, n === 0));
  try {
    return await Promise.all(starting.map(({ ready }) => ready));
  } catch (error) {
    await Promise.all(starting.map(abandon));
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`A server thread could not start: ${reason}`, { cause: error });
  }
}

function startMember(setup: ThreadSetup, runsJobs: boolean): StartingMember {
  const workerData: ThreadSetup = { ...setup, runsJobs };
  const worker = new Worker(new URL('./thread.js', import.meta.url), { workerData });
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const ready = new Promise<Member>((resolve, reject) => {
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`The thread ended with code ${code} before it was ready.`)));
    // Not once: a thread may look at the settings in the database before it is ready.
    worker.on('message', (message: FromThread) => {
      if (message.type !== 'ready') return;
      const { descriptor, consoleDescriptor } = message;
      resolve({ worker, exited, runsJobs, descriptor, consoleDescriptor });
    });
  });
  // The exit event follows; without a listener the error would end the process.
  worker.on('error', () => undefined);
  return { worker, exited, ready, runsJobs };
}

/** Ends a thread that may still be starting: terminating it during a hash would abort the process. */
async function abandon({ worker, exited, ready }: StartingMember): Promise<void> {
  const grace = new AbortController();
  const late = pause(START_GRACE_SECONDS * 1000, null, grace).catch(() => null);
  const member = await Promise.race([ready.catch(() => null), late]);
  grace.abort();
  if (member !== null) return stopMember(member, 0);
  await worker.terminate();
  await exited;
}

/** @param isProcessEnding false: only this thread ends, so its readiness answers stay positive */
async function stopMember({ worker, exited }: Member, timeoutSeconds: number, isProcessEnding = true): Promise<void> {
  worker.postMessage({ type: 'stop', timeoutSeconds, isProcessEnding } satisfies ToThread);
  const force = setTimeout(() => void worker.terminate(), (timeoutSeconds + STOP_GRACE_SECONDS) * 1000);
  await exited;
  clearTimeout(force);
}
