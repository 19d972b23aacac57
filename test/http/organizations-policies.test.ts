/** What an organization demands of the sessions that act for it, and which addresses may join. */
import { asAdmin } from '../support/admin.js';
import { enrolTotp, openApp, type Session, verifyWith } from '../support/authenticator-app.js';
import { openFakeIdp } from '../support/fake-saml-idp.js';
import { hookSettingsOf, openHookReceiver } from '../support/hook-receiver.js';
import { actWith, openOrganizationServer, type Person, readPayload } from '../support/organizations.js';
import { openSamlFlow } from '../support/saml-flow.js';
import { password } from '../support/server.js';
import { t } from '../support/tap.js';

const NONE = { require_aal2: false, require_sso: false, session_hours: null, allowed_domains: [] };
const refusal = (code: string) => ({ status: 403, body: { error_code: code } });
const needsAal2 = refusal('organization_requires_aal2');
const needsSso = refusal('organization_requires_sso');
const isOver = refusal('organization_session_expired');

type Server = Awaited<ReturnType<typeof openOrganizationServer>>;

const sessionOf = ({ access, refresh }: Person): Session => ({
  access_token: access,
  refresh_token: refresh,
  user: null,
});

/** Verifies a new second factor in the session of a person. */
async function raise(server: Server, person: Person): Promise<() => Promise<Person>> {
  const { id, secret } = await enrolTotp(server, sessionOf(person));
  const { nextCode } = openApp(secret);
  const verify = async () => {
    const { body } = await verifyWith(server, sessionOf(person), id, nextCode());
    person.access = body.access_token;
    person.refresh = body.refresh_token;
    return person;
  };
  await verify();
  return verify;
}

async function setPolicies({ database }: Server, id: string, policies: object | null): Promise<void> {
  const stored = policies && JSON.stringify({ ...NONE, ...policies });
  await database.admin.query('update organizations set policies = $2 where id = $1', [id, stored]);
}

/** A refresh that may be refused. */
const tryRefresh = ({ post }: Server, { refresh }: Person, organizationId?: string) =>
  post('/token?grant_type=refresh_token', {
    refresh_token: refresh,
    ...(organizationId !== undefined && { organization_id: organizationId }),
  });

const signIn = ({ post }: Server, { email }: Person, more: object = {}) =>
  post('/token?grant_type=password', { email, password, ...more });

t.test('policies', async (t) => {
  const server = await openOrganizationServer(t, { ORGANIZATIONS_MAX_OWNED: '100' });
  const { as, joinProven: join, found, activate, refresh, addMember, database } = server;
  const admin = asAdmin(server);
  const owner = await join();

  await t.test('they are none at first, and what is absent in a change stays', async (t) => {
    const id = await found(owner);
    const path = `/organizations/${id}`;
    t.match((await as(owner, 'GET', path)).body, { policies: NONE, domains: [] });
    const first = await as(owner, 'PATCH', path, {
      policies: { session_hours: 8, allowed_domains: ['B.Example', 'a.example.'] },
    });
    t.equal(first.status, 200);
    t.same(first.body.policies, { ...NONE, session_hours: 8, allowed_domains: ['a.example', 'b.example'] });
    const second = await as(owner, 'PATCH', path, { name: 'Other', policies: { session_hours: null } });
    t.same(second.body.policies, { ...NONE, allowed_domains: ['a.example', 'b.example'] });
    const byAdmin = await admin('PUT', `/admin${path}`, { policies: { require_sso: true, allowed_domains: [] } });
    t.same(byAdmin.body.policies, { ...NONE, require_sso: true });
    t.same((await admin('PUT', `/admin${path}`, { policies: { require_sso: false } })).body.policies, NONE);
    const { rows } = await database.admin.query('select policies from organizations where id = $1', [id]);
    t.equal(rows[0].policies, null, 'none are none');
    await as(owner, 'POST', `${path}/domains`, { domain: 'acme.example' });
    t.same((await as(owner, 'GET', path)).body.domains, [{ domain: 'acme.example', status: 'pending' }]);
    await database.admin.query('update organization_domains set verified_at = now() where organization_id = $1', [id]);
    t.same((await as(owner, 'GET', path)).body.domains, [{ domain: 'acme.example', status: 'verified' }]);
    await as(owner, 'DELETE', `${path}/domains/acme.example`);
    t.same((await as(owner, 'GET', path)).body.domains, []);
  });

  await t.test('what is no policy is refused', async (t) => {
    const path = `/organizations/${await found(owner)}`;
    for (const policies of [
      { require_aal2: 'yes' },
      { require_sso: null },
      { session_hours: 0 },
      { session_hours: 1.5 },
      { session_hours: '8' },
      { session_hours: 100_000 },
      { allowed_domains: 'a.example' },
      { allowed_domains: ['com'] },
      { allowed_domains: ['*.example.com'] },
      { allowed_domains: [1] },
      { allowed_domains: Array.from({ length: 51 }, (_, i) => `d${i}.example`) },
      { require_aal3: true },
      { constructor: true },
      [],
      'none',
    ]) {
      t.match(await as(owner, 'PATCH', path, { policies }), { status: 400 }, JSON.stringify(policies));
    }
    t.same((await as(owner, 'GET', path)).body.policies, NONE);
    const member = await join();
    await addMember(path.slice(-36), member);
    const refused = await as(member, 'PATCH', path, { policies: { require_aal2: true } });
    t.match(refused, refusal('organization_permission_missing'));
  });

  await t.test('require_aal2', async (t) => {
    const id = await found(owner, 'Strict');
    const person = await join();
    await addMember(id, person);
    await activate(person, id);
    await setPolicies(server, id, { require_aal2: true });
    const before = person.refresh;
    t.match(await tryRefresh(server, person), needsAal2, 'a session that acts for it');
    t.notOk('org_id' in (await refresh(person)), 'goes on without it, with the same token');
    t.not(person.refresh, before);
    const activated = await as(person, 'POST', `/organizations/${id}/activate`);
    t.match(activated, needsAal2);
    t.match(await tryRefresh(server, person, id), needsAal2);
    t.notOk('org_id' in (await refresh(person)), 'the token stayed');
    t.match(await as(person, 'GET', `/organizations/${id}`), needsAal2, 'nor does it read it');
    t.match((await as(person, 'GET', '/organizations')).body.organizations, [{ id, policies: { require_aal2: true } }]);
    const opened = await signIn(server, person);
    t.notOk('org_id' in readPayload(opened.body.access_token), 'its only one is not active');
    const { rows } = await database.admin.query('select count(*)::int as n from sessions where user_id = $1', [
      person.id,
    ]);
    t.match(await signIn(server, person, { organization_id: id }), needsAal2);
    t.match(await signIn(server, person, { organization_id: id, password: 'wrong' }), { status: 400 });
    const after = await database.admin.query('select count(*)::int as n from sessions where user_id = $1', [person.id]);
    t.same(after.rows, rows, 'no session');

    const other: Person = { ...person, access: opened.body.access_token, refresh: opened.body.refresh_token };
    await raise(server, other);
    t.match(readPayload(other.access), { aal: 'aal2', org_id: id }, 'the second factor completes the sign-in');
    t.match(await refresh(other), { org_id: id });
    t.equal((await as(other, 'GET', `/organizations/${id}`)).status, 200);
    t.match(await activate(other, id), { org_id: id });
    t.match(
      await as(person, 'DELETE', `/organizations/${id}/members/${person.id}`),
      { status: 204 },
      'it keeps no one',
    );
  });

  await t.test('a refused refresh whose token is used once more', async (t) => {
    const id = await found(owner, 'Repeated');
    const person = await join();
    await addMember(id, person);
    await activate(person, id);
    const former = person.refresh;
    await refresh(person);
    await setPolicies(server, id, { require_aal2: true });
    t.match(await tryRefresh(server, { ...person, refresh: former }), needsAal2, 'within the reuse interval');
    t.notOk('org_id' in (await refresh(person)), 'the newest token stays the newest');
    await setPolicies(server, id, null);
    await activate(person, id);
    await setPolicies(server, id, { require_aal2: true });
    const answers = await Promise.all([1, 2, 3, 4].map(() => tryRefresh(server, person)));
    const codes = answers.map(({ status, body }) => body.error_code ?? status);
    t.ok(codes.includes('organization_requires_aal2'));
    // One that finds the token given back is to come again.
    const fine = ['organization_requires_aal2', 'service_unavailable', 200];
    t.same(
      codes.filter((code) => !fine.includes(code)),
      [],
      'several at once end no session',
    );
    t.notOk('org_id' in (await refresh(person)));
  });

  await t.test('session_hours', async (t) => {
    const id = await found(owner, 'Short');
    const person = await join();
    await addMember(id, person);
    await setPolicies(server, id, { session_hours: 2 });
    t.match(await activate(person, id), { org_id: id });
    const age = (hours: number) =>
      database.admin.query(
        `update sessions set amr = jsonb_set(amr, '{0,timestamp}', to_jsonb((extract(epoch from now()) - $2::numeric * 3600 + 60)::bigint))
         where user_id = $1`,
        [person.id, hours],
      );
    await age(2);
    await database.admin.query('update users set updated_at = now() where id = $1', [person.id]);
    t.match(await refresh(person), { org_id: id }, 'a minute before');
    await age(2.1);
    await database.admin.query('update users set updated_at = now() where id = $1', [person.id]);
    t.match(await tryRefresh(server, person), isOver);
    t.notOk('org_id' in (await refresh(person)));
    t.match(await as(person, 'POST', `/organizations/${id}/activate`), isOver);
    t.match(await as(person, 'GET', `/organizations/${id}/members`), isOver);
    const { body } = await signIn(server, person, { organization_id: id });
    t.match(readPayload(body.access_token), { org_id: id }, 'a new sign-in');
  });

  await t.test('require_sso binds all but owners who used a second factor, and administrators', async (t) => {
    const chief = await join();
    const id = await found(chief, 'Signed on');
    const person = await join();
    await addMember(id, person, 'admin');
    await activate(person, id);
    await setPolicies(server, id, { require_sso: true });
    t.match(await tryRefresh(server, person), needsSso);
    t.notOk('org_id' in (await refresh(person)));
    await raise(server, person);
    t.match(await as(person, 'POST', `/organizations/${id}/activate`), needsSso, 'a factor is not enough for an admin');
    t.match(await as(chief, 'POST', `/organizations/${id}/activate`), needsSso, 'nor is it to be an owner');
    await raise(server, chief);
    t.match(await activate(chief, id), { org_id: id }, 'both are');
    const operator = await join();
    await addMember(id, operator);
    await database.admin.query("update users set role = 'service_role' where id = $1", [operator.id]);
    const { body } = await signIn(server, operator, { organization_id: id });
    t.match(readPayload(body.access_token), { org_id: id, role: 'service_role' });
    const repaired = await admin('PUT', `/admin/organizations/${id}`, { policies: { require_sso: false } });
    t.equal(repaired.status, 200);
    t.match(await activate(person, id), { org_id: id });
  });

  await t.test('a policy that would shut out the session that sets it is refused', async (t) => {
    const chief = await join();
    const id = await found(chief, 'Careful');
    const boss = await join();
    await addMember(id, boss, 'admin');
    const set = (person: Person, policies: object) => as(person, 'PATCH', `/organizations/${id}`, { policies });
    const unmet = (msg: RegExp) => ({ status: 422, body: { error_code: 'organization_policy_unmet', msg } });
    t.match(await set(chief, { require_aal2: true }), unmet(/require_aal2: verify a second factor/));
    t.match(await set(chief, { require_sso: true }), unmet(/require_sso: sign in at an identity provider/));
    await database.admin.query(
      `update sessions set amr = jsonb_set(amr, '{0,timestamp}', to_jsonb((extract(epoch from now()) - 7200)::bigint))
       where user_id = $1`,
      [chief.id],
    );
    t.match(await set(chief, { session_hours: 1 }), unmet(/session_hours: sign in again/));
    t.same((await as(chief, 'GET', `/organizations/${id}`)).body.policies, NONE, 'nothing is stored');
    t.equal((await set(chief, { session_hours: 3, allowed_domains: ['other.example'] })).status, 200, 'what is met');
    await raise(server, chief);
    const both = { require_aal2: true, require_sso: true };
    t.match(await set(chief, both), { status: 200, body: { policies: both } }, 'an owner with a second factor');
    await setPolicies(server, id, null);
    await raise(server, boss);
    t.match(await set(boss, { require_sso: true }), unmet(/require_sso/), 'an admin with one is bound');
    const byAdmin = await admin('PUT', `/admin/organizations/${id}`, { policies: { require_sso: true } });
    t.equal(byAdmin.status, 200, 'administrators of the installation are not asked');
  });

  await t.test('allowed_domains', async (t) => {
    const id = await found(owner, 'Closed');
    const invite = (email: string) => as(owner, 'POST', `/organizations/${id}/invitations`, { email });
    const person = await join();
    const invitation = await invite(person.email);
    await setPolicies(server, id, { allowed_domains: ['acme.example'] });
    const other = refusal('organization_address_not_allowed');
    t.match(await invite('ann@example.com'), other);
    t.match(await invite('ann@sub.acme.example'), other, 'a domain below it is another one');
    t.match(await invite('acme.example@example.com'), other);
    t.equal((await invite('ann@ACME.example')).status, 201);
    t.match(await as(person, 'POST', `/invitations/${invitation.body.id}/accept`), other, 'invited before');
    const added = await admin('POST', `/admin/organizations/${id}/members`, { user_id: person.id });
    t.equal(added.status, 201, 'administrators are not bound');
    t.match(await activate(person, id), { org_id: id }, 'members stay');
  });
});

t.test('a hook decides the claims', async (t) => {
  const receiver = await openHookReceiver(t, ({ body }) => ({ claims: body.claims }));
  const server = await openOrganizationServer(t, hookSettingsOf('CUSTOM_ACCESS_TOKEN', receiver.url));
  const { as, join, found, activate, refresh } = server;
  const owner = await join();
  const id = await found(owner);
  await activate(owner, id);
  await setPolicies(server, id, { require_aal2: true });
  t.match(await tryRefresh(server, owner), needsAal2);
  t.notOk('org_id' in (await refresh(owner)));
  t.match(await as(owner, 'POST', `/organizations/${id}/activate`), needsAal2);
  t.match(await tryRefresh(server, owner, id), needsAal2);
  t.notOk('org_id' in readPayload((await signIn(server, owner)).body.access_token));
  await raise(server, owner);
  t.match(readPayload(owner.access), { org_id: id });
});

t.test('require_sso admits those who signed in at an identity provider of the organization', async (t) => {
  const flow = await openSamlFlow(t, { ORGANIZATIONS_ENABLED: 'true' });
  const server = actWith(flow);
  const { as, join, found } = server;
  const owner = await join();
  const id = await found(owner);
  const own = openFakeIdp();
  const { body: provider } = await flow.addProvider(own, { domains: ['acme.example'] });
  const foreign = openFakeIdp('idp.other.example');
  const { body: otherProvider } = await flow.addProvider(foreign, { domains: ['other.example'] });
  const enter = async (idp: typeof own, providerId: string, mail: string): Promise<Person> => {
    const landing = await flow.signIn(idp, { provider_id: providerId }, { attributes: { mail } });
    const access = String(landing.fragment.get('access_token'));
    const user = readPayload(access);
    return { id: String(user['sub']), email: mail, access, refresh: String(landing.fragment.get('refresh_token')) };
  };
  const ann = await enter(own, provider.id, 'ann@acme.example');
  const bob = await enter(foreign, otherProvider.id, 'bob@acme.example');
  await server.addMember(id, ann);
  await server.addMember(id, bob);
  await setPolicies(server, id, { require_sso: true });
  t.match(
    await as(ann, 'POST', `/organizations/${id}/activate`),
    needsSso,
    'the provider is not that of the organization yet',
  );
  const give = (organizationId: string | null) =>
    flow.database.admin.query('update sso_providers set organization_id = $2 where id = $1', [
      provider.id,
      organizationId,
    ]);
  await give(id);
  t.match(await server.activate(ann, id), { org_id: id });
  t.match(await server.refresh(ann), { org_id: id });
  t.match(await as(bob, 'POST', `/organizations/${id}/activate`), needsSso, 'that of another company is none');
  await give(null);
  t.match(await tryRefresh(server, ann), needsSso);
  t.notOk('org_id' in (await server.refresh(ann)));
});
