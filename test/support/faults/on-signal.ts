/**
 * Loaded into the real binary by `NODE_OPTIONS=--import`: on SIGUSR2 it fails in the way that
 * LATCHKEY_TEST_FAULT names. With the prefix `thread-` one server thread fails, otherwise the main thread.
 */
import { BroadcastChannel, isMainThread, workerData } from 'node:worker_threads';

const [kind = '', place = 'main'] = (process.env['LATCHKEY_TEST_FAULT'] ?? '').split('-').reverse();
const channel = new BroadcastChannel('latchkey-test-fault');
channel.unref();

function fail(): void {
  if (kind === 'rejection') void Promise.reject(new Error('injected fault'));
  if (kind === 'exception') {
    setImmediate(() => {
      throw new Error('injected fault');
    });
  }
  if (kind === 'exit') process.exit(3);
}

if (isMainThread) {
  process.on('SIGUSR2', () => {
    if (place === 'main') fail();
    // The first thread that sees the mark still unset takes it.
    else channel.postMessage(new SharedArrayBuffer(4));
  });
} else if (place === 'thread' && (workerData as { share?: object } | null)?.share !== undefined) {
  channel.onmessage = (event) => {
    const mark = new Int32Array((event as MessageEvent).data as SharedArrayBuffer);
    if (Atomics.exchange(mark, 0, 1) === 0) fail();
  };
}
