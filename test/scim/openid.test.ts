/** Whoever an organization has provisioned signs in at its provider of OpenID Connect, and finds the account. */
import { asAdmin } from '../support/admin.js';
import { claimsOf, openExternalFlow } from '../support/external-flow.js';
import { credentialsOf, type Person as Identity } from '../support/fake-providers/index.js';
import { openFakeIdp } from '../support/fake-saml-idp.js';
import { actWith, type Person } from '../support/organizations.js';
import { samlSettings } from '../support/saml-flow.js';
import { PATCH, USER } from '../support/scim.js';
import { t } from '../support/tap.js';

// Its tokens have preferred_username.
const FAKE = 'azure';
const settings = { ORGANIZATIONS_ENABLED: 'true', SCIM_ENABLED: 'true', MAILER_AUTOCONFIRM: 'true' };
const flow = await openExternalFlow(t, [FAKE], samlSettings({ OUTBOUND_PRIVATE_HOSTS: '127.0.0.1', ...settings }));
const { as, join, found, addMember, database } = actWith(flow);
const admin = asAdmin(flow);
const { id: client_id, secret: client_secret } = credentialsOf(FAKE);
let names = 0;

/** An organization with a proven domain, a provider and a token. */
async function openCompany(more: object = {}) {
  const owner = await join();
  const id = await found(owner);
  const domain = `company${names++}.example`;
  await admin('POST', `/admin/organizations/${id}/domains`, { domain, verified: true });
  const identifier = await addProvider({ organization_id: id, ...more });
  return { owner, id, domain, identifier, scim: await scimOf(owner, id) };
}

async function addProvider(more: object): Promise<string> {
  const identifier = `custom:idp${names++}`;
  const { status, body } = await admin('POST', '/admin/custom-providers', {
    ...{ provider_type: 'oidc', identifier, name: 'IdP', client_id, client_secret },
    ...{ issuer: flow.providers.issuerOf(FAKE), scopes: ['email', 'profile'], email_optional: true, ...more },
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return identifier;
}

const callWith = (token: string) => (method: string, path: string, body?: unknown) =>
  flow.call(method, `/scim/v2${path}`, { bearer: token, ...(body !== undefined && { body }) });

async function scimOf(owner: Person, id: string) {
  const { body } = await as(owner, 'POST', `/organizations/${id}/scim_tokens`, { name: 'IdP' });
  const call = callWith(body.token);
  return {
    call,
    /** @returns the id */
    provision: async (person: object): Promise<string> =>
      (await call('POST', '/Users', { schemas: [USER], ...person })).body.id,
    setActive: (user: string, active: unknown) =>
      call('PATCH', `/Users/${user}`, {
        schemas: [PATCH],
        Operations: [{ op: 'Replace', path: 'active', value: active }],
      }),
  };
}

async function signIn(provider: string, person: Partial<Identity>) {
  const browser = flow.openBrowser();
  const { location } = await browser.leave(provider);
  const who = flow.providers.person(FAKE, { subject: `subject-${names++}`, username: '', ...person });
  const { fragment, query } = await browser.comeBack(await flow.providers.signIn(location, { as: who }));
  const access = fragment.get('access_token');
  return {
    sub: access === null ? null : claimsOf(access).sub,
    claims: access === null ? null : claimsOf(access),
    error: query.get('error_code'),
    refresh: fragment.get('refresh_token'),
  };
}

t.test('which of the claims finds the account', async (t) => {
  const { identifier, domain, scim, id } = await openCompany();
  const people = {
    bySubject: { externalId: 'object-1', userName: `ann@${domain}` },
    byName: { externalId: 'object-2', userName: `Ben@${domain}` },
    byAddress: { externalId: 'object-3', userName: `cid@${domain}` },
    bySubjectAsName: { userName: 'employee-4' },
  };
  const ids = new Map<string, string>();
  for (const [name, person] of Object.entries(people)) ids.set(name, await scim.provision(person));
  const ann = await signIn(identifier, { subject: 'object-1', email: null });
  t.match(ann, { sub: ids.get('bySubject'), error: null }, 'sub is externalId');
  t.match(ann.claims, { org_id: id, app_metadata: { provider: identifier } });
  const again = await signIn(identifier, { subject: 'object-1', email: null, username: 'another' });
  t.equal(again.sub, ids.get('bySubject'), 'from then on by the identity');
  const ben = await signIn(identifier, { subject: 'pairwise-2', username: `ben@${domain}`, email: null });
  t.equal(ben.sub, ids.get('byName'), 'preferred_username is userName, whatever the case');
  const cid = await signIn(identifier, { subject: 'pairwise-3', email: `cid@${domain}`, isVerified: true });
  t.equal(cid.sub, ids.get('byAddress'), 'a verified address is userName');
  const dan = await signIn(identifier, { subject: 'employee-4', email: null });
  t.equal(dan.sub, ids.get('bySubjectAsName'), 'sub is userName');
  const { rows } = await database.admin.query(
    'select count(*)::int as accounts from users u where u.id = any($1::uuid[]) or u.email like $2',
    [[...ids.values()], `%${domain}`],
  );
  t.same(rows, [{ accounts: 4 }], 'nobody has two');
});

t.test('which of them find nothing', async (t) => {
  const { identifier, domain, scim, owner, id } = await openCompany();
  const address = `eve@${domain}`;
  const eve = await scim.provision({ userName: address, externalId: 'object-e' });
  const unverified = await signIn(identifier, { email: address, isVerified: false });
  t.not(unverified.sub, eve, 'an address that the provider does not call verified');
  const other = await openCompany();
  t.not((await signIn(other.identifier, { subject: 'object-e', email: null })).sub, eve, 'another organization');
  const own = await addProvider({});
  t.not((await signIn(own, { subject: 'object-e', email: null })).sub, eve, 'a provider of the installation');

  t.equal((await signIn(identifier, { subject: 'first', username: address, email: null })).sub, eve);
  const second = await signIn(identifier, { subject: 'second', username: address, email: null });
  t.not(second.sub, eve, 'a name that another person of the provider has now');

  const boss = await scim.provision({ userName: `boss@${domain}`, externalId: 'object-b' });
  t.equal((await as(owner, 'PATCH', `/organizations/${id}/members/${boss}`, { roles: ['owner'] })).status, 200);
  const thief = await signIn(identifier, { subject: 'object-b', email: null });
  t.not(thief.sub, boss, 'an owner, in whose place whoever manages the provider could act');
});

t.test('a mapping says which claim it is', async (t) => {
  const { identifier, domain, scim } = await openCompany({ attribute_mapping: { scim_user_name: 'name' } });
  const fay = await scim.provision({ userName: 'E-1000', externalId: 'object-f' });
  t.equal((await signIn(identifier, { name: 'e-1000', email: null })).sub, fay);
  const gus = await scim.provision({ userName: `gus@${domain}`, externalId: 'object-g' });
  t.not((await signIn(identifier, { subject: 'object-g', name: 'Gus', email: null })).sub, gus, 'and no other one');
});

t.test('who is ended is refused, at once and at the next sign-in', async (t) => {
  const { identifier, domain, scim } = await openCompany();
  const hal = await scim.provision({ userName: `hal@${domain}`, externalId: 'object-h' });
  const { refresh, sub } = await signIn(identifier, { subject: 'object-h', email: null });
  t.equal(sub, hal);
  t.equal((await scim.setActive(hal, 'False')).status, 200);
  t.equal((await flow.post('/token?grant_type=refresh_token', { refresh_token: refresh })).status, 400);
  t.match(await signIn(identifier, { subject: 'object-h', email: null }), { sub: null, error: 'user_banned' });
  await scim.setActive(hal, true);
  t.match(await signIn(identifier, { subject: 'object-h', email: null }), { sub: hal, error: null });

  const ida = await scim.provision({ userName: `ida@${domain}`, externalId: 'object-i' });
  await scim.setActive(ida, false);
  const never = { subject: 'object-i', email: `ida@${domain}`, isVerified: true };
  t.match(await signIn(identifier, never), { sub: null, error: 'user_banned' }, 'who never signed in, too');
  t.match(await signIn(identifier, { username: `IDA@${domain}`, email: null }), { error: 'user_banned' });
  t.equal((await scim.call('DELETE', `/Users/${ida}`)).status, 204);
  t.match(await signIn(identifier, never), { sub: null, error: 'user_banned' }, 'and who was deleted');
  const bearer = await flow.providers.idToken(FAKE, { sub: 'object-i' });
  const token = { provider: identifier, id_token: bearer };
  t.match(await flow.post('/token?grant_type=id_token', token), { status: 403, body: { error_code: 'user_banned' } });
});

t.test('an ID token finds the account likewise', async (t) => {
  const { identifier, scim } = await openCompany();
  const jim = await scim.provision({ userName: 'jim', externalId: 'object-j' });
  const id_token = await flow.providers.idToken(FAKE, { sub: 'object-j' });
  const { status, body } = await flow.post('/token?grant_type=id_token', { provider: identifier, id_token });
  t.match({ status, id: body.user?.id }, { status: 200, id: jim }, JSON.stringify(body));
});

t.test('one who has signed in before is taken over, by sub or preferred_username', async (t) => {
  const { identifier, domain, scim } = await openCompany();
  const named = await signIn(identifier, { username: 'Max', email: `max@${domain}`, isVerified: false });
  t.equal(await scim.provision({ userName: 'max', externalId: 'object-m' }), named.sub);
  const early = await signIn(identifier, { subject: 'object-k', email: `kim@${domain}`, isVerified: true });
  const { status, body } = await scim.call('POST', '/Users', {
    schemas: [USER],
    userName: 'kim',
    externalId: 'object-k',
  });
  t.match({ status, id: body.id }, { status: 201, id: early.sub });
  await scim.setActive(body.id, false);
  t.equal((await flow.post('/token?grant_type=refresh_token', { refresh_token: early.refresh })).status, 400);
});

t.test('people of another provider of the organization are found, too', async (t) => {
  const { identifier, id } = await openCompany();
  const { rows } = await database.admin.query(
    `insert into sso_providers (organization_id, entity_id, metadata_xml, metadata)
    values ($1, 'https://idp.example', '', '{"certificates": []}') returning id`,
    [id],
  );
  const made = await admin('POST', `/admin/sso/providers/${rows[0].id}/scim_tokens`, {});
  const { body } = await callWith(made.body.token)('POST', '/Users', { schemas: [USER], userName: 'lea' });
  t.equal((await signIn(identifier, { username: 'lea', email: null })).sub, body.id);
});

t.test('who adds a provider needs all that those may do whom a sign-in there finds', async (t) => {
  const { owner, id, domain, scim } = await openCompany();
  const role = { name: 'keeper', permissions: ['vault:open'] };
  t.equal((await admin('POST', '/admin/organization-roles', role)).status, 201);
  const lou = await scim.provision({ userName: `lou@${domain}` });
  const setRoles = async (roles: string[]) =>
    t.equal((await as(owner, 'PATCH', `/organizations/${id}/members/${lou}`, { roles })).status, 200);
  const deputy = await join();
  await addMember(id, deputy, 'admin');
  const add = () =>
    as(deputy, 'POST', `/organizations/${id}/sso`, {
      type: 'saml',
      metadata_xml: openFakeIdp(`idp${names++}.example`).metadata(),
    });
  await setRoles(['keeper']);
  t.match(await add(), { status: 403, body: { error_code: 'organization_permission_missing' } });
  await setRoles(['member']);
  t.equal((await add()).status, 201);
});
