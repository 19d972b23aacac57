import { createTestDatabase } from '../support/database.js';
import { startFaultEnvironment } from '../support/faults.js';
import { runBinary } from '../support/process.js';
import { pickRows } from '../support/rows.js';
import { testEnvironment } from '../support/server.js';
import { t } from '../support/tap.js';

const faults = [
  ['throws', '1', /injected: thread 1 cannot start/],
  ['throws', '2', /injected: thread 2 cannot start/],
  ['throws-late', '2', /injected: thread 2 cannot start/],
  ['throws', 'every', /injected: thread \d cannot start/],
  ['exits', '2', /The thread ended with code 3 before it was ready/],
] as const;

for (const [fault, thread, cause] of pickRows(faults, [([fault]) => fault])) {
  t.test(`REL-29: a server whose thread does not start exits with the reason: ${fault}, ${thread}`, async (t) => {
    const { url } = await createTestDatabase(t);
    const settings = { SERVER_THREADS: '2', CRYPTO_THREADS: '2', DB_MAX_POOL_SIZE: '2' };
    const environment = { ...testEnvironment(url, settings), ...startFaultEnvironment(fault, thread) };
    const outcome = await runBinary(t, ['serve'], environment);
    t.match(outcome, { code: 1, signal: null, stdout: '' }, outcome.stderr);
    const plain = outcome.stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
    t.equal(plain.length, 1, outcome.stderr);
    t.match(plain[0], /^latchkey serve: A server thread could not start: /);
    t.match(plain[0], cause);
    t.notMatch(outcome.stderr, /Latchkey is listening/);
  });
}
