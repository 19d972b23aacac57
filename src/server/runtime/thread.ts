/** Entry point of one server thread, which cluster.ts starts and stops. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Config } from '../config/settings.js';
import { openChildEdge } from '../http/listen.js';
import type { SettingUse } from '../stored-settings/watch-settings.js';
import { describeCause } from '../telemetry/edge-log.js';
import { openLog } from '../telemetry/log.js';
import type { MetricSnapshot } from '../telemetry/metric-sources.js';
import { type BootOptions, bootThread } from './boot.js';
import type { PreparedGeneration } from './generation-swap.js';

export type ThreadSetup = Pick<
  BootOptions,
  'config' | 'stored' | 'settingSources' | 'generation' | 'version' | 'schemaVersion' | 'share' | 'runsJobs'
>;

export type ToThread =
  | { type: 'stop'; timeoutSeconds: number; isProcessEnding: boolean }
  | { type: 'measure'; askId: number }
  | { type: 'settings'; use: SettingUse }
  | ({ askId: number } & ReloadStep);
/** `commit`, `finish` and `abandon` are about the configuration that was prepared last. */
export type ReloadStep =
  | { type: 'prepare'; config: Config; generation: number }
  | { type: 'commit' }
  | { type: 'finish' }
  | { type: 'abandon' };
/** `leaving`: this thread has failed and must be stopped and replaced. */
export type FromThread =
  | { type: 'ready'; descriptor: unknown; consoleDescriptor: unknown }
  | { type: 'leaving' }
  | { type: 'newest-settings'; version: number }
  | { type: 'stepped'; askId: number; error: string | null }
  | { type: 'measured'; requestId: number; snapshot: readonly MetricSnapshot[] };

const port = parentPort!;
const setup = workerData as ThreadSetup;
const log = await openLog({ level: setup.config.logLevel, file: setup.config.logFile });
const server = await bootThread({
  ...setup,
  log,
  openEdge: openChildEdge,
  onNewestSettings: (version) => port.postMessage({ type: 'newest-settings', version } satisfies FromThread),
});

let prepared: PreparedGeneration | undefined;

async function reload(step: ReloadStep): Promise<void> {
  if (step.type === 'prepare') {
    prepared = await server.prepare(step.config, step.generation);
    return;
  }
  await prepared?.[step.type]();
}

async function obey(message: ToThread): Promise<void> {
  if ('askId' in message && message.type !== 'measure') {
    const error = await reload(message).then(
      () => null,
      (cause: unknown) => (cause instanceof Error ? cause.message : String(cause)),
    );
    port.postMessage({ type: 'stepped', askId: message.askId, error } satisfies FromThread);
    return;
  }
  if (message.type === 'settings') return server.useSettings(message.use);
  if (message.type === 'measure') {
    const snapshot = await server.snapshot();
    port.postMessage({ type: 'measured', requestId: message.askId, snapshot } satisfies FromThread);
    return;
  }
  await server.stop(message.timeoutSeconds, message.isProcessEnding);
  log.flush();
  port.close();
}
// A rejection reaches unhandledRejection below.
port.on('message', (message: ToThread) => void obey(message));

/**
 * After a fault the state of this thread is unknown (REL-24). It asks to be stopped instead of ending itself, which
 * would abort its running requests; and a connection passed to an ended thread aborts the process.
 */
const leave = (message: string) => (cause: unknown) => {
  log.fatal({ component: 'server', ...describeCause(cause) }, message);
  port.postMessage({ type: 'leaving' } satisfies FromThread);
};
process.on('uncaughtException', leave('Uncaught exception: the state of this thread is unknown, so it is replaced'));
process.on('unhandledRejection', leave('Unhandled rejection: the state of this thread is unknown, so it is replaced'));

port.postMessage({
  type: 'ready',
  descriptor: server.edge.descriptor(),
  consoleDescriptor: server.consoleEdge?.descriptor(),
} satisfies FromThread);
