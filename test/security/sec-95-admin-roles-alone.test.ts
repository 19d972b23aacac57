import { openAdminServer } from '../support/admin.js';
import { freshEmail, password } from '../support/server.js';
import { type Test, t } from '../support/tap.js';

/** A server, and users who sign in after an administrator has given them a role. */
async function openServer(t: Test, settings: Record<string, string>) {
  const server = await openAdminServer(t, settings);
  return {
    ...server,
    async signInAs(role: string): Promise<string> {
      const email = freshEmail();
      const made = await server.admin('POST', '/admin/users', { email, password, role, email_confirm: true });
      t.equal(made.status, 200);
      const { body } = await server.post('/token?grant_type=password', { email, password });
      t.equal(body.user.role, role);
      return body.access_token;
    },
  };
}

const GROUP_NAMES: readonly Record<string, string>[] = [
  {},
  { JWT_ADMIN_GROUP_NAME: 'authenticated' },
  { JWT_ADMIN_GROUP_NAME: 'editor' },
];

for (const settings of GROUP_NAMES) {
  t.test(`SEC-95: no group is an administrator, ${JSON.stringify(settings)}`, async (t) => {
    const { call, signInAs } = await openServer(t, settings);
    for (const role of ['admin', 'authenticated', 'editor']) {
      const bearer = await signInAs(role);
      const body = { app_metadata: { plan: 'gold' } };
      t.match(await call('PUT', '/user', { bearer, body }), { status: 403, body: { error_code: 'not_admin' } }, role);
      const { body: user } = await call('GET', '/user', { bearer });
      t.same(user.app_metadata, { provider: 'email', providers: ['email'] }, role);
      t.equal((await call('GET', '/admin/users', { bearer })).status, 403, role);
    }
  });
}

t.test('SEC-95: a role of JWT_ADMIN_ROLES may do both, and no other', async (t) => {
  const { call, signInAs } = await openServer(t, { JWT_ADMIN_ROLES: 'service_role,boss' });
  for (const role of ['service_role', 'boss']) {
    const bearer = await signInAs(role);
    const { status, body } = await call('PUT', '/user', { bearer, body: { app_metadata: { plan: role } } });
    t.equal(status, 200, role);
    t.equal(body.app_metadata.plan, role);
    t.equal((await call('GET', '/admin/users', { bearer })).status, 200, role);
  }
  const bearer = await signInAs('supabase_admin');
  t.equal((await call('PUT', '/user', { bearer, body: { app_metadata: {} } })).status, 403);
  t.equal((await call('GET', '/admin/users', { bearer })).status, 403);
});
