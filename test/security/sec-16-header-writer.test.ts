import { apiError } from '../../src/server/errors.js';
import { addHeader, renderError, renderReply } from '../../src/server/http/reply.js';
import { exchangeRaw, requestText } from '../support/raw-socket.js';
import { t } from '../support/tap.js';
import { openTestEdge } from '../support/test-edge.js';

t.test('SEC-16 no header is built from bytes outside 0x20-0x7e', async (t) => {
  for (let code = 0; code < 0x180; code++) {
    const attempt = () => addHeader([], 'Location', `a${String.fromCharCode(code)}b`);
    if (code >= 0x20 && code <= 0x7e) t.doesNotThrow(attempt);
    else t.throws(attempt, /Location has a value that cannot be sent/);
  }
  for (const name of ['', 'A B', 'A:', 'A\r\nB', 'é']) t.throws(() => addHeader([], name, 'x'), name);
  t.throws(() => renderReply({ status: 303, headers: { Location: 'a\nb' } }, []));
  const error = apiError('invalidLogin', {}, { headers: { 'X-A': 'a\r\nX-Evil: 1' } });
  const answer = renderError(error, undefined, 'id', []);
  t.equal(answer.status, 500);
  t.notMatch(answer.headers.join(), /Evil/);
});

t.test('SEC-16 line breaks from a client become no response header', async (t) => {
  const server = await openTestEdge({ requestIdHeader: 'x-request-id' });
  t.teardown(() => server.close());
  const targets = ['/redirect?to=%0d%0aX-Evil:%201', '/redirect?to=/%0aX-Evil:%201', '/redirect?to=%E5%98%8AX-Evil:1'];
  for (const target of targets) {
    const answer = await exchangeRaw(server.port, requestText('GET', target));
    t.equal(answer.status, 500, target);
    t.notMatch(answer.head, /evil/i, target);
  }
  const preflight = requestText('OPTIONS', '/show', {
    headers: ['Origin: a', 'Access-Control-Request-Method: GET', 'Access-Control-Request-Headers: accept,\tx-evil'],
  });
  t.notMatch((await exchangeRaw(server.port, preflight)).head, /evil/i);
  t.equal((await exchangeRaw(server.port, requestText('GET', '/redirect?to=/ok'))).status, 303, 'harmless ones pass');
});
