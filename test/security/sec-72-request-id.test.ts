import { exchangeRaw, requestText } from '../support/raw-socket.js';
import { t } from '../support/tap.js';
import { openTestEdge } from '../support/test-edge.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

async function idFor(port: number, header: string): Promise<string> {
  return JSON.parse((await exchangeRaw(port, requestText('GET', '/show', { headers: [header] }))).body).id;
}

t.test('SEC-72 a request id is taken from the configured header only when it is harmless', async (t) => {
  const server = await openTestEdge({ requestIdHeader: 'x-request-id' });
  t.teardown(() => server.close());
  for (const id of ['a', 'req-1.2_3', 'A'.repeat(128)]) t.equal(await idFor(server.port, `X-Request-Id: ${id}`), id);
  for (const id of ['', 'A'.repeat(129), 'a b', 'a"b', '<b>', 'a,b', 'é', '{}', 'a\tb', '$(x)']) {
    t.match(await idFor(server.port, `X-Request-Id: ${id}`), UUID, id);
  }
  t.match(await idFor(server.port, 'X-Other: 1'), UUID, 'none sent');
  t.equal(server.accessLog[0]?.requestId, 'a', 'the log has the same one');
});

t.test('SEC-72 without a configured header none is used', async (t) => {
  const server = await openTestEdge();
  t.teardown(() => server.close());
  t.match(await idFor(server.port, 'X-Request-Id: mine'), UUID);
});
