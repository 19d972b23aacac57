import { countGranted, errorOf, openTestLimits, requestFrom } from '../support/limits.js';
import { exchangeRaw } from '../support/raw-socket.js';
import { openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';

const header = { RATE_LIMIT_HEADER: 'X-Forwarded-For', RATE_LIMIT_OTP: '0.001' };
const forwarded = (value: string, socket = '192.0.2.1') => requestFrom(socket, { 'x-forwarded-for': value });

t.test('SEC-68: a thousand addresses of one /64 are one client', async (t) => {
  const { limits } = await openTestLimits(t, header);
  const address = (n: number) => `2001:db8:1:2:${n.toString(16)}:0:0:1`;
  let granted = 0;
  for (let first = 0; first < 1000; first += 100) {
    granted += await countGranted(100, (n) => limits.takeForClient('otp', forwarded(address(first + n))));
  }
  t.equal(granted, 30);
  t.equal(await errorOf(limits.takeForClient('otp', forwarded('2001:db8:1:3::1'))), null, 'the next /64 is another');
});

t.test('SEC-68: spellings of one address are one client', async (t) => {
  const { limits } = await openTestLimits(t, header);
  const spellings = ['203.0.113.9', ' 203.0.113.9 ', '::ffff:203.0.113.9', '::ffff:cb00:7109', '203.0.113.9:1234'];
  const take = (n: number) => limits.takeForClient('otp', forwarded(spellings[n % spellings.length]!));
  t.equal(await countGranted(100, take), 30);
});

t.test('SEC-68: without the header, or with garbage in it, the socket address counts', async (t) => {
  const { limits, warnings } = await openTestLimits(t, header);
  const requests = [
    requestFrom('192.0.2.1'),
    ...['', ' ', 'unknown', 'x'.repeat(300), '203.0.113', ', 203.0.113.9', "' or 1=1"].map((value) => forwarded(value)),
  ];
  t.equal(await countGranted(100, (n) => limits.takeForClient('otp', requests[n % requests.length]!)), 30);
  t.equal(await errorOf(limits.takeForClient('otp', forwarded('garbage', '192.0.2.2'))), null, 'another socket');
  t.equal(await errorOf(limits.takeForClient('otp', forwarded('203.0.113.9'))), null, 'an address counts again');
  t.equal(warnings.length, 1, 'said once');
  t.match(warnings[0], 'AUTH_RATE_LIMIT_HEADER');
});

t.test('SEC-68: elements that a client prepends are ignored with trusted hops', async (t) => {
  const { limits } = await openTestLimits(t, { ...header, RATE_LIMIT_TRUSTED_HOPS: '1' });
  const take = (n: number) => limits.takeForClient('otp', forwarded(`198.51.100.${n}, 10.${n}.0.1, 203.0.113.9`));
  t.equal(await countGranted(100, take), 30);
});

t.test('SEC-68: over HTTP, also if the proxy adds a header line instead of extending one', async (t) => {
  const { server, database } = await openTestServer(t, { ...header, RATE_LIMIT_TRUSTED_HOPS: '1' });
  const body = '{"refresh_token":"x"}';
  for (const lines of [
    ['X-Forwarded-For: 198.51.100.1, 203.0.113.9'],
    ['X-Forwarded-For: 198.51.100.2', 'x-forwarded-for: 203.0.113.9'],
    ['X-Forwarded-For: 2001:db8::1', 'X-Forwarded-For:  203.0.113.9 '],
    ['X-Other: 198.51.100.3'],
  ]) {
    const head = ['POST /token?grant_type=refresh_token HTTP/1.1', 'Host: a', `Content-Length: ${body.length}`];
    const answer = await exchangeRaw(server.port, `${[...head, ...lines].join('\r\n')}\r\n\r\n${body}`);
    t.equal(answer.status, 400);
  }
  const { rows } = await database.admin.query('select key, round(level) as level from rate_counters order by key');
  t.same(rows, [
    { key: '127.0.0.1', level: 1 },
    { key: '203.0.113.9', level: 3 },
  ]);
});
