import { createTestDatabase } from '../support/database.js';
import { runBinary, spawnServer } from '../support/process.js';
import { cross, pickRows } from '../support/rows.js';
import { call, testEnvironment } from '../support/server.js';
import { t } from '../support/tap.js';

t.test('SEC-18: the second server on a port exits at once with one line of reason', async (t) => {
  const { url: databaseUrl } = await createTestDatabase(t);
  const urls = { 'with a database': databaseUrl, 'without one': 'postgres://u:p@127.0.0.1:1/d' };
  const cases = pickRows(cross(['1', '2'], Object.entries(urls)), [([threads]) => threads, ([, url]) => url]);
  const first = await spawnServer(t, databaseUrl, { SERVER_THREADS: '2', CRYPTO_THREADS: '2' });
  for (const [threads, [what, url]] of cases) {
    const settings = { API_PORT: String(first.port), SERVER_THREADS: threads, CRYPTO_THREADS: '2' };
    const second = await runBinary(t, ['serve'], testEnvironment(url, settings));
    t.match(second, { code: 1, signal: null, stdout: '' }, `${what}, ${threads} thread(s)`);
    const plain = second.stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
    t.equal(plain.length, 1, second.stderr);
    t.match(plain[0], new RegExp(`^latchkey serve: Cannot listen on .*port ${first.port}.* taken.*set .*PORT`));
    t.notMatch(second.stderr, /\bat .+:\d+:\d+/, 'no stack');
  }
  t.equal((await call(first.url, 'GET', '/health')).status, 200, 'the first one serves on');
  t.same(await first.stop(), { code: 0, signal: null });
});
