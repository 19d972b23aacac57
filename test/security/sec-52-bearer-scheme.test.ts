import { exchangeRaw, requestText } from '../support/raw-socket.js';
import { t } from '../support/tap.js';
import { openTestEdge } from '../support/test-edge.js';

t.test('SEC-52 Bearer in any case, exactly one space, 12 kB at most', async (t) => {
  let asked = 0;
  const server = await openTestEdge({
    authenticate: async () => {
      asked++;
    },
  });
  t.teardown(() => server.close());
  const status = async (value: string) =>
    (await exchangeRaw(server.port, requestText('GET', '/user', { headers: [`Authorization: ${value}`] }))).status;
  for (const value of ['Bearer t', 'bearer t', 'BEARER t', 'bEaReR t', `Bearer ${'t'.repeat(12_281)}`]) {
    t.equal(await status(value), 200, value.slice(0, 20));
  }
  t.equal(asked, 5);
  for (const value of [
    '',
    'Bearer',
    'Bearer  t',
    'Bearer\tt',
    'Bearer a b',
    'Bearer=t',
    'Basic dTpw',
    't',
    'xBearer t',
    'Bearer, t',
    `Bearer ${'t'.repeat(12_282)}`,
  ]) {
    t.equal(await status(value), 401, value.slice(0, 20));
  }
  t.equal(
    (
      await exchangeRaw(
        server.port,
        requestText('GET', '/user?access_token=t', { headers: ['Cookie: access_token=t'] }),
      )
    ).status,
    401,
  );
  t.equal(asked, 5, 'no token was verified for the others');
});
