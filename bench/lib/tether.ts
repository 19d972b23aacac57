/**
 * Loaded by `node --import` into every server under measurement: ends it when the bench has ended, even by kill -9. The
 * bench holds the other end of standard input and never writes to it.
 */
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  process.stdin.on('end', () => process.kill(process.pid, 'SIGKILL')).resume();
  (process.stdin as unknown as { unref(): void }).unref();
}
