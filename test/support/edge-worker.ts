/** A server thread as the cluster would run it: a child edge, told what to do by messages. */
import { parentPort, threadId } from 'node:worker_threads';
import { type Edge, openChildEdge } from '../../src/server/http/listen.js';

export type EdgeWorkerOrder = 'close' | 'throw';

const edge: Edge = openChildEdge({
  context: {},
  routes: [
    { method: 'GET', path: '/thread', auth: 'none', handler: () => ({ status: 200, body: threadId }) },
    {
      method: 'GET',
      path: '/slow',
      auth: 'none',
      handler: () => new Promise((resolve) => setTimeout(() => resolve({ status: 200, body: threadId }), 300)),
    },
  ],
  host: '',
  port: 0,
  authenticate: async () => undefined,
  maxRequestSeconds: 10,
  corsAllowedHeaders: [],
  requestIdHeader: null,
  log: { request: () => {}, error: () => {} },
});

// A thread that a fault would end must first ask to be removed: the engine ends the whole process when a request reaches
// a thread that is being torn down, and a connection handed to a dead app is a wild pointer.
process.on('uncaughtException', () => {
  process.exitCode = 1;
  parentPort!.postMessage('leaving');
});

parentPort!.on('message', async (order: EdgeWorkerOrder) => {
  if (order === 'throw') {
    setImmediate(() => {
      throw new Error('a fault in this thread');
    });
    return;
  }
  await edge.close(5);
  parentPort!.close();
});
parentPort!.postMessage(edge.descriptor());
