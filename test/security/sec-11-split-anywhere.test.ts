import { exchangeRaw, RawSocket, requestText } from '../support/raw-socket.js';
import { t } from '../support/tap.js';
import { openTestEdge } from '../support/test-edge.js';

const headers = ['X-Request-Id: fixed', 'Authorization: Bearer good'];
const requests = {
  GET: requestText('GET', '/user?a=1&b=%20x', { headers }),
  POST: requestText('POST', '/echo?c=d', { headers, body: '{"email":"a@b.c","data":{"k":[1,2]}}' }),
  chunked: `${requestText('POST', '/echo', { headers: ['X-Request-Id: fixed', 'Transfer-Encoding: chunked'] })}8\r\n{"email"\r\n7\r\n:"a@b"}\r\n0\r\n\r\n`,
};

for (const [name, text] of Object.entries(requests)) {
  t.test(`SEC-11 a ${name} split at any byte gets the same response`, async (t) => {
    const server = await openTestEdge({ requestIdHeader: 'x-request-id' });
    t.teardown(() => server.close());
    const whole = await exchangeRaw(server.port, text);
    t.equal(whole.status, 200);
    const different: number[] = [];
    for (let at = 1; at < text.length; at++) {
      const socket = await RawSocket.connect(server.port);
      await socket.write(text.slice(0, at));
      // Two turns of the loop: server and client share this thread, so the first part has been read by then.
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
      await socket.write(text.slice(at));
      const answer = await socket.read();
      socket.close();
      if (answer.status !== 200 || answer.body !== whole.body) different.push(at);
    }
    t.same(different, []);
  });
}
