import { provider } from '../../src/server/providers/azure.js';
import { makeDiscovery } from '../support/id-tokens.js';
import { startIssuer } from '../support/issuer.js';
import { beginSignIn, endSignIn, findProvider, loadProviders, providerSettings } from '../support/sign-in.js';
import { t } from '../support/tap.js';

const OURS = '11111111-2222-3333-4444-555555555555';
const OTHER = '99999999-8888-7777-6666-555555555555';
const cloud = 'https://login.microsoftonline.com';
const { isOwnDocument, isOwnIssuer, readClaims, isMeantBy } = provider.idTokens;

t.test('azure: the discovery documents of a URL', async (t) => {
  const own = (document: string, url: string | null) => isOwnDocument!(document, url);
  t.ok(own(`${cloud}/{tenantid}/v2.0`, null));
  t.ok(own(`${cloud}/{tenantid}/v2.0`, `${cloud}/organizations`));
  t.ok(own(`${cloud}/${OURS}/v2.0`, `${cloud}/consumers`));
  t.ok(own(`${cloud}/${OURS}/v2.0`, `${cloud}/example.onmicrosoft.com`));
  t.ok(own(`https://${OURS}.ciamlogin.com/${OURS}/v2.0`, 'https://example.ciamlogin.com/example.onmicrosoft.com'));
  t.notOk(own(`${cloud}/{tenantid}/v2.0`, `${cloud}/${OURS}`), 'a tenant that was chosen is not any tenant');
  t.notOk(own(`https://evil.example.com/{tenantid}/v2.0`, null));
  t.notOk(own(`https://evil.example.com/${OURS}/v2.0`, `${cloud}/${OURS}`));
  t.notOk(own('null/v2.0', null));
});

t.test('azure: a token belongs to the tenant of the document; with common, to its own tenant', async (t) => {
  const own = (claims: Record<string, unknown>, document: string) => isOwnIssuer!(claims, document, null);
  const any = `${cloud}/{tenantid}/v2.0`;
  t.ok(own({ iss: `${cloud}/${OTHER}/v2.0`, tid: OTHER }, any));
  t.ok(own({ iss: `https://sts.windows.net/${OTHER}/`, tid: OTHER }, any));
  t.notOk(own({ iss: `${cloud}/${OTHER}/v2.0`, tid: OURS }, any));
  t.notOk(own({ iss: `${cloud}/${OTHER}/v2.0` }, any));
  t.notOk(own({ iss: any, tid: '{tenantid}' }, any));
  t.notOk(own({ iss: `https://evil.example.com/${OTHER}/v2.0`, tid: OTHER }, any));
  const pinned = `${cloud}/${OURS}/v2.0`;
  t.ok(own({ iss: pinned, tid: OURS }, pinned));
  t.notOk(own({ iss: `${cloud}/${OTHER}/v2.0`, tid: OTHER }, pinned));
  t.notOk(own({ iss: `https://sts.windows.net/${OTHER}/`, tid: OTHER }, pinned));
  t.ok(isMeantBy!(`${cloud}/${OURS}/v2.0`, null));
  t.notOk(isMeantBy!('https://accounts.google.com', null));
});

t.test('azure: the profile of a token', async (t) => {
  const iss = `${cloud}/${OURS}/v2.0`;
  const claims = {
    iss,
    sub: 'az1',
    tid: OURS,
    aud: 'cid',
    exp: 1,
    name: 'Az T',
    email: 'az@example.com',
    groups: ['a'],
  };
  t.same(readClaims({ ...claims, preferred_username: 'az', xms_edov: true }, iss, null), {
    subject: 'az1',
    claims: {
      iss,
      sub: 'az1',
      full_name: 'Az T',
      preferred_username: 'az',
      provider_id: 'az1',
      custom_claims: { email: 'az@example.com', tid: OURS, xms_edov: true, groups: ['a'] },
    },
    addresses: [{ email: 'az@example.com', isVerified: true, isPrimary: true }],
  });
  const isVerified = (more: object, document = iss) =>
    readClaims({ ...claims, ...more }, document, null).addresses[0]?.isVerified;
  const any = `${cloud}/{tenantid}/v2.0`;
  for (const value of [true, '1', 'true']) t.equal(isVerified({ xms_edov: value }, any), true, JSON.stringify(value));
  for (const value of [false, '0', 'no', 1, {}]) t.equal(isVerified({ xms_edov: value }), false, JSON.stringify(value));
  t.equal(isVerified({}), true, 'the tenant was chosen by the operator');
  t.equal(isVerified({}, any), false, 'the owner of a tenant sets the addresses');
  t.equal(isVerified({ tid: '9188040d-6c67-4c5b-b112-36a304b66dad' }, any), true, "Microsoft's own");
  t.same(readClaims({ ...claims, email: undefined }, iss, null).addresses, []);
});

t.test('azure: a sign-in at another host, with the addresses of common', async (t) => {
  const it = await startIssuer(t, '/common/v2.0');
  const { url } = it.server;
  const discovery = makeDiscovery(it.issuer, { issuer: `${url}/{tenantid}/v2.0` });
  it.server.answers.set('/common/v2.0/.well-known/openid-configuration', { body: discovery });
  const azure = await findProvider(await loadProviders(providerSettings('azure', `${url}/common`)), 'azure');
  const begun = await beginSignIn(azure, { scopes: 'email' });
  t.equal(begun.url.searchParams.get('scope'), 'openid email');

  it.claims = { iss: `${url}/${OURS}/v2.0`, tid: OURS, name: 'Az T', email: 'az@example.com', email_verified: true };
  t.match(await endSignIn(azure), { profile: { claims: { name: 'Az T' }, addresses: [{ isVerified: true }] } });
  it.claims = { ...it.claims, tid: OTHER };
  await t.rejects(endSignIn(azure), { message: /getting user profile/ });
});
