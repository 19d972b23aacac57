/** Keycloak in place of the identity provider that we wrote: what both of us misread would not show there. */
import { claimsOf } from '../support/external-flow.js';
import { skipHere } from '../support/not-here.js';
import { type CompanyFlow, HOME, openCompanyFlow } from '../support/real-idps/company-flow.js';
import { type Keycloak, openKeycloak } from '../support/real-idps/keycloak.js';
import { ANN, makeRealm } from '../support/real-idps/keycloak-realm.js';
import { onlyInFull, type Test, t, takesMinutesInFull } from '../support/tap.js';
import { until } from '../support/until.js';

onlyInFull('it starts Keycloak, 20 s of processor time; saml-acs and saml-logout test the same with our own provider');
takesMinutesInFull('it starts Keycloak');

const DOMAIN = 'acme.example';
const keycloak = await openKeycloak(t);
if (typeof keycloak === 'string') skipHere(t, keycloak);
else t.test('people of a company with Keycloak', { timeout: 900_000 }, (t) => testKeycloak(t, keycloak));

async function testKeycloak(t: Test, keycloak: Keycloak): Promise<void> {
  const flow = await openCompanyFlow(t, keycloak.url);
  const ownMetadata = await (await fetch(`${flow.url}/sso/saml/metadata?download=true`)).text();
  const realm = await makeRealm(keycloak, 'acme', ownMetadata);
  const created = await flow.admin('POST', '/admin/sso/providers', {
    type: 'saml',
    metadata_url: realm.metadataUrl,
    domains: [DOMAIN],
    attribute_mapping: { keys: { groups: { name: 'groups', array: true, target: 'app_metadata' } } },
  });
  t.match(created, { status: 201, body: { saml: { entity_id: `${keycloak.url}/realms/acme` } } });
  const provider = created.body.id as string;

  await t.test('an assertion that is signed and encrypted, as Keycloak has it from our metadata', async (t) => {
    const { landing, token, message } = await signIn(flow);
    t.match(message, '<saml:EncryptedAssertion');
    t.match(message, 'http://www.w3.org/2009/xmlenc11#rsa-oaep', 'its default of key transport');
    t.equal(landing.origin + landing.pathname, `${HOME}/in`, landing.href);
    t.match(claimsOf(token), {
      email: 'ann@acme.example',
      app_metadata: { provider: `sso:${provider}`, sso: { groups: ['staff'] } },
      amr: [{ method: 'sso/saml', provider }],
    });
  });

  await t.test('other ways to sign and to encrypt', async (t) => {
    const ways: readonly Record<string, string>[] = [
      { 'saml.encrypt': 'false' },
      { 'saml.encrypt': 'false', 'saml.server.signature': 'false' },
      { 'saml.encrypt': 'false', 'saml.assertion.signature': 'false' },
      { 'saml.signature.algorithm': 'RSA_SHA512' },
      { 'saml.encryption.algorithm': 'http://www.w3.org/2001/04/xmlenc#aes128-cbc' },
      { 'saml.encryption.keyAlgorithm': 'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p' },
    ];
    for (const way of ways) {
      await realm.changeClient(way);
      const { landing, token, message } = await signIn(flow);
      t.not(token, '', `${JSON.stringify(way)} ${landing.href} ${message.slice(0, 4000)}`);
      const changed = Object.keys(way).map((name) => [name, usual[name] ?? '']);
      await realm.changeClient(Object.fromEntries(changed));
    }
    await realm.changeClient({ 'saml.signature.algorithm': 'RSA_SHA1' });
    t.equal((await signIn(flow)).landing.searchParams.get('error_code'), 'validation_failed', 'not with SHA-1');
    await realm.changeClient(usual);
  });

  await t.test('a sign-out that begins here ends the session there', async (t) => {
    await realm.endSessions();
    const { browser, token } = await signIn(flow);
    t.equal(await realm.countSessions(), 1);
    const out = await flow.call('POST', `/logout?redirect_to=${HOME}/in`, { bearer: token });
    t.match(out, { status: 200, body: { sso_logout_url: `${keycloak.url}/realms/acme/protocol/saml?` } });
    await browser.open(out.body.sso_logout_url);
    if (browser.html.includes('name="SAMLResponse"')) await browser.send(browser.form('name="SAMLResponse"'));
    t.equal(browser.url, `${HOME}/in`, browser.html.slice(0, 500));
    t.equal(await realm.countSessions(), 0);
  });

  await t.test('a sign-out that begins there ends the session here', async (t) => {
    for (const frontchannelLogout of [true, false]) {
      await realm.changeClient({}, { frontchannelLogout });
      const { browser, token } = await signIn(flow);
      t.ok(await flow.hasSession(token));
      await browser.open(`${keycloak.url}/realms/acme/protocol/openid-connect/logout`);
      await browser.send(browser.form('name="session_code"'));
      for (const field of ['name="SAMLRequest"', 'name="SAMLResponse"']) {
        if (browser.html.includes(field)) await browser.send(browser.form(field));
      }
      t.notOk(await flow.hasSession(token), `${frontchannelLogout} ${browser.url} ${browser.html.slice(0, 2000)}`);
      t.equal(await realm.countSessions(), 0);
    }
  });

  await t.test('an administrator there ends sessions here', async (t) => {
    const { token } = await signIn(flow);
    await realm.endSessions();
    await until(async () => !(await flow.hasSession(token)));
    t.pass('ended');
  });

  await t.test('a new key there needs no one here', async (t) => {
    await realm.addKey();
    // Nothing was read in the last minute.
    await flow.database.admin.query("update sso_providers set metadata_tried_at = now() - interval '2 minutes'");
    const refused = await signIn(flow);
    t.equal(refused.landing.searchParams.get('error_code'), 'validation_failed', refused.landing.href);
    const certificates = async () =>
      (await flow.admin('GET', `/admin/sso/providers/${provider}`)).body.saml.certificates.length;
    await until(async () => (await certificates()) === 2);
    const { token, landing } = await signIn(flow);
    t.match(claimsOf(token), { email: 'ann@acme.example' }, landing.href);
  });
}

/** What the tests change, as Keycloak has it from our metadata. */
const usual: Readonly<Record<string, string>> = {
  'saml.encrypt': 'true',
  'saml.server.signature': 'true',
  'saml.assertion.signature': 'true',
  'saml.signature.algorithm': 'RSA_SHA256',
};

/** The whole sign-in, in a browser of its own. */
async function signIn(flow: CompanyFlow) {
  const browser = flow.browser();
  await browser.open(await flow.leave(DOMAIN));
  await browser.send(browser.form('name="password"'), ANN);
  const form = browser.form('name="SAMLResponse"');
  const message = Buffer.from(form.fields['SAMLResponse']!, 'base64').toString();
  await browser.send(form);
  const landing = new URL(browser.url);
  return { browser, landing, message, token: new URLSearchParams(landing.hash.slice(1)).get('access_token') ?? '' };
}
