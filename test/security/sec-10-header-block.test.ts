import t from 'tap';
import { exchangeRaw, exchangeUntilClose, requestText } from '../support/raw-socket.js';
import { openTestEdge } from '../support/test-edge.js';

const lines = (count: number) => Array.from({ length: count }, (_, i) => `X-Filler-${i}: v`);

t.test('SEC-10 16 kB and 90 headers are served, more is 431', async (t) => {
  const server = await openTestEdge();
  t.teardown(() => server.close());
  const get = (headers: string[]) => exchangeRaw(server.port, requestText('GET', '/show', { headers }));
  t.equal((await get([`Cookie: ${'c'.repeat(8192)}`, ...lines(59)])).status, 200, '8 kB of cookie, 60 headers more');
  t.equal((await get([`Cookie: ${'c'.repeat(16_000)}`])).status, 200, 'nearly 16 kB');
  t.equal((await get(lines(89))).status, 200, '90 headers');
  const tooMany = await get(lines(90));
  t.equal(tooMany.status, 431, '91 headers');
  t.match(JSON.parse(tooMany.body), { code: 431, msg: 'Request header fields too large' });
  for (const headers of [lines(200), [`Cookie: ${'c'.repeat(40_000)}`]]) {
    // Refused by the engine while it reads, in its own words.
    const text = requestText('GET', '/show', { headers });
    t.match(await exchangeUntilClose(server.port, text), /^HTTP\/1\.1 431 /);
  }
  t.equal(server.reached.length, 3);
});
