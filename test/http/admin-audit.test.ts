import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { auditEntry, logAudit, logUnstoredAudit } from '../../src/server/accounts/audit.js';
import type { App } from '../../src/server/runtime/app.js';
import { openAdminServer } from '../support/admin.js';
import { runCommand } from '../support/run-command.js';
import { freshEmail, type TestServer, testEnvironment } from '../support/server.js';
import { t } from '../support/tap.js';

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
    t.match(all.body[0], { id: /^[0-9a-f-]{36}$/, ip_address: '127.0.0.1', created_at: /^20/ });
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

t.test('an entry has the address of the client as the limits see it', async (t) => {
  const plain = await openAdminServer(t);
  const addressesOf = async ({ database }: TestServer, email: string) => {
    const { rows } = await database.admin.query<{ action: string; ip_address: string; has_member: boolean }>(
      `select payload ->> 'action' as action, ip_address, payload ? 'ip_address' as has_member from audit_log
       where payload ->> 'actor_username' = $1 or payload #>> '{traits,user_email}' = $1 order by created_at`,
      [email],
    );
    t.notOk(rows.some(({ has_member }) => has_member));
    return Object.fromEntries(rows.map(({ action, ip_address }) => [action, ip_address]));
  };
  const password = 'correct horse battery';
  const signUp = async (server: TestServer, headers: Record<string, string>) => {
    const email = freshEmail();
    const { body } = await server.call('POST', '/signup', { body: { email, password }, headers });
    await server.call('GET', '/reauthenticate', { bearer: body.access_token, headers });
    return email;
  };
  const forged = await signUp(plain, { 'x-forwarded-for': '203.0.113.9' });
  t.same(
    await addressesOf(plain, forged),
    { user_signedup: '127.0.0.1', login: '127.0.0.1', user_reauthenticate_requested: '127.0.0.1' },
    'a header that no limit reads is not believed',
  );

  const behind = await openAdminServer(t, { RATE_LIMIT_HEADER: 'X-Forwarded-For', RATE_LIMIT_TRUSTED_HOPS: '1' });
  for (const [stated, address] of [
    ['198.51.100.1, 203.0.113.9', '203.0.113.9'],
    ['[2001:DB8::1]:443', '2001:db8::1'],
    ['unknown', '127.0.0.1'],
  ] as const) {
    const email = await signUp(behind, { 'x-forwarded-for': stated });
    t.equal((await addressesOf(behind, email))['login'], address, stated);
    const list = await behind.admin('GET', `/admin/audit?query=author:${email}`);
    t.equal(list.body[0].ip_address, address);
  }

  const made = freshEmail();
  const settings = testEnvironment(plain.database.url);
  const run = await runCommand(
    ['users', 'create', '--email', made],
    settings,
    join(t.testdir({ 'empty.env': '' }), 'empty.env'),
  );
  t.equal(run.code, 0, run.err);
  t.same(await addressesOf(plain, made), { user_signedup: '' }, 'no request, no address');
});

t.test('the log has the address, too', async (t) => {
  const logged: unknown[] = [];
  const lines = (_level: string, list: string[]) =>
    logged.push(...list.map((line) => JSON.parse(`{${line.slice(1)}}`).auth_audit_event));
  const log = { isLevelEnabled: () => true, lines } as unknown as App['log'];
  const actor = { id: 'a', email: 'ann@example.com', phone: null };
  for (const clientAddress of [() => '203.0.113.9', () => '', undefined]) {
    logAudit({ log, clientAddress }, 'r', [auditEntry(actor, 'login')]);
    logUnstoredAudit({ log, clientAddress }, 'r', actor, ['token_refreshed']);
  }
  const addresses = logged.map((entry) => (entry as { ip_address?: string }).ip_address);
  t.strictSame(addresses, ['203.0.113.9', '203.0.113.9', undefined, undefined, undefined, undefined]);
  t.match(logged[1], { actor_id: 'a', action: 'token_refreshed', log_type: 'token' });
});
