/** Entry of one server thread: boots a child edge, and lives and dies by what cluster.ts says. */
import { parentPort, workerData } from 'node:worker_threads';
import { type BootOptions, bootThread } from './boot.js';
import { openChildEdge } from './http/listen.js';
import { openLog } from './telemetry/log.js';

export type ThreadSetup = Pick<BootOptions, 'config' | 'version' | 'schemaVersion' | 'share'>;

export type ToThread = { type: 'stop'; timeoutSeconds: number };
export type FromThread = { type: 'ready'; descriptor: unknown } | { type: 'stopped' };

const port = parentPort!;
const setup = workerData as ThreadSetup;
const log = await openLog({ level: setup.config.logLevel, file: setup.config.logFile });
const server = await bootThread({ ...setup, log, openEdge: openChildEdge });

port.on('message', async (message: ToThread) => {
  await server.stop(message.timeoutSeconds);
  log.flush();
  port.postMessage({ type: 'stopped' } satisfies FromThread);
  port.close();
});
port.postMessage({ type: 'ready', descriptor: server.edge.descriptor() } satisfies FromThread);
