/** Whoever was provisioned signs in at the company, and finds the account. */
import { openFakeIdp, PERSISTENT } from '../support/fake-saml-idp.js';
import { openScimServer, PATCH, USER } from '../support/scim.js';
import { t } from '../support/tap.js';

const server = await openScimServer(t);
const REDIRECT = 'http://localhost:3000/welcome';
const nameId = (value: string) => ({
  nameId: { value, format: PERSISTENT },
  attributes: { mail: 'ann@first.example' },
});
const off = { schemas: [PATCH], Operations: [{ op: 'replace', path: 'active', value: false }] };
const personOf = async (accessToken: string) => (await server.call('GET', '/user', { bearer: accessToken })).body;

t.test('at a provider of the installation, by userName or by what the mapping names', async (t) => {
  const { id, scim, idp } = await server.addScimProvider();
  const people = ['Ann@First.example', 'E-1000'];
  const [ann, ben] = await Promise.all(people.map((userName) => scim('POST', '/Users', { schemas: [USER], userName })));
  const first = await server.signIn(idp, { provider_id: id, redirect_to: REDIRECT }, nameId('ann@first.example'));
  const user = await personOf(first.fragment.get('access_token')!);
  t.equal(user.id, ann!.body.id, 'before the first sign-in there was no identity');
  t.equal(user.identities[0].provider, `sso:${id}`);

  await server.admin('PUT', `/admin/sso/providers/${id}`, {
    attribute_mapping: { keys: { scim_user_name: { name: 'employeeNumber' } } },
  });
  const second = await server.signIn(
    idp,
    { provider_id: id, redirect_to: REDIRECT },
    { ...nameId('opaque-1'), attributes: { mail: 'ben@first.example', employeeNumber: 'e-1000' } },
  );
  t.equal((await personOf(second.fragment.get('access_token')!)).id, ben!.body.id);
  t.equal((await scim('PATCH', `/Users/${ben!.body.id}`, off)).status, 200);
  const refused = await server.post('/token?grant_type=refresh_token', {
    refresh_token: second.fragment.get('refresh_token'),
  });
  t.equal(refused.status, 400);
  const again = await server.signIn(
    idp,
    { provider_id: id, redirect_to: REDIRECT },
    { ...nameId('opaque-1'), attributes: { mail: 'ben@first.example' } },
  );
  t.equal(again.query.get('error_code'), 'user_banned');
  // One who has never signed in is refused, too, once deleted.
  const { body: cid } = await scim('POST', '/Users', { schemas: [USER], userName: 'cid' });
  await scim('DELETE', `/Users/${cid.id}`);
  const gone = await server.signIn(idp, { provider_id: id, redirect_to: REDIRECT }, nameId('cid'));
  t.equal(gone.query.get('error_code'), 'user_banned');
});

t.test('one who has signed in before is taken over', async (t) => {
  const { id, scim, idp } = await server.addScimProvider();
  const landing = await server.signIn(idp, { provider_id: id, redirect_to: REDIRECT }, nameId('early'));
  const early = await personOf(landing.fragment.get('access_token')!);
  const { status, body } = await scim('POST', '/Users', { schemas: [USER], userName: 'Early' });
  t.equal(status, 201);
  t.equal(body.id, early.id);
  t.equal((await scim('POST', '/Users', { schemas: [USER], userName: 'early' })).status, 409);
  const other = await server.addScimProvider();
  t.not((await other.scim('POST', '/Users', { schemas: [USER], userName: 'early' })).body.id, early.id);
});

t.test('so is one whose name is in another attribute', async (t) => {
  const { id, scim, idp } = await server.addScimProvider({
    attribute_mapping: { keys: { scim_user_name: { name: 'employeeNumber' } } },
  });
  const landing = await server.signIn(
    idp,
    { provider_id: id, redirect_to: REDIRECT },
    { ...nameId('opaque-2'), attributes: { mail: 'eve@first.example', employeeNumber: 'E-2000' } },
  );
  const early = await personOf(landing.fragment.get('access_token')!);
  const { status, body } = await scim('POST', '/Users', { schemas: [USER], userName: 'e-2000' });
  t.match({ status, body }, { status: 201, body: { id: early.id } });
  const other = await server.addScimProvider();
  t.not((await other.scim('POST', '/Users', { schemas: [USER], userName: 'e-2000' })).body.id, early.id);
});

t.test('at a provider of an organization that provisions', async (t) => {
  const owner = await server.join();
  const { id: organizationId, scim } = await server.addScimOrganization(owner, 'company.example');
  const idp = openFakeIdp('company-idp.example');
  const { body: provider } = await server.as(owner, 'POST', `/organizations/${organizationId}/sso`, {
    type: 'saml',
    metadata_xml: idp.metadata(),
  });
  const made = await scim('POST', '/Users', {
    schemas: [USER],
    userName: 'dora@company.example',
    emails: [{ value: 'dora@company.example' }],
  });
  const landing = await server.signIn(
    idp,
    { provider_id: provider.id, redirect_to: REDIRECT },
    { nameId: { value: 'dora@company.example', format: PERSISTENT }, attributes: { mail: 'dora@company.example' } },
  );
  const user = await personOf(landing.fragment.get('access_token')!);
  t.equal(user.id, made.body.id);
  t.equal(user.app_metadata.provider, `sso:${provider.id}`);
});
