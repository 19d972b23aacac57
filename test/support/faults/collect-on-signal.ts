/**
 * Loaded into the real binary by `NODE_OPTIONS=--import`: on SIGUSR2 it collects garbage and appends what is left on the
 * heap, in bytes, to the file LATCHKEY_TEST_HEAP_FILE names.
 */
import { appendFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  // --expose-gc is not allowed in NODE_OPTIONS.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  process.on('SIGUSR2', async () => {
    // Finalizers run between collections and let go of more.
    for (let round = 0; round < 3; round++) {
      collect();
      await turn();
    }
    appendFileSync(process.env['LATCHKEY_TEST_HEAP_FILE'] ?? '', `${getHeapStatistics().used_heap_size}\n`);
  });
}
