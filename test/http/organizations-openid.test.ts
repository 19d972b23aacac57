/** OpenID Connect providers of organizations: who signs in there joins, and their word proves addresses of proven domains only. */
import { createHash, randomBytes } from 'node:crypto';
import { asAdmin } from '../support/admin.js';
import { claimsOf, openExternalFlow } from '../support/external-flow.js';
import { credentialsOf } from '../support/fake-providers/index.js';
import { actWith } from '../support/organizations.js';
import { freshEmail, password } from '../support/server.js';
import { t } from '../support/tap.js';

const flow = await openExternalFlow(t, ['google'], {
  OUTBOUND_PRIVATE_HOSTS: '127.0.0.1',
  ORGANIZATIONS_ENABLED: 'true',
  MAILER_AUTOCONFIRM: 'true',
});
const { as, join, found, addMember, database } = actWith(flow);
const admin = asAdmin(flow);
const { id: client_id, secret: client_secret } = credentialsOf('google');
const issuer = flow.providers.issuerOf('google');
const PATH = '/admin/custom-providers';
const fields = (name: string, place: object) => ({
  provider_type: 'oidc',
  identifier: `custom:${name}`,
  ...{ name, client_id, client_secret, issuer, scopes: ['email', 'profile'], ...place },
});
const signIn = async (name: string, person: { email: string; subject: string }) => {
  const browser = flow.openBrowser();
  const { location } = await browser.leave(`custom:${name}`);
  const who = flow.providers.person('google', person);
  const { fragment, query } = await browser.comeBack(await flow.providers.signIn(location, { as: who }));
  const access = fragment.get('access_token');
  const refresh = fragment.get('refresh_token');
  return { claims: access === null ? { sub: '' } : claimsOf(access), error: query.get('error_code'), refresh };
};
/** With PKCE. */
async function signInByCode(name: string, person: { email: string; subject: string }) {
  const browser = flow.openBrowser();
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const { location } = await browser.leave(`custom:${name}`, {
    code_challenge: challenge,
    code_challenge_method: 's256',
  });
  const who = flow.providers.person('google', person);
  const { query } = await browser.comeBack(await flow.providers.signIn(location, { as: who }));
  const code = { auth_code: query.get('code'), code_verifier: verifier };
  const { body } = await flow.post('/token?grant_type=pkce', code);
  return { claims: claimsOf(body.access_token), refresh: body.refresh_token };
}

t.test('who signs in at a provider of an organization joins it', async (t) => {
  const owner = await join();
  const id = await found(owner);
  const created = await admin('POST', PATH, fields('acme', { organization_id: id, roles: ['admin'] }));
  t.match(created, { status: 201, body: { organization_id: id, roles: ['admin'], role_mapping: [] } });
  await database.admin.query(
    "insert into organization_domains (organization_id, domain, verified_at) values ($1, 'acme.example', now())",
    [id],
  );
  const ada = { email: 'ada@acme.example', subject: 'ada' };
  const { claims } = await signIn('acme', ada);
  t.match(claims, { email: ada.email, org_id: id, org_roles: ['admin'], user_metadata: { email_verified: true } });
  const members = await as(owner, 'GET', `/organizations/${id}/members`);
  t.match(members.body.members, [{ via: 'creation' }, { via: 'sso', user: { id: claims.sub } }]);

  await t.test('with the roles that its claims say', async (t) => {
    const role_mapping = [{ attribute: 'email', value: ada.email, roles: ['member'] }];
    const changed = await admin('PUT', `${PATH}/custom:acme`, { role_mapping });
    t.match(changed, { status: 200, body: { organization_id: id, role_mapping } });
    const after = await signIn('acme', ada);
    t.match(after.claims, { sub: claims.sub, org_roles: ['member'] });
    t.match(await admin('PUT', `${PATH}/custom:acme`, { roles: ['owner'] }), { status: 400 });
    t.match(await admin('PUT', `${PATH}/custom:acme`, { roles: ['unknown'] }), { status: 404 });
  });

  await t.test('which fulfils require_sso as long as the provider is there', async (t) => {
    const setPolicy = (require_sso: boolean) =>
      admin('PUT', `/admin/organizations/${id}`, { policies: { require_sso } });
    t.equal((await setPolicy(true)).status, 200);
    const needsSso = { status: 403, body: { error_code: 'organization_requires_sso' } };
    for (const way of [signIn, signInByCode]) {
      const { claims, refresh } = await way('acme', ada);
      t.match(claims, { org_id: id, amr: [{ method: 'oauth', provider: created.body.id }] }, way.name);
      await admin('PUT', `${PATH}/custom:acme`, { enabled: false });
      t.match(await flow.post('/token?grant_type=refresh_token', { refresh_token: refresh }), needsSso);
      await admin('PUT', `${PATH}/custom:acme`, { enabled: true });
    }
    await admin('POST', PATH, fields('foreign', {}));
    const stranger = await signIn('foreign', { email: freshEmail(), subject: 'stranger' });
    const { amr } = stranger.claims as { amr?: object[] };
    t.same(
      amr?.map((entry) => Object.keys(entry).sort()),
      [['method', 'timestamp']],
      'others are not named',
    );
    t.match(await as(owner, 'GET', `/organizations/${id}`), needsSso, 'a password does not');
    t.equal((await setPolicy(false)).status, 200);
  });

  await t.test('an account that has the address is the same person, where the domain is proven', async (t) => {
    const email = 'bob@acme.example';
    const { body } = await flow.post('/signup', { email, password });
    await database.admin.query('update users set proven_email = email where id = $1', [body.user.id]);
    t.match((await signIn('acme', { email, subject: 'bob' })).claims, { sub: body.user.id, org_id: id });
  });

  await t.test('but no account of a member with a role that the provider does not give', async (t) => {
    const email = 'boss@acme.example';
    const { body } = await flow.post('/signup', { email, password });
    await database.admin.query('update users set proven_email = email where id = $1', [body.user.id]);
    await addMember(id, { id: body.user.id }, 'owner');
    const thief = await signIn('acme', { email, subject: 'boss' });
    t.not(thief.claims.sub, body.user.id);
    t.ok(thief.error);
    await database.admin.query("update organization_members set roles = '{admin}' where user_id = $1", [body.user.id]);
    t.match((await signIn('acme', { email, subject: 'boss' })).claims, { sub: body.user.id }, 'one that it gives');
    await database.admin.query("update organization_members set roles = '{owner}' where user_id = $1", [body.user.id]);
    const again = await signIn('acme', { email, subject: 'boss' });
    t.match(again.claims, { sub: body.user.id, org_roles: ['owner'] }, 'who has signed in there before is known');
  });

  await t.test('addresses of other domains are not proven by it', async (t) => {
    const victim = freshEmail();
    const { body } = await flow.post('/signup', { email: victim, password });
    await database.admin.query('update users set proven_email = email where id = $1', [body.user.id]);
    const thief = await signIn('acme', { email: victim, subject: 'thief' });
    t.not(thief.claims.sub, body.user.id, 'no one takes over an account by it');
    t.ok(thief.error, 'and none is made beside it');
    const { rows } = await database.admin.query("select from identities where provider_id = 'thief'");
    t.equal(rows.length, 0);
    const guest = await signIn('acme', { email: freshEmail(), subject: 'guest' });
    t.match(guest.claims, { org_id: id, user_metadata: { email_verified: false } }, 'a new one joins');
  });

  await t.test('it leaves its organization, or ends with it', async (t) => {
    t.match(await admin('POST', PATH, fields('other', { organization_id: client_id })), { status: 404 });
    t.match(await admin('POST', PATH, fields('other', { roles: ['member'] })), { status: 400 });
    t.notOk('organization_id' in (await admin('PUT', `${PATH}/custom:acme`, { organization_id: '' })).body);
    await admin('PUT', `${PATH}/custom:acme`, { organization_id: id });
    await as(owner, 'DELETE', `/organizations/${id}`, { slug: 'acme' });
    t.match(await admin('GET', `${PATH}/custom:acme`), { status: 404 });
  });
});
