import { randomUUID } from 'node:crypto';
import t from 'tap';
import { openAdminServer } from '../support/admin.js';
import { freshEmail } from '../support/server.js';

t.test('GET /admin/audit', async (t) => {
  const server = await openAdminServer(t);
  const { admin, post } = server;
  const read = (query = '') => admin('GET', `/admin/audit${query}`);

  const none = await read();
  t.same([none.status, none.body], [200, []]);
  t.equal(none.headers.get('x-total-count'), '0');
  t.equal(none.headers.get('link'), '</admin/audit?page=0>; rel="last"');

  const [ann, ben] = [freshEmail(), freshEmail()];
  const password = 'correct horse battery';
  await post('/signup', { email: ann, password, data: { full_name: 'Ann Audit' } });
  await post('/token?grant_type=password', { email: ann, password });
  const made = await admin('POST', '/admin/users', { email: ben });
  await admin('PUT', `/admin/users/${made.body.id}`, { role: 'x' });
  await admin('DELETE', `/admin/users/${made.body.id}`);

  await t.test('newest first, by page', async (t) => {
    const all = await read();
    const actions = all.body.map((entry: { payload: { action: string } }) => entry.payload.action);
    t.same(actions, ['user_deleted', 'user_modified', 'user_signedup', 'login', ...actions.slice(4)]);
    t.match(all.body[0], { id: /^[0-9a-f-]{36}$/, ip_address: '', created_at: /^20/ });
    t.match(all.body[0].payload, {
      actor_id: '00000000-0000-0000-0000-000000000000',
      actor_username: 'service_role',
      actor_via_sso: false,
      traits: { user_email: ben },
    });
    t.equal(all.headers.get('x-total-count'), String(all.body.length));
    const second = await read('?page=2&per_page=1');
    t.same(second.body, [all.body[1]]);
    t.match(second.headers.get('link'), /^<\/admin\/audit\?page=3&per_page=1>; rel="next", .*rel="last"$/);
    const past = await read('?page=99');
    t.same([past.body, past.headers.get('x-total-count')], [[], String(all.body.length)]);
  });

  await t.test('query=<scope>:<text>', async (t) => {
    const actions = async (query: string) =>
      (await read(`?query=${encodeURIComponent(query)}`)).body.map(
        (entry: { payload: { action: string } }) => entry.payload.action,
      );
    t.same(await actions('action:USER_DEL'), ['user_deleted']);
    const ofAccounts = await actions('type:ACCOUNT');
    t.ok(ofAccounts.length > 0 && ofAccounts.every((action: string) => action === 'login'));
    t.ok((await actions(`author:${ann.toUpperCase()}`)).length >= 2);
    t.ok((await actions('author:ann audit')).length >= 1, 'by name');
    t.same(await actions('author:service_role'), ['user_deleted', 'user_modified', 'user_signedup']);
    t.same(await actions('author:%'), []);
    t.same(await actions('action:x:y'), []);
    t.ok((await actions('action:')).length >= 5, 'an empty text is in all');
    for (const query of ['action', 'who:ann', ':x', 'Action:x']) {
      const answer = await read(`?query=${encodeURIComponent(query)}`);
      t.match(answer, { status: 400, body: { error_code: 'validation_failed', msg: `Invalid query scope: ${query}` } });
    }
    t.equal((await read('?per_page=x')).status, 400);
  });
});

t.test('without the audit log in Postgres the list is empty, and the actions work', async (t) => {
  const { admin } = await openAdminServer(t, { AUDIT_LOG_DISABLE_POSTGRES: 'true' });
  const { body } = await admin('POST', '/admin/users', { email: freshEmail() });
  t.equal((await admin('DELETE', `/admin/users/${body.id}`)).status, 200);
  t.equal((await admin('DELETE', `/admin/users/${randomUUID()}`)).status, 404);
  t.same((await admin('GET', '/admin/audit')).body, []);
});
