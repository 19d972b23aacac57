/** Entry of one server thread: boots a child edge, and lives and dies by what cluster.ts says. */
import { parentPort, workerData } from 'node:worker_threads';
import { type BootOptions, bootThread } from './boot.js';
import { openChildEdge } from './http/listen.js';
import { describeCause } from './telemetry/edge-log.js';
import { openLog } from './telemetry/log.js';
import type { MetricSnapshot } from './telemetry/metric-sources.js';

export type ThreadSetup = Pick<BootOptions, 'config' | 'version' | 'schemaVersion' | 'share'>;

export type ToThread =
  | { type: 'stop'; timeoutSeconds: number; isProcessEnding: boolean }
  | { type: 'measure'; askId: number };
/** `leaving`: this thread has failed and wants to be stopped and replaced. */
export type FromThread =
  | { type: 'ready'; descriptor: unknown }
  | { type: 'leaving' }
  | { type: 'measured'; askId: number; snapshot: readonly MetricSnapshot[] };

const port = parentPort!;
const setup = workerData as ThreadSetup;
const log = await openLog({ level: setup.config.logLevel, file: setup.config.logFile });
const server = await bootThread({ ...setup, log, openEdge: openChildEdge });

port.on('message', async (message: ToThread) => {
  if (message.type === 'measure') {
    const snapshot = await server.snapshot();
    return port.postMessage({ type: 'measured', askId: message.askId, snapshot } satisfies FromThread);
  }
  await server.stop(message.timeoutSeconds, message.isProcessEnding);
  log.flush();
  port.close();
});

/**
 * After a fault the state of this thread is unknown (REL-24). It does not just die: that would cut what runs in it, and
 * a connection handed over meanwhile would meet a dead app, which ends the process. So it asks to be stopped.
 */
const leave = (message: string) => (cause: unknown) => {
  log.fatal({ component: 'server', ...describeCause(cause) }, message);
  port.postMessage({ type: 'leaving' } satisfies FromThread);
};
process.on('uncaughtException', leave('A fault nobody caught: the state of this thread is unknown, so it is replaced'));
process.on(
  'unhandledRejection',
  leave('A rejection nobody caught: the state of this thread is unknown, so it is replaced'),
);

port.postMessage({ type: 'ready', descriptor: server.edge.descriptor() } satisfies FromThread);
