/**
 * Loaded into the real binary by `NODE_OPTIONS=--import`: on SIGUSR2 it fails in the way that LATCHKEY_TEST_FAULT names. Of
 * several, separated by commas, each signal takes the next, and the last one stays. With the prefix `thread-` one server thread
 * fails, otherwise the main thread.
 */
import { BroadcastChannel, isMainThread, workerData } from 'node:worker_threads';

interface Order {
  readonly kind: string;
  /** The first thread that sees it still unset takes the order. */
  readonly mark: SharedArrayBuffer;
}

const faults = (process.env['LATCHKEY_TEST_FAULT'] ?? '').split(',');
const channel = new BroadcastChannel('latchkey-test-fault');
channel.unref();

function fail(kind: string): void {
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
    const fault = faults.length > 1 ? faults.shift()! : faults[0]!;
    const kind = fault.replace('thread-', '');
    if (kind === fault) fail(kind);
    else channel.postMessage({ kind, mark: new SharedArrayBuffer(4) } satisfies Order);
  });
} else if ((workerData as { share?: object } | null)?.share !== undefined) {
  channel.onmessage = (event) => {
    const { kind, mark } = (event as MessageEvent).data as Order;
    if (Atomics.exchange(new Int32Array(mark), 0, 1) === 0) fail(kind);
  };
}
