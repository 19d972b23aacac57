import { runBinary } from '../support/process.js';
import { cross, pickRows } from '../support/rows.js';
import { openTestServer, testEnvironment } from '../support/server.js';
import { t } from '../support/tap.js';

t.test('SEC-18: the second server on a port exits at once with one line of reason', async (t) => {
  // In this process: what counts is the one that comes second.
  const { url: first, call, database } = await openTestServer(t);
  const { port } = new URL(first);
  const urls = { 'with a database': database.url, 'without one': 'postgres://u:p@127.0.0.1:1/d' };
  const cases = pickRows(cross(['1', '2'], Object.entries(urls)), [([threads]) => threads, ([, url]) => url]);
  for (const [threads, [what, url]] of cases) {
    const settings = { API_PORT: port, SERVER_THREADS: threads, CRYPTO_THREADS: '2' };
    const second = await runBinary(t, ['serve'], testEnvironment(url, settings));
    t.match(second, { code: 1, signal: null, stdout: '' }, `${what}, ${threads} thread(s)`);
    const plain = second.stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
    t.equal(plain.length, 1, second.stderr);
    t.match(plain[0], new RegExp(`^latchkey serve: Cannot listen on .*port ${port}.* taken.*set .*PORT`));
    t.notMatch(second.stderr, /\bat .+:\d+:\d+/, 'no stack');
  }
  t.equal((await call('GET', '/health')).status, 200, 'the first one serves on');
});
