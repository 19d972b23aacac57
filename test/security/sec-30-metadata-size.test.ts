import { openAdminServer } from '../support/admin.js';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';

/** An object that is `bytes` long as JSON. */
const sized = (bytes: number) => ({ a: 'x'.repeat(bytes - '{"a":""}'.length) });

t.test('SEC-30: 7 kB of metadata is accepted, 9 kB is rejected, at every endpoint', async (t) => {
  const server = await openAdminServer(t);
  const { call, post, admin } = server;
  const { body: person } = await post('/signup', { email: freshEmail(), password });
  const bearer = person.access_token;
  const doors: Record<string, (data: object) => ReturnType<typeof call>> = {
    '/signup': (data) => post('/signup', { email: freshEmail(), password, data }),
    '/otp': (data) => post('/otp', { email: freshEmail(), data }),
    'PUT /user': (data) => call('PUT', '/user', { bearer, body: { data } }),
    '/invite': (data) => admin('POST', '/invite', { email: freshEmail(), data }),
    '/admin/users, user': (user_metadata) => admin('POST', '/admin/users', { email: freshEmail(), user_metadata }),
    '/admin/users, app': (app_metadata) => admin('POST', '/admin/users', { email: freshEmail(), app_metadata }),
    'PUT /admin/users, user': (user_metadata) => admin('PUT', `/admin/users/${person.user.id}`, { user_metadata }),
    'PUT /admin/users, app': (app_metadata) => admin('PUT', `/admin/users/${person.user.id}`, { app_metadata }),
    '/admin/generate_link': (data) =>
      admin('POST', '/admin/generate_link', { type: 'signup', email: freshEmail(), password, data }),
  };
  for (const [door, knock] of Object.entries(doors)) {
    t.equal((await knock(sized(7 * 1024))).status, 200, `${door}: 7 kB`);
    for (const [name, data] of Object.entries({
      '9 kB': sized(9 * 1024),
      '17 kB': sized(17 * 1024),
      'bytes count, not characters': { a: '\u00e9'.repeat(4600) },
      'keys count, too': { ['k'.repeat(9000)]: 1 },
    })) {
      const { status, body } = await knock(data);
      t.match({ status, body }, { status: 422, body: { error_code: 'validation_failed' } }, `${door}: ${name}`);
    }
    if (door.startsWith('PUT')) await knock({ a: null });
  }
});

t.test('SEC-30: what one account gathers is bounded, and the bound leaves it usable', async (t) => {
  const { call, post, database } = await openTestServer(t);
  const { body: person } = await post('/signup', { email: freshEmail(), password });
  const bearer = person.access_token;
  const put = (data: object) => call('PUT', '/user', { bearer, body: { data } });
  let accepted = 0;
  for (; accepted < 20; accepted++) {
    const { status, body } = await put({ [`part${accepted}`]: 'x'.repeat(2000) });
    if (status === 200) continue;
    t.match({ status, body }, { status: 422, body: { error_code: 'validation_failed' } });
    break;
  }
  t.equal(accepted, 4, 'four times 2 kB fit a token of 12 kB, five do not');
  const size = async () => {
    const { rows } = await database.admin.query('select octet_length(user_metadata::text) as bytes from users');
    return Number(rows[0].bytes);
  };
  t.ok((await size()) < 9000);
  t.equal((await call('GET', '/user', { bearer })).status, 200);
  t.equal((await put({ part0: null })).status, 200, 'what is there can be taken away');
  t.ok((await size()) < 7000);
});
