/** What provisioning leads to elsewhere: events for webhooks, and refused refreshes at another instance. */

import { Authenticator } from '../support/authenticator.js';
import { addClient, oauthSettings, refresh as refreshClient, signInToClient } from '../support/oauth-client.js';
import { passkeySettings, tryRegister, trySignIn } from '../support/passkeys.js';
import { samlSettings } from '../support/saml-flow.js';
import { GROUP, openScimServer, PATCH, USER } from '../support/scim.js';
import { openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';

const server = await openScimServer(t, { ...passkeySettings, ...oauthSettings() });
const patch = (...Operations: object[]) => ({ schemas: [PATCH], Operations });
const off = patch({ op: 'replace', path: 'active', value: false });

t.test('each write is an event', async (t) => {
  const webhook = { url: 'https://events.example.com/', events: ['scim.*'] };
  t.equal((await server.admin('POST', '/admin/webhooks', webhook)).status, 201);
  const owner = await server.join();
  const { id: organizationId, scim } = await server.addScimOrganization(owner, 'events.example');
  const { body: person } = await scim('POST', '/Users', { schemas: [USER], userName: 'ann' });
  const place = `/Users/${person.id}`;
  await scim('PATCH', place, patch({ op: 'add', path: 'title', value: 'x' }));
  await scim('PATCH', place, off);
  const { body: group } = await scim('POST', '/Groups', { schemas: [GROUP], displayName: 'g' });
  await scim('PATCH', `/Groups/${group.id}`, patch({ op: 'add', path: 'members', value: [{ value: person.id }] }));
  await scim('DELETE', `/Groups/${group.id}`);
  await scim('DELETE', place);
  await scim('POST', '/Users', { schemas: [USER], userName: 'ann' });
  const { rows } = await server.database.admin.query(
    "select type, user_id, data from events where type like 'scim.%' order by sequence",
  );
  t.same(
    rows.map(({ type }) => type),
    [
      ...['scim.user_created', 'scim.user_updated', 'scim.user_deactivated'],
      ...['scim.group_created', 'scim.group_updated', 'scim.group_deleted'],
      ...['scim.user_deleted', 'scim.user_created'],
    ],
  );
  for (const { data } of rows) t.match(data, { organization_id: organizationId, actor: { type: 'scim' } });
  t.equal(rows[0].user_id, person.id);
  const { rows: audit } = await server.database.admin.query(
    "select payload from audit_log where payload ->> 'action' like 'scim.%' and payload -> 'traits' ->> 'organization_id' = $1",
    [organizationId],
  );
  t.equal(audit.length, 8);
  t.match(audit[0].payload, { actor_username: 'scim: test' });
});

t.test('another instance refuses the very next refresh', async (t) => {
  const settings = samlSettings({ SCIM_ENABLED: 'true', ORGANIZATIONS_ENABLED: 'true' });
  const other = await openTestServer(t, settings, () => server.database.url);
  const owner = await server.join();
  const { scim } = await server.addScimOrganization(owner, 'elsewhere.example');
  const email = 'ben@elsewhere.example';
  const { body: session } = await other.post('/signup', { email, password });
  await server.database.admin.query('update users set proven_email = email where id = $1', [session.user.id]);
  const { body: person } = await scim('POST', '/Users', {
    schemas: [USER],
    userName: email,
    emails: [{ value: email }],
  });
  t.equal(person.id, session.user.id);
  const refresh = (refresh_token: string) => other.post('/token?grant_type=refresh_token', { refresh_token });
  const before = await refresh(session.refresh_token);
  t.equal(before.status, 200);
  const from = performance.now();
  t.equal((await scim('PATCH', `/Users/${person.id}`, off)).status, 200);
  const refused = await refresh(before.body.refresh_token);
  t.comment(`${(performance.now() - from).toFixed(0)} ms from the patch to the refusal`);
  t.equal(refused.status, 400);
  t.match(await other.post('/token?grant_type=password', { email, password }), { body: { error_code: 'user_banned' } });
  t.match(await other.call('GET', '/user', { bearer: before.body.access_token }), {
    status: 403,
    body: { error_code: 'user_banned' },
  });
});

t.test('clients of the OAuth server and passkeys are refused as well', async (t) => {
  const owner = await server.join();
  const { scim } = await server.addScimOrganization(owner, 'ways.example');
  const email = 'cid@ways.example';
  const { body: session } = await server.post('/signup', { email, password });
  const { id } = session.user;
  await server.database.admin.query('update users set proven_email = email where id = $1', [id]);
  t.equal((await scim('POST', '/Users', { schemas: [USER], userName: email, emails: [{ value: email }] })).body.id, id);
  const authenticator = new Authenticator();
  const bearer = session.access_token;
  t.equal((await tryRegister(server, { id, email, bearer }, authenticator)).status, 200);
  t.equal((await trySignIn(server, authenticator)).status, 200);
  const client = await addClient(server);
  const person = { id, email, token: bearer, refreshToken: session.refresh_token };
  const { body: granted } = await signInToClient(server, person, client);
  const renewed = await refreshClient(server, client, granted.refresh_token);
  t.equal(renewed.status, 200);

  t.equal((await scim('PATCH', `/Users/${id}`, off)).status, 200);
  t.match(await refreshClient(server, client, renewed.body.refresh_token), {
    status: 400,
    body: { error: 'invalid_grant' },
  });
  t.match(await trySignIn(server, authenticator), { body: { error_code: 'user_banned' } });
  t.equal((await server.call('GET', '/oauth/userinfo', { bearer: renewed.body.access_token })).status >= 400, true);
  const on = patch({ op: 'replace', path: 'active', value: true });
  t.equal((await scim('PATCH', `/Users/${id}`, on)).status, 200);
  t.equal((await trySignIn(server, authenticator)).status, 200);
});
