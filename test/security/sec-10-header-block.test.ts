import { exchangeRaw, exchangeUntilClose, headerOf, requestText } from '../support/raw-socket.js';
import { t } from '../support/tap.js';
import { openTestEdge } from '../support/test-edge.js';

const lines = (count: number) => Array.from({ length: count }, (_, i) => `X-Filler-${i}: v`);

t.test('SEC-10 16 kB and 90 headers are served, more is 431', async (t) => {
  const server = await openTestEdge();
  t.teardown(() => server.close());
  const get = (headers: string[]) => exchangeRaw(server.port, requestText('GET', '/show', { headers }));
  t.equal((await get([`Cookie: ${'c'.repeat(8192)}`, ...lines(59)])).status, 200, '8 kB of cookie, 60 headers more');
  t.equal((await get([`Cookie: ${'c'.repeat(16_000)}`])).status, 200, 'nearly 16 kB');
  t.equal((await get(lines(89))).status, 200, '90 headers');
  const fits = requestText('GET', '/show', { headers: ['Cookie: '] }).length;
  t.equal((await get([`Cookie: ${'c'.repeat(16_384 - fits)}`])).status, 200, 'exactly 16 kB, without the empty line');
  const long = `/show?${'a'.repeat(17_000)}`;
  for (const text of [
    requestText('GET', '/show', { headers: lines(90) }),
    requestText('GET', '/show', { headers: [`Cookie: ${'c'.repeat(16_384 - fits + 3)}`] }),
    requestText('GET', '/show', { headers: [`Cookie: ${'c'.repeat(32_000)}`] }),
    requestText('GET', long),
    requestText('POST', '/echo', { headers: [`X-A: ${'a'.repeat(20_000)}`], body: '{}' }),
  ]) {
    const tooMuch = await exchangeRaw(server.port, text);
    t.equal(tooMuch.status, 431, text.slice(0, 60));
    t.equal(headerOf(tooMuch, 'connection'), 'close');
    t.match(JSON.parse(tooMuch.body), { code: 431, msg: 'Request header fields too large' });
  }
  for (const headers of [lines(200), [`Cookie: ${'c'.repeat(40_000)}`]]) {
    // Refused by the engine while it reads, in its own words, which docs/proxies.md lists.
    const text = requestText('GET', '/show', { headers });
    t.match(await exchangeUntilClose(server.port, text), /^HTTP\/1\.1 431 /);
  }
  t.equal(server.reached.length, 4);
});
