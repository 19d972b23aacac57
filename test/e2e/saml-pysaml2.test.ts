/** pysaml2 in place of the identity provider that we wrote: it verifies what we sign, and signs and encrypts with xmlsec1. */
import { claimsOf } from '../support/external-flow.js';
import { freePort } from '../support/free-port.js';
import { skipHere } from '../support/not-here.js';
import { type CompanyFlow, HOME, openCompanyFlow } from '../support/real-idps/company-flow.js';
import { findPysaml2, openPysaml2 } from '../support/real-idps/pysaml2.js';
import { onlyInFull, type Test, t } from '../support/tap.js';

onlyInFull('it installs pysaml2 and runs it; saml-acs and saml-logout test the same with our own provider');

const DOMAIN = 'acme.example';
const found = await findPysaml2();
if (typeof found === 'string') skipHere(t, found);
else t.test('people of a company with pysaml2', { timeout: 600_000 }, (t) => testPysaml2(t, found));

async function testPysaml2(t: Test, installed: { readonly packages: string }): Promise<void> {
  const port = await freePort();
  const flow = await openCompanyFlow(t, `http://127.0.0.1:${port}`);
  const idp = await openPysaml2(t, installed, port, await (await fetch(`${flow.url}/sso/saml/metadata`)).text());
  const created = await flow.admin('POST', '/admin/sso/providers', {
    type: 'saml',
    metadata_url: `${idp.url}/metadata`,
    domains: [DOMAIN],
    attribute_mapping: { keys: { roles: { name: 'eduPersonAffiliation', array: true, target: 'app_metadata' } } },
  });
  t.match(created, { status: 201, body: { saml: { entity_id: `${idp.url}/metadata` } } });

  await t.test('signed and encrypted in its ways', async (t) => {
    for (const [sign_assertion, sign_response, encrypt] of [
      [true, false, false],
      [false, true, false],
      [true, true, false],
      [true, false, true],
      [true, true, true],
    ] as const) {
      await idp.setOptions({ sign_assertion, sign_response, encrypt, aes: true });
      const { landing, token, message } = await signIn(flow);
      const way = JSON.stringify({ sign_assertion, sign_response, encrypt });
      t.equal(message.includes('EncryptedAssertion'), encrypt, way);
      t.not(token, '', `${way} ${landing.href}`);
      t.match(claimsOf(token), {
        email: 'ann@acme.example',
        app_metadata: { sso: { roles: ['staff', 'admins'] } },
      });
    }
    await idp.setOptions({ aes: false });
    const { landing } = await signIn(flow);
    t.equal(landing.searchParams.get('error_code'), 'validation_failed', 'not with Triple-DES, its default');
    await idp.setOptions({ aes: true, encrypt: false });
  });

  await t.test('a sign-out that begins here ends the session there', async (t) => {
    const { browser, token } = await signIn(flow);
    t.ok((await idp.state()).sessions > 0);
    const out = await flow.call('POST', `/logout?redirect_to=${HOME}/in`, { bearer: token });
    t.equal(out.status, 200);
    await browser.open(out.body.sso_logout_url);
    t.equal(browser.url, `${HOME}/in`, browser.html.slice(0, 500));
    t.equal((await idp.state()).sessions, 0);
  });

  await t.test('a sign-out that begins there ends the session here', async (t) => {
    for (const binding of ['redirect', 'post']) {
      const { browser, token } = await signIn(flow);
      await browser.open(`${idp.url}/logout?binding=${binding}`);
      if (binding === 'post') await browser.send(browser.form('name="SAMLRequest"'));
      t.equal(browser.html, 'Signed out', `${browser.status} ${browser.url}`);
      t.notOk(await flow.hasSession(token), binding);
      t.match((await idp.state()).answers.at(-1), { ok: true, relay_state: 'state-of-idp' }, 'it takes our answer');
    }
  });

  await t.test('by form, where it has no redirects', async (t) => {
    const { id, saml } = created.body;
    const byForm = saml.metadata_xml.replace(/<[^<>]*SingleLogoutService [^<>]*HTTP-Redirect[^<>]*\/>/, '');
    t.not(byForm, saml.metadata_xml);
    await flow.admin('PUT', `/admin/sso/providers/${id}`, { metadata_xml: byForm });
    const { browser, token } = await signIn(flow);
    const out = await flow.call('POST', `/logout?redirect_to=${HOME}/in`, { bearer: token });
    await browser.open(out.body.sso_logout_url);
    await browser.send(browser.form('name="SAMLRequest"'));
    await browser.send(browser.form('name="SAMLResponse"'));
    t.equal(browser.url, `${HOME}/in`, browser.html.slice(0, 500));
    t.equal((await idp.state()).sessions, 0);
  });
}

/** The whole sign-in, in a browser of its own. */
async function signIn(flow: CompanyFlow) {
  const browser = flow.browser();
  await browser.open(await flow.leave(DOMAIN));
  const form = browser.form('name="SAMLResponse"');
  const message = Buffer.from(form.fields['SAMLResponse']!, 'base64').toString();
  await browser.send(form);
  const landing = new URL(browser.url);
  return { browser, landing, message, token: new URLSearchParams(landing.hash.slice(1)).get('access_token') ?? '' };
}
