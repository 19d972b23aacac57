/**
 * Loaded into the real binary by `NODE_OPTIONS=--import`: on SIGUSR2 it appends how late its event loop was since the signal
 * before, as a line of JSON, to the file LATCHKEY_TEST_LOOP_FILE names.
 */
import { appendFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { watchLateness } from '../lateness.js';

if (isMainThread) {
  const read = watchLateness();
  process.on('SIGUSR2', () =>
    appendFileSync(process.env['LATCHKEY_TEST_LOOP_FILE'] ?? '', `${JSON.stringify(read())}\n`),
  );
}
