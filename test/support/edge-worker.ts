/** A server thread as the cluster runs it: a child edge, controlled by messages. */
import { parentPort, threadId } from 'node:worker_threads';
import { type Edge, openChildEdge } from '../../src/server/http/listen.js';

export type EdgeWorkerOrder = 'close' | 'throw';

const edge: Edge = openChildEdge({
  context: {},
  routes: [
    { method: 'GET', path: '/thread', caller: 'none', handler: () => ({ status: 200, body: threadId }) },
    {
      method: 'GET',
      path: '/slow',
      caller: 'none',
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

// A thread that fails must be removed before it ends: the engine aborts the process when a request reaches
// a thread that is being torn down, and a connection handed to a dead app is a wild pointer.
process.on('uncaughtException', () => {
  process.exitCode = 1;
  parentPort!.postMessage('leaving');
});

parentPort!.on('message', (order: EdgeWorkerOrder) => {
  if (order === 'throw') {
    setImmediate(() => {
      throw new Error('a fault in this thread');
    });
    return;
  }
  void edge.close(5).then(() => parentPort!.close());
});
parentPort!.postMessage(edge.descriptor());
