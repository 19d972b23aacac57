/** Identity providers of organizations: who sets them up, and who joins by them. */
import { randomUUID } from 'node:crypto';
import { adminToken } from '../support/admin.js';
import { openFakeIdp, PERSISTENT, type ResponseOptions } from '../support/fake-saml-idp.js';
import { actWith, type Person, readPayload } from '../support/organizations.js';
import { expectedOf, samlFlowOn, samlSettings } from '../support/saml-flow.js';
import { openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';

const server = await openTestServer(
  t,
  samlSettings({
    ORGANIZATIONS_ENABLED: 'true',
    ORGANIZATIONS_MAX_OWNED: '100',
    OUTBOUND_PRIVATE_HOSTS: 'idp.intranet.example,localhost',
  }),
);
const { as, join, found, addMember, database } = actWith(server);
const { admin, signIn, postResponse, begin } = samlFlowOn(server);
let idps = 0;
const newIdp = () => openFakeIdp(`idp${idps++}.acme.example`);

const pathOf = (organizationId: string) => `/organizations/${organizationId}/sso`;
const body = (idp: ReturnType<typeof newIdp>, fields: object = {}) => ({
  type: 'saml',
  metadata_xml: idp.metadata(),
  ...fields,
});
const asPerson = (value: string, attributes: Record<string, string | string[]> = {}): Partial<ResponseOptions> => ({
  nameId: { value, format: PERSISTENT },
  attributes: { mail: `${value}@acme.example`, ...attributes },
});
const proveDomain = (organizationId: string, domain: string) =>
  database.admin.query(
    'insert into organization_domains (organization_id, domain, verified_at) values ($1, $2, now())',
    [organizationId, domain],
  );
/** A company of one owner, with a provider. */
async function openCompany(fields: object = {}) {
  const owner = await join();
  const id = await found(owner, 'Acme');
  const idp = newIdp();
  const answer = await as(owner, 'POST', pathOf(id), body(idp, fields));
  t.equal(answer.status, 201, JSON.stringify(answer.body));
  const providerId = answer.body.id as string;
  const enter = async (name: string, attributes: Record<string, string | string[]> = {}) => {
    const { fragment, query } = await signIn(idp, { provider_id: providerId }, asPerson(name, attributes));
    const access = fragment.get('access_token');
    if (access === null) throw new Error(String(query));
    const claims = readPayload(access);
    return { access, refresh: fragment.get('refresh_token')!, claims, id: claims['sub'] as string, email: '' };
  };
  const members = async () => {
    const { rows } = await database.admin.query(
      'select user_id, roles, via from organization_members where organization_id = $1 order by joined_at',
      [id],
    );
    return rows;
  };
  return { owner, id, idp, providerId, enter, members, path: `${pathOf(id)}/${providerId}` };
}
const refusal = (status: number, error_code: string, msg?: RegExp) => ({
  status,
  body: { error_code, ...(msg && { msg }) },
});

t.test('an owner adds, reads, changes and deletes one', async (t) => {
  const owner = await join();
  const id = await found(owner);
  await proveDomain(id, 'owned.example');
  const idp = newIdp();
  const added = await as(owner, 'POST', pathOf(id), body(idp, { domains: ['OWNED.example'], resource_id: 'mine' }));
  t.match(added, {
    status: 201,
    body: {
      organization_id: id,
      roles: ['member'],
      role_mapping: [],
      saml: { entity_id: idp.entityId },
      domains: [{ domain: 'owned.example' }],
    },
  });
  t.notOk('resource_id' in added.body, 'only administrators give one');
  const path = `${pathOf(id)}/${added.body.id}`;
  t.same((await as(owner, 'GET', path)).body, added.body);
  t.same((await admin('GET', `/admin/sso/providers/${added.body.id}`)).body, added.body, 'the same object');
  const listed = await as(owner, 'GET', pathOf(id));
  t.match(listed, { status: 200, body: { providers: [{ id: added.body.id }], next_cursor: null } });
  t.notOk('metadata_xml' in listed.body.providers[0].saml);
  const mapping = [{ attribute: 'groups', value: 'Staff', roles: ['admin', 'member'] }];
  const changed = await as(owner, 'PUT', path, { role_mapping: mapping, force_authn: true });
  t.match(changed, { status: 200, body: { role_mapping: mapping, saml: { force_authn: true } } });
  t.match(await as(owner, 'PUT', path, { roles: ['admin'] }), {
    status: 200,
    body: { roles: ['admin'], role_mapping: mapping },
  });
  t.match(await as(owner, 'POST', `${path}/refresh_metadata`), refusal(400, 'validation_failed', /no metadata_url/));
  t.match(await as(owner, 'POST', pathOf(id), body(idp)), refusal(422, 'saml_idp_already_exists'));
  t.match(await as(owner, 'POST', pathOf(id), { type: 'oidc' }), refusal(400, 'validation_failed'));
  t.equal((await as(owner, 'DELETE', path)).status, 200);
  t.match(await as(owner, 'GET', path), refusal(404, 'sso_provider_not_found'));
  const { rows } = await database.admin.query(
    "select payload ->> 'action' as action from audit_log where payload -> 'traits' ->> 'organization_id' = $1 and payload ->> 'action' like 'sso%' order by created_at",
    [id],
  );
  t.same(
    rows.map(({ action }) => action),
    ['sso_provider_created', 'sso_provider_updated', 'sso_provider_updated', 'sso_provider_deleted'],
  );
  const known = idp.metadata();
  for (let n = 0; n <= 10; n++) {
    const metadata_xml = known.replace(idp.entityId, `${idp.entityId}/${n}`);
    const { status, body } = await as(owner, 'POST', pathOf(id), { type: 'saml', metadata_xml });
    t.match([status, body.error_code], n < 10 ? [201] : [422, 'too_many_sso_providers']);
  }
});

t.test('its domains are verified ones of the organization', async (t) => {
  const { owner, id, idp, path } = await openCompany();
  const other = await found(owner, 'Other');
  await proveDomain(id, 'proven.example');
  await proveDomain(other, 'foreign.example');
  await database.admin.query(
    "insert into organization_domains (organization_id, domain) values ($1, 'wanted.example')",
    [id],
  );
  for (const domain of ['wanted.example', 'foreign.example', 'unknown.example', 'sub.proven.example']) {
    t.match(
      await as(owner, 'PUT', path, { domains: ['proven.example', domain] }),
      refusal(400, 'validation_failed', /verified domains/),
    );
  }
  t.equal((await as(owner, 'PUT', path, { domains: ['proven.example'], enforced: true })).status, 200);
  t.ok((await begin(idp, { domain: 'proven.example' })).id);
  t.equal((await as(owner, 'DELETE', `/organizations/${id}/domains/proven.example`)).status, 204);
  t.match(
    await server.post('/sso', { domain: 'proven.example' }),
    refusal(404, 'sso_provider_not_found'),
    'gone with the proof',
  );
  t.same((await as(owner, 'GET', path)).body.domains, []);

  await admin('PUT', path.replace(pathOf(id), '/admin/sso/providers'), { domains: ['theirs.example'] });
  t.match(await as(owner, 'PUT', path, { domains: ['theirs.example'] }), { status: 200 }, 'an administrator decides');
  await proveDomain(other, 'theirs.example');
  const rival = newIdp();
  const clash = await as(owner, 'POST', pathOf(other), body(rival, { domains: ['theirs.example'] }));
  t.match(clash, refusal(400, 'sso_domain_already_exists'));
});

t.test('who signs in there joins, and the organization is active', async (t) => {
  const { owner, id, idp, providerId, enter, members } = await openCompany();
  const ada = await enter('ada');
  t.match(ada.claims, { org_id: id, org_roles: ['member'], org_permissions: ['members:read', 'organization:read'] });
  t.match(await members(), [{ via: 'creation' }, { user_id: ada.id, roles: ['member'], via: 'sso' }]);
  const refreshed = await server.post('/token?grant_type=refresh_token', { refresh_token: ada.refresh });
  t.match(readPayload(refreshed.body.access_token), { org_id: id });
  t.equal((await as(ada, 'GET', `/organizations/${id}/members`)).status, 200);

  await t.test('again: nothing changes, also beside another membership', async (t) => {
    const other = await found(owner, 'Other');
    await addMember(other, ada);
    t.match((await enter('ada')).claims, { sub: ada.id, org_id: id }, 'of two, that of the provider');
    await as(owner, 'PATCH', `/organizations/${id}/members/${ada.id}`, { roles: ['admin'] });
    t.match((await enter('ada')).claims, { org_roles: ['admin'] }, 'roles that an owner has given stay');
    t.equal((await members()).length, 2);
  });

  await t.test('by a code, and where the sign-in begins at the provider', async (t) => {
    const verifier = 'v'.repeat(43);
    const request = await begin(idp, {
      provider_id: providerId,
      code_challenge: verifier,
      code_challenge_method: 'plain',
    });
    const sent = { ...expectedOf(request.id), ...asPerson('bob') };
    const { query } = await postResponse({ SAMLResponse: idp.respond(sent), RelayState: request.relayState });
    t.equal((await members()).length, 3, 'joined before the code is exchanged');
    const exchange = { auth_code: query.get('code'), code_verifier: verifier };
    const { status, body } = await server.post('/token?grant_type=pkce', exchange);
    t.equal(status, 200);
    t.match(readPayload(body.access_token), { org_id: id });
    const landing = await postResponse({ SAMLResponse: idp.respond({ ...expectedOf(), ...asPerson('carl') }) });
    t.match(readPayload(landing.fragment.get('access_token')!), { org_id: id });
  });

  await t.test('many at the same moment join once', async (t) => {
    const before = (await members()).length;
    const entered = await Promise.all([1, 2, 3, 4].map(() => enter('dora')));
    t.equal(new Set(entered.map(({ id: user }) => user)).size, 1);
    for (const { claims } of entered) t.equal(claims['org_id'], id);
    t.equal((await members()).length, before + 1);
  });

  await t.test('POST /sso takes the organization', async (t) => {
    const { slug } = (await as(owner, 'GET', `/organizations/${id}`)).body;
    for (const organization of [id, id.toUpperCase(), slug]) {
      t.ok((await begin(idp, { organization })).id, organization);
    }
    const empty = await found(owner, 'Empty');
    await database.admin.query('update organizations set slug = $1 where id = $2', [providerId, empty]);
    for (const organization of [empty, randomUUID(), 'nothing-here', providerId]) {
      t.match(await server.post('/sso', { organization }), refusal(404, 'sso_provider_not_found'), organization);
    }
    const two = { organization: slug, provider_id: providerId };
    t.match(await server.post('/sso', two), refusal(400, 'validation_failed', /without provider_id/));
    await as(owner, 'PUT', `${pathOf(id)}/${providerId}`, { disabled: true });
    t.match(await server.post('/sso', { organization: id }), refusal(404, 'sso_provider_disabled'));
    const second = newIdp();
    await as(owner, 'POST', pathOf(id), body(second));
    t.match(
      (await begin(second, { organization: id })).url.host,
      new URL(second.entityId).host,
      'one that is not disabled',
    );
  });
});

t.test('roles by what the provider says', async (t) => {
  await admin('POST', '/admin/organization-roles', { name: 'editor', permissions: ['documents:write'] });
  const { owner, id, enter, members, path } = await openCompany({
    roles: ['member'],
    role_mapping: [
      { attribute: 'GROUPS', value: 'Editors', roles: ['member', 'editor'] },
      { attribute: 'groups', value: 'Admins', roles: ['admin'] },
    ],
  });
  const rolesAfter = async (...groups: string[]) => (await enter('ada', { groups })).claims['org_roles'];
  t.same(await rolesAfter('Staff', 'editors'), ['member'], 'values are compared as they are');
  t.same(await rolesAfter('Staff', 'Editors', 'Admins'), ['admin', 'editor', 'member']);
  t.same(await rolesAfter('Editors'), ['editor', 'member'], 'they follow each sign-in');
  const { rows } = await database.admin.query(
    "select payload ->> 'action' as action from audit_log where payload ->> 'action' like 'organization.member%' and payload -> 'traits' ->> 'organization_id' = $1 order by created_at",
    [id],
  );
  t.same(
    rows.map(({ action }) => action),
    ['organization.member_added', 'organization.member_updated', 'organization.member_updated'],
  );
  const [, ada] = await members();
  await as(owner, 'PATCH', `/organizations/${id}/members/${ada.user_id}`, { roles: ['owner'] });
  t.same(await rolesAfter(), ['owner'], 'an owner stays one');
  t.match(await admin('DELETE', '/admin/organization-roles/editor'), { status: 409 });
  // As it was possible before. What is known of roles is read again.
  await database.admin.query("delete from organization_roles where name = 'editor'");
  await admin('POST', '/admin/organization-roles', { name: 'other' });
  const bob = await enter('bob', { groups: 'Editors' });
  t.same(bob.claims['org_roles'], ['member'], 'a role that is gone is left out');
  t.match(await as(owner, 'PUT', path, { disabled: false }), { status: 200 }, 'and does not stand in the way');
  t.match(await as(owner, 'PUT', path, { roles: ['unknown'] }), refusal(404, 'role_not_found'));
  for (const faulty of [
    { roles: [] },
    { roles: ['owner'] },
    { role_mapping: [{ attribute: 'a', value: 'b', roles: ['owner'] }] },
    { role_mapping: [{ attribute: '', value: 'b', roles: ['member'] }] },
    { role_mapping: [{ attribute: 'a', value: 'b' }] },
    { role_mapping: Array.from({ length: 101 }, () => ({ attribute: 'a', value: 'b', roles: ['member'] })) },
  ]) {
    t.match(
      await as(owner, 'PUT', path, faulty),
      refusal(400, 'validation_failed'),
      JSON.stringify(faulty).slice(0, 80),
    );
  }
});

t.test('an organization that is full is not joined, and the sign-in goes on', async (t) => {
  const { id, enter, members } = await openCompany();
  await admin('PUT', `/admin/organizations/${id}`, { max_members: 2 });
  t.match((await enter('ada')).claims, { org_id: id });
  const { claims, access } = await enter('bob');
  t.notOk('org_id' in claims);
  t.match(await as({ access }, 'GET', `/organizations/${id}`), refusal(404, 'organization_not_found'));
  t.equal((await members()).length, 2);
});

t.test('attacks', async (t) => {
  await admin('POST', '/admin/organization-roles', { name: 'boss', permissions: ['payroll:write'] });
  const roleLess = await admin('POST', '/admin/organization-roles', { name: 'it', permissions: ['sso:manage'] });
  t.equal(roleLess.status, 201);
  const { owner, id, idp, providerId, enter, path, members } = await openCompany();
  const people: Record<'admin' | 'it' | 'member', Person> = {
    admin: await join(),
    it: await join(),
    member: await join(),
  };
  for (const [role, person] of Object.entries(people)) await addMember(id, person, role);

  await t.test('another organization reaches none of it', async (t) => {
    const rival = await join();
    const other = await found(rival, 'Rival');
    for (const at of [`${pathOf(other)}/${providerId}`, `${pathOf(other)}/resource_x`, path]) {
      const expected = at === path ? refusal(404, 'organization_not_found') : refusal(404, 'sso_provider_not_found');
      t.match(await as(rival, 'GET', at), expected);
      t.match(await as(rival, 'PUT', at, { disabled: true }), expected);
      t.match(await as(rival, 'POST', `${at}/refresh_metadata`), expected);
      t.match(await as(rival, 'DELETE', at), expected);
    }
    await admin('PUT', `/admin/sso/providers/${providerId}`, { resource_id: 'known' });
    t.match(await as(owner, 'GET', `${pathOf(id)}/resource_known`), refusal(404, 'sso_provider_not_found'));
    const given = body(newIdp(), { organization_id: id });
    t.match((await as(rival, 'POST', pathOf(other), given)).body, { organization_id: other }, 'the path says which');
    t.same((await as(owner, 'GET', pathOf(id))).body.providers.length, 1);
  });

  await t.test('no role above that of who sets it up', async (t) => {
    const lacks = refusal(403, 'organization_permission_missing');
    const unknownIdp = newIdp();
    for (const roles of [['boss'], ['member', 'boss']]) {
      const mapped = { role_mapping: [{ attribute: 'groups', value: 'x', roles }] };
      for (const fields of [{ roles }, mapped]) {
        t.match(await as(people.admin, 'PUT', path, fields), lacks);
        t.match(await as(people.admin, 'POST', pathOf(id), body(unknownIdp, fields)), lacks);
        t.match(await as(owner, 'PUT', path, fields), { status: 200 });
      }
    }
    t.match(
      await as(people.admin, 'PUT', path, { metadata_xml: idp.metadata() }),
      lacks,
      'nor by another key for such a role',
    );
    t.match(await as(people.admin, 'PUT', path, { attribute_mapping: {} }), lacks);
    t.match(await as(people.admin, 'PUT', path, { roles: ['member'], role_mapping: [] }), { status: 200 });
    t.match(await as(people.it, 'PUT', path, { disabled: false }), lacks, 'sso:manage alone gives no role');
    t.match(await as(people.member, 'GET', path), refusal(403, 'organization_permission_missing', /sso:manage/));
  });

  await t.test('who manages providers does not become an owner who signs in there', async (t) => {
    const chief = await enter('chief');
    await as(owner, 'PATCH', `/organizations/${id}/members/${chief.id}`, { roles: ['owner'] });
    const forged = newIdp();
    const metadata_xml = idp.metadata({ certificates: [forged.certificate] });
    t.match(
      await as(people.admin, 'PUT', path, { metadata_xml }),
      refusal(403, 'organization_permission_missing', /owner/),
    );
    t.match(await as(people.admin, 'PUT', path, { force_authn: true }), { status: 200 }, 'the rest may be changed');
    t.match(await as(owner, 'PUT', path, { metadata_xml: idp.metadata() }), { status: 200 });
  });

  await t.test('what only administrators set', async (t) => {
    const trusted = { keys: { groups: { name: 'groups', array: true, target: 'app_metadata' } } };
    const refused = refusal(400, 'validation_failed', /only administrators/);
    t.match(await as(owner, 'PUT', path, { attribute_mapping: trusted }), refused);
    await admin('PUT', `/admin/sso/providers/${providerId}`, { attribute_mapping: trusted });
    t.match(await as(owner, 'PUT', path, { attribute_mapping: trusted }), { status: 200 }, 'may stay');
    const more = { keys: { ...trusted.keys, level: { name: 'groups', target: 'app_metadata' } } };
    t.match(await as(owner, 'PUT', path, { attribute_mapping: more }), refused);
    for (const metadata_url of ['https://idp.intranet.example/m', 'http://localhost:1/m', 'https://localhost/m']) {
      t.match(
        await as(owner, 'PUT', path, { metadata_url }),
        refusal(400, 'validation_failed', /metadata_url/),
        metadata_url,
      );
    }
  });

  await t.test('an address that it names is not proven, unless the organization has proven its domain', async (t) => {
    const victim = { mail: 'victim@other.example' };
    const other = await found(owner, 'Victim');
    const invited = await as(owner, 'POST', `/organizations/${other}/invitations`, {
      email: victim.mail,
      roles: ['admin'],
    });
    const thief = await enter('thief', victim);
    t.same((await as(thief, 'GET', '/invitations')).body.invitations, []);
    const accept = `/invitations/${invited.body.id}/accept`;
    t.match(await as(thief, 'POST', accept), refusal(403, 'invitation_for_other_address'));
    await proveDomain(id, 'other.example');
    const person = await enter('thief', victim);
    t.equal((await as(person, 'POST', accept)).status, 200, 'its domain is proven now');
  });

  await t.test('a member who is removed while signing in', async (t) => {
    const eve = await enter('eve');
    const removed = as(owner, 'DELETE', `/organizations/${id}/members/${eve.id}`);
    const [again, { status }] = await Promise.all([enter('eve'), removed]);
    t.equal(status, 204);
    const isMember = (await members()).some(({ user_id }) => user_id === again.id);
    const { body } = await server.post('/token?grant_type=refresh_token', { refresh_token: again.refresh });
    t.equal('org_id' in readPayload(body.access_token), isMember, 'the session acts for it only as a member');
    t.notOk('org_id' in (await enter('eve')).claims, 'the next sign-in does not join either');
    await admin('POST', `/admin/organizations/${id}/members`, { user_id: eve.id });
    t.match((await enter('eve')).claims, { org_id: id }, 'until the user is added');
  });
});

t.test('administrators give a provider to an organization, and take it back', async (t) => {
  const owner = await join();
  const id = await found(owner);
  const idp = newIdp();
  const { body: provider } = await admin('POST', '/admin/sso/providers', body(idp));
  t.notOk('organization_id' in provider);
  const path = `/admin/sso/providers/${provider.id}`;
  t.match(await admin('PUT', path, { roles: ['admin'] }), refusal(400, 'validation_failed', /organization_id/));
  t.match(await admin('PUT', path, { organization_id: randomUUID() }), refusal(404, 'organization_not_found'));
  t.match(await admin('PUT', path, { organization_id: 'x' }), refusal(404, 'organization_not_found'));
  t.match(await admin('PUT', path, { organization_id: id, roles: ['owner'] }), refusal(400, 'validation_failed'));
  const given = await admin('PUT', path, { organization_id: id, roles: ['admin'] });
  t.match(given, { status: 200, body: { organization_id: id, roles: ['admin'] } });
  t.equal((await as(owner, 'GET', pathOf(id))).body.providers.length, 1);
  t.match(readPayload((await signIn(idp, { organization: id }, asPerson('ada'))).fragment.get('access_token')!), {
    org_roles: ['admin'],
  });
  t.notOk('organization_id' in (await admin('PUT', path, { organization_id: '' })).body);
  t.same((await as(owner, 'GET', pathOf(id))).body.providers, []);
  const after = readPayload(
    (await signIn(idp, { provider_id: provider.id }, asPerson('bob'))).fragment.get('access_token')!,
  );
  t.notOk('org_id' in after);
});

t.test('with the organization its providers and their sessions end', async (t) => {
  const { owner, id, providerId, enter } = await openCompany();
  const ada = await enter('ada');
  const { slug } = (await as(owner, 'GET', `/organizations/${id}`)).body;
  t.equal((await as(owner, 'DELETE', `/organizations/${id}`, { slug })).status, 204);
  t.match(await admin('GET', `/admin/sso/providers/${providerId}`), refusal(404, 'sso_provider_not_found'));
  t.equal((await server.post('/token?grant_type=refresh_token', { refresh_token: ada.refresh })).status, 400);
  t.equal(
    (await server.call('GET', `/admin/users/${ada.id}`, { bearer: adminToken() })).status,
    200,
    'the account stays',
  );
});
