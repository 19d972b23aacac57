import { freshEmail, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';

const settings = { RATE_LIMIT_HEADER: 'X-Forwarded-For', RATE_LIMIT_ANONYMOUS_USERS: '1' };
const SB = { SECURITY_SB_FORWARDED_FOR_ENABLED: 'true', EXTERNAL_ANONYMOUS_USERS_ENABLED: 'true' };

t.test('AUTH_SECURITY_SB_FORWARDED_FOR_ENABLED: the header states the client address', async (t) => {
  const { call, database } = await openTestServer(t, { ...settings, ...SB });
  const signUp = (headers: Record<string, string>) => call('POST', '/signup', { body: {}, headers });
  const proxy = { 'x-forwarded-for': '192.0.2.1' };
  const statuses: number[] = [];
  for (const client of ['198.51.100.1', '198.51.100.2, 203.0.113.1', '198.51.100.2', '2001:db8::1', '2001:db8::2']) {
    statuses.push((await signUp({ ...proxy, 'sb-forwarded-for': client })).status);
  }
  t.same(statuses, [200, 200, 429, 200, 429], 'its first element is the key, a network of IPv6');
  t.equal((await signUp({ ...proxy, 'sb-forwarded-for': 'nonsense' })).status, 200, 'the other header counts');
  t.equal((await signUp({ ...proxy, 'sb-forwarded-for': 'other nonsense' })).status, 429, 'no new key for nonsense');
  const { rows } = await database.admin.query('select host(ip) as ip from sessions order by created_at');
  t.same(
    rows.map(({ ip }) => ip),
    ['198.51.100.1', '198.51.100.2', '2001:db8::1', '192.0.2.1'],
  );
});

t.test('without the setting it is an ordinary header', async (t) => {
  const { call, database } = await openTestServer(t, { ...settings, EXTERNAL_ANONYMOUS_USERS_ENABLED: 'true' });
  const statuses: number[] = [];
  for (const client of ['198.51.100.1', '198.51.100.2']) {
    const headers = { 'x-forwarded-for': '192.0.2.1', 'sb-forwarded-for': client };
    statuses.push((await call('POST', '/signup', { body: {}, headers })).status);
  }
  t.same(statuses, [200, 429]);
  const { rows } = await database.admin.query('select host(ip) as ip from sessions');
  t.same(rows, [{ ip: '192.0.2.1' }]);
});

t.test('AUTH_RATE_LIMIT_HEADER with a list: its first element is the key', async (t) => {
  const { call } = await openTestServer(t, { RATE_LIMIT_HEADER: 'X-Client', RATE_LIMIT_OTP: '0' });
  const take = (client: string) =>
    call('POST', '/signup', { body: { email: freshEmail(), password }, headers: { 'x-client': client } });
  for (let i = 0; i < 30; i++) t.equal((await take(`198.51.100.1, 203.0.113.${i}`)).status, 200);
  t.equal((await take('198.51.100.1, 203.0.113.99')).status, 429);
  t.equal((await take('198.51.100.2, 203.0.113.99')).status, 200);
});
