/**
 * Loaded into the real binary by `NODE_OPTIONS=--import`: the server thread with the number LATCHKEY_TEST_THREAD (the first
 * is 1) does not start, or none does with `every`. LATCHKEY_TEST_FAULT says how: it `throws`, it `exits` without a message,
 * or, with `throws-late`, it throws when the others have had a second to get ready.
 */
import { threadId, workerData } from 'node:worker_threads';

const fault = process.env['LATCHKEY_TEST_FAULT'];
const chosen = process.env['LATCHKEY_TEST_THREAD'];

if (
  (workerData as { share?: object } | null)?.share !== undefined &&
  [String(threadId), 'every'].includes(chosen ?? '')
) {
  if (fault === 'exits') process.exit(3);
  if (fault === 'throws-late') await new Promise((resolve) => setTimeout(resolve, 1000));
  throw new Error(`injected: thread ${threadId} cannot start`);
}
