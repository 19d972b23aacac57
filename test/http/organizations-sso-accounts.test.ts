/** People of a company who have an account with the same address: they join it where their organization has proven the domain. */
import { openFakeIdp, PERSISTENT } from '../support/fake-saml-idp.js';
import { actWith, readPayload } from '../support/organizations.js';
import { samlFlowOn, samlSettings } from '../support/saml-flow.js';
import { openTestServer, password } from '../support/server.js';
import { type Test, t } from '../support/tap.js';

const server = await openTestServer(t, samlSettings({ ORGANIZATIONS_ENABLED: 'true' }));
const { as, join, found, addMember, database } = actWith(server);
const { admin, signIn } = samlFlowOn(server);
const owner = await join();
const id = await found(owner);
const idp = openFakeIdp('idp.acme.example');
const { body: provider } = await as(owner, 'POST', `/organizations/${id}/sso`, {
  type: 'saml',
  metadata_xml: idp.metadata(),
  roles: ['admin'],
  role_mapping: [{ attribute: 'groups', value: 'Staff', roles: ['member'] }],
});
await database.admin.query(
  "insert into organization_domains (organization_id, domain, verified_at) values ($1, 'acme.example', now())",
  [id],
);

/** An account with an address. */
async function open(email: string, isProven = true): Promise<string> {
  const { body } = await server.post('/signup', { email, password });
  if (isProven) await database.admin.query('update users set proven_email = email where id = $1', [body.user.id]);
  return body.user.id;
}
async function enter(subject: string, mail: string, at = { idp, id: provider.id as string }) {
  const sent = { nameId: { value: subject, format: PERSISTENT }, attributes: { mail, groups: 'Staff' } };
  const { fragment, query } = await signIn(at.idp, { provider_id: at.id }, sent);
  const access = fragment.get('access_token');
  return { error: query.get('error_code'), claims: access === null ? {} : readPayload(access), access: access ?? '' };
}
const identitiesOf = async (userId: string) => {
  const { rows } = await database.admin.query(
    'select provider from identities where user_id = $1 order by created_at, provider',
    [userId],
  );
  return rows.map((row) => row.provider);
};

t.test('an account with a proven address of a verified domain is joined, not doubled', async (t) => {
  const email = 'ada@acme.example';
  const ada = await open(email);
  const first = await enter('ada', 'Ada@ACME.example');
  t.match(first.claims, {
    sub: ada,
    email,
    org_id: id,
    org_roles: ['member'],
    amr: [{ method: 'sso/saml', provider: provider.id }],
    app_metadata: { provider: 'email', providers: ['email', `sso:${provider.id}`] },
  });
  t.match((await enter('ada', 'ada@acme.example')).claims, { sub: ada });
  t.match((await enter('ada', 'other@acme.example')).claims, { sub: ada, email }, 'it keeps its address');
  t.same(await identitiesOf(ada), ['email', `sso:${provider.id}`]);
  const byPassword = await server.post('/token?grant_type=password', { email, password });
  t.equal(byPassword.status, 200, 'the other ways to sign in stay');
  const { rows } = await database.admin.query(
    `select payload ->> 'action' as action from audit_log where payload ->> 'actor_id' = $1
     and payload ->> 'action' in ('identity_linked', 'user_signedup', 'organization.member_added') order by created_at, id`,
    [ada],
  );
  t.same(rows.map(({ action }) => action).sort(), ['identity_linked', 'organization.member_added', 'user_signedup']);

  await t.test('by one person of the company only', async (t) => {
    const other = await enter('another-ada', email);
    t.type(other.claims['sub'], 'string');
    t.not(other.claims['sub'], ada, 'the provider says that they are two');
  });
});

t.test('what an operator has confirmed counts as proven', async (t) => {
  const email = 'eve@acme.example';
  const { body } = await admin('POST', '/admin/users', { email, email_confirm: true });
  t.match((await enter('eve', email)).claims, { sub: body.id });
});

t.test('many first sign-ins at the same moment join once', async (t) => {
  const bob = await open('bob@acme.example');
  const entered = await Promise.all([1, 2, 3, 4].map(() => enter('bob', 'bob@acme.example')));
  for (const { claims, error } of entered) t.equal(claims['sub'], bob, String(error));
  t.same(await identitiesOf(bob), ['email', `sso:${provider.id}`]);
});

t.test('all others stay apart', async (t) => {
  const apart = async (t: Test, userId: string, subject: string, mail: string, at?: Parameters<typeof enter>[2]) => {
    const { claims } = await enter(subject, mail, at);
    t.type(claims['sub'], 'string', mail);
    t.not(claims['sub'], userId, mail);
    t.same(await identitiesOf(userId), ['email'], mail);
  };
  await apart(t, await open('unproven@acme.example', false), 'unproven', 'unproven@acme.example');
  await apart(t, await open('victim@other.example'), 'victim', 'victim@other.example');
  await apart(t, await open('below@sub.acme.example'), 'below', 'below@sub.acme.example');

  await t.test('a domain of another organization, or one that is not verified yet', async (t) => {
    const rival = await found(await join(), 'Rival');
    await database.admin.query(
      `insert into organization_domains (organization_id, domain, verified_at)
       values ($1, 'rival.example', now()), ($2, 'wanted.example', null)`,
      [rival, id],
    );
    await apart(t, await open('ann@rival.example'), 'ann', 'ann@rival.example');
    await apart(t, await open('ann@wanted.example'), 'ann2', 'ann@wanted.example');
  });

  await t.test('a provider of the installation', async (t) => {
    const foreign = openFakeIdp('idp.installation.example');
    const { body } = await admin('POST', '/admin/sso/providers', {
      type: 'saml',
      metadata_xml: foreign.metadata(),
      domains: ['acme.example'],
    });
    await apart(t, await open('carl@acme.example'), 'carl', 'carl@acme.example', { idp: foreign, id: body.id });
  });

  await t.test('a member with a role that the provider does not give: its manager could act with it', async (t) => {
    const boss = await open('boss@acme.example');
    await addMember(id, { id: boss }, 'owner');
    await apart(t, boss, 'boss', 'boss@acme.example');
    const chief = await open('chief@acme.example');
    await addMember(id, { id: chief }, 'admin');
    t.match((await enter('chief', 'chief@acme.example')).claims, { sub: chief }, 'one that it gives');
  });

  await t.test('who is banned does not come in beside the ban', async (t) => {
    const dora = await open('dora@acme.example');
    await database.admin.query("update users set banned_until = now() + interval '1 day' where id = $1", [dora]);
    t.equal((await enter('dora', 'dora@acme.example')).error, 'user_banned');
    t.same(await identitiesOf(dora), ['email']);
  });
});
