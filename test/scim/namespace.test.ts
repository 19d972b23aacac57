/** Provisioning where tables and functions have a prefix (AUTH_DB_NAMESPACE). */
import { migrate } from '../../src/db/migrate.js';
import { createTestDatabase } from '../support/database.js';
import { openScimServer, PATCH, USER } from '../support/scim.js';
import { password } from '../support/server.js';
import { t } from '../support/tap.js';

const { url, admin } = await createTestDatabase(t, { isEmpty: true });
// A server that migrates reads the roles of organizations some time later.
await migrate({ url, prefix: 'auth_' });
const server = await openScimServer(t, { DB_NAMESPACE: 'auth' }, () => url);
const isActive = (value: boolean) => ({ schemas: [PATCH], Operations: [{ op: 'replace', path: 'active', value }] });

t.test('an account is deactivated, and active again', async (t) => {
  const { scim } = await server.addScimOrganization(await server.join(), 'prefix.example');
  const email = 'ann@prefix.example';
  const { body: session } = await server.post('/signup', { email, password });
  await admin.query('update auth_users set proven_email = email where id = $1', [session.user.id]);
  const { body: person } = await scim('POST', '/Users', {
    schemas: [USER],
    userName: email,
    emails: [{ value: email }],
  });
  t.equal(person.id, session.user.id);
  const signIn = () => server.post('/token?grant_type=password', { email, password });

  t.match(await scim('PATCH', `/Users/${person.id}`, isActive(false)), { status: 200, body: { active: false } });
  t.match(await signIn(), { status: 400, body: { error_code: 'user_banned' } });
  const { refresh_token } = session;
  t.equal((await server.post('/token?grant_type=refresh_token', { refresh_token })).status, 400);

  t.match(await scim('PATCH', `/Users/${person.id}`, isActive(true)), { status: 200, body: { active: true } });
  t.equal((await signIn()).status, 200);

  t.equal((await scim('DELETE', `/Users/${person.id}`)).status, 204);
  t.match(await signIn(), { status: 400, body: { error_code: 'user_banned' } });
});

t.test('what a webhook wants is recorded', async (t) => {
  const webhook = { url: 'https://events.example.com/', events: ['*'] };
  t.equal((await server.admin('POST', '/admin/webhooks', webhook)).status, 201);
  const owner = await server.join();
  const { scim } = await server.addScimOrganization(owner, 'events.example');
  const { status, body: person } = await scim('POST', '/Users', { schemas: [USER], userName: 'ben' });
  t.equal(status, 201);
  t.equal((await scim('PATCH', `/Users/${person.id}`, isActive(false))).status, 200);
  const { rows } = await admin.query<{ type: string }>('select type from auth_events order by sequence');
  const types = rows.map(({ type }) => type);
  for (const type of ['user.created', 'organization.created', 'scim.user_created', 'scim.user_deactivated']) {
    t.ok(types.includes(type), type);
  }
});
