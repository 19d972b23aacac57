/** The console manages OAuth clients and what users have allowed them. */

import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { openTestConsole, type TestConsole } from '../support/console.js';
import {
  addClient,
  authorize,
  consent,
  oauthSettings,
  REDIRECT_URI,
  redeem,
  signUpPerson,
} from '../support/oauth-client.js';
import { actWith } from '../support/organizations.js';
import { t } from '../support/tap.js';

async function auditOf({ database }: TestConsole) {
  const { rows } = await database.admin.query(
    `select payload from audit_log
    where payload->>'action' like 'oauth_client%' or payload->>'action' = 'token_revoked' order by created_at`,
  );
  return rows.map(({ payload }) => payload);
}

t.test('a client: added, changed, with a new secret, deleted; every deed has its audit row', async (t) => {
  const console = await openTestConsole(t, oauthSettings());
  const browser = await console.signIn('admin', 'ann');
  const given = { redirect_uris: [REDIRECT_URI], client_name: 'Shop', client_type: 'confidential' };
  const created = await browser.post('/api/oauth-clients', { ...given, reason: 'ticket 1' });
  t.match(created, { status: 201, body: { client_name: 'Shop', client_secret: String, registration_type: 'manual' } });
  const path = `/api/oauth-clients/${created.body.client_id}`;
  const seen = await browser.get(path);
  t.match(seen, { status: 200, body: { client_id: created.body.client_id } });
  t.notMatch(seen.text, /client_secret"/);
  const changed = await browser.call('PUT', path, { body: { client_name: 'Store', reason: 'ticket 2' } });
  t.match(changed, { status: 200, body: { client_name: 'Store', redirect_uris: [REDIRECT_URI] } });
  t.match(await browser.call('PUT', path, { body: {} }), { status: 400 });
  const renewed = await browser.post(`${path}/rotate-secret`);
  t.equal(renewed.status, 200);
  t.not(renewed.body.client_secret, created.body.client_secret);
  const viewer = await console.signIn('viewer');
  for (const [method, where] of [
    ['PUT', path],
    ['DELETE', path],
    ['POST', `${path}/rotate-secret`],
  ] as const) {
    t.equal((await viewer.call(method, where, { body: {} })).status, 403, `${method} ${where}`);
  }
  t.equal((await browser.call('DELETE', path, { body: { reason: 'gone' } })).status, 204);
  t.equal((await browser.get(path)).status, 404);

  const audit = await auditOf(console);
  t.match(audit, [
    { action: 'oauth_client_registered', actor_username: 'ann', traits: { reason: 'ticket 1' } },
    {
      action: 'oauth_client_updated',
      traits: { before: { name: 'Shop' }, after: { name: 'Store' }, operator: { name: 'ann' }, request_id: /./ },
    },
    { action: 'oauth_client_updated', traits: { before: { client_secret: '…' }, after: { client_secret: 'changed' } } },
    { action: 'oauth_client_deleted', traits: { reason: 'gone' } },
  ]);
  for (const { client_secret: secret } of [created.body, renewed.body]) t.notOk(JSON.stringify(audit).includes(secret));
});

t.test('clients and grants page by page; the end of a grant ends what the client may do', async (t) => {
  const console = await openTestConsole(t, oauthSettings());
  const browser = await console.signIn('support', 'ben');
  const clients: string[] = [];
  for (let n = 0; n < 5; n++) clients.unshift((await addClient(console, { client_name: `App ${n}` })).id);
  const readAll = async (path: string, list: string, id: string): Promise<string[]> => {
    const found: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body, status, text } = await browser.get(`${path}?limit=2&cursor=${cursor}`);
      if (status !== 200) throw new Error(text);
      found.push(...body[list].map((one: Record<string, string>) => one[id]));
      cursor = body.next_cursor;
    }
    return found;
  };
  t.same(await readAll('/api/oauth-clients', 'clients', 'client_id'), clients);

  const [clientId] = clients as [string];
  const people = [];
  for (let n = 0; n < 3; n++) {
    const person = await signUpPerson(console);
    const { location } = await authorize(console, { clientId, parameters: { scope: 'openid email' } });
    const back = await consent(console, person, location);
    const tokens = await redeem(console, { id: clientId, secret: undefined }, back.searchParams.get('code')!);
    people.unshift({ ...person, clientToken: tokens.body.access_token as string });
  }
  const path = `/api/oauth-clients/${clientId}/grants`;
  t.same(
    await readAll(path, 'grants', 'user_id'),
    people.map(({ id }) => id),
  );
  const [one, other] = people as [(typeof people)[0], (typeof people)[0]];
  t.match((await browser.get(`/api/users/${one.id}/grants`)).body.grants, [
    { client: { id: clientId }, scopes: ['openid', 'email'] },
  ]);
  const info = (bearer: string) => console.call('GET', '/oauth/userinfo', { bearer });
  t.equal((await info(one.clientToken)).status, 200);
  const end = () =>
    browser.call('DELETE', `/api/users/${one.id}/grants/${clientId}`, { body: { reason: 'lost laptop' } });
  t.equal((await end()).status, 204);
  t.equal((await end()).status, 404);
  t.match(await info(one.clientToken), { status: 401, body: { error_code: 'session_not_found' } });
  t.equal((await info(other.clientToken)).status, 200);
  t.equal((await console.call('GET', '/user', { bearer: one.token })).status, 200, 'the user stays signed in');
  t.same(
    await readAll(path, 'grants', 'user_id'),
    people.slice(1).map(({ id }) => id),
  );
  t.match((await auditOf(console)).at(-1), {
    action: 'token_revoked',
    actor_username: 'ben',
    traits: { user_id: one.id, client_id: clientId, reason: 'lost laptop' },
  });
});

t.test('without the authorization server there is nothing to manage', async (t) => {
  const console = await openTestConsole(t);
  const browser = await console.signIn('viewer');
  t.match(await browser.get('/api/oauth-clients'), { status: 404, body: { error_code: 'feature_disabled' } });
});

t.test('clients of an organization, and with keys', async (t) => {
  const console = await openTestConsole(t, oauthSettings({ ORGANIZATIONS_ENABLED: 'true' }));
  const { join, found } = actWith(console);
  const organization = await found(await join());
  const browser = await console.signIn('admin');
  const machine = { client_type: 'confidential', grant_types: ['client_credentials'], client_name: 'Robot' };
  const served = { organization_id: organization, organization_roles: ['member', 'admin'] };
  const made = await browser.post('/api/oauth-clients', { ...machine, ...served });
  t.match(made, { status: 201, body: { organization_id: organization, organization_roles: ['admin', 'member'] } });
  const path = `/api/oauth-clients/${made.body.client_id}`;
  const put = (body: object) => browser.call('PUT', path, { body });
  t.match(await put({ organization_roles: ['nothing'] }), { status: 404, body: { error_code: 'role_not_found' } });
  t.match(await put({ organization_id: randomUUID() }), {
    status: 404,
    body: { error_code: 'organization_not_found' },
  });
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keys = [{ ...publicKey.export({ format: 'jwk' }), kid: 'one' }];
  t.match(await put({ token_endpoint_auth_method: 'private_key_jwt', jwks: { keys } }), {
    status: 200,
    body: { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [{ kid: 'one' }] } },
  });
  const moved = await put({ jwks_uri: 'https://robot.example/keys' });
  t.match(moved, { status: 200, body: { jwks_uri: 'https://robot.example/keys' } });
  t.notOk('jwks' in moved.body, 'the one ends the other');
  const { body: freed } = await put({ organization_id: '' });
  t.notOk('organization_id' in freed);
});
