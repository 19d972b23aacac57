import type { Page } from 'playwright-core';
import { formPage } from '../../src/server/endpoints/shared/form-page.js';
import { asAdmin } from '../support/admin.js';
import { serveAuthJsPage } from '../support/auth-js-page.js';
import { type FakeSamlIdp, openFakeIdp, PERSISTENT, type ResponseOptions } from '../support/fake-saml-idp.js';
import { freePort } from '../support/free-port.js';
import { openDevices } from '../support/hosted/devices.js';
import { findChromium, openBrowser } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { samlSettings } from '../support/saml-flow.js';
import { freshEmail, openTestServer } from '../support/server.js';
import { equalSoon } from '../support/soon.js';
import { ssoPage } from '../support/sso-page.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull('company sign-in of the JavaScript client in a browser; the same without one: auth-js-sso');

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await run(chromium);

async function run(executablePath: string): Promise<void> {
  const browser = await openBrowser(t, executablePath);
  const openDevice = openDevices(t, browser);
  const application = await serveAuthJsPage(t, ssoPage);
  // The identity provider needs the address of the server before it listens.
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const server = await openTestServer(
    t,
    samlSettings({ SITE_URL: application, API_PORT: String(port), API_EXTERNAL_URL: issuer }),
  );
  const admin = asAdmin(server);
  const idp = openFakeIdp();
  const fields = { type: 'saml', metadata_xml: idp.metadata(), domains: ['acme.example'] };
  const { id: providerId } = (await admin('POST', '/admin/sso/providers', fields)).body;

  async function visit(flowType: 'implicit' | 'pkce', answer: Partial<ResponseOptions>): Promise<Page> {
    const { page } = await openDevice();
    await answerAt(page, idp, issuer, answer);
    await page.goto(`${application}/${flowType}/${port}`);
    await page.waitForFunction('document.title === "ready"');
    await equalSoon(t, () => page.textContent('#who'), 'signed out');
    return page;
  }
  const signIn = (page: Page, target: object, options: object = {}): Promise<string | null> =>
    page.evaluate(`window.signInWithSso(${JSON.stringify(target)}, ${JSON.stringify(options)})`);

  for (const [flowType, target] of [
    ['implicit', { domain: 'Acme.example' }],
    ['pkce', { providerId }],
  ] as const) {
    t.test(`signInWithSSO in a browser, ${flowType}, by ${Object.keys(target)}`, async (t) => {
      const email = freshEmail();
      const page = await visit(flowType, {
        attributes: { mail: email },
        nameId: { value: email, format: PERSISTENT },
      });
      // The page is left while the call is still under way.
      await signIn(page, target).catch(() => null);
      await page.getByText(`${email} by sso:${providerId}`).waitFor();
      t.equal(new URL(page.url()).origin, application);
      t.notMatch(page.url(), /access_token|code=/, 'nothing is left in the address');
      await page.reload();
      await page.getByText(`${email} by sso:${providerId}`).waitFor();
      await page.evaluate('window.signOut()');
      t.equal(await page.textContent('#problem'), '');
      await page.reload();
      await page.getByText('signed out').waitFor();
    });
  }

  t.test('signInWithSSO in a browser: without the redirect, refused there, unknown, disabled', async (t) => {
    const page = await visit('pkce', { status: 'Responder' });
    const url = await signIn(page, { domain: 'acme.example' }, { skipBrowserRedirect: true });
    t.equal(new URL(page.url()).origin, application, 'the page goes on by itself');
    await page.goto(url!);
    await page.locator('#problem', { hasText: 'SAML Assertion is not valid' }).waitFor();
    await equalSoon(t, () => page.textContent('#who'), 'signed out');

    await page.goto(`${application}/pkce/${port}`);
    await page.waitForFunction('document.title === "ready"');
    t.equal(await signIn(page, { domain: 'nobody.example' }), null);
    t.equal(await page.textContent('#problem'), 'sso_provider_not_found');
    await admin('PUT', `/admin/sso/providers/${providerId}`, { disabled: true });
    t.equal(await signIn(page, { providerId }), null);
    t.equal(await page.textContent('#problem'), 'sso_provider_disabled');
    t.equal(new URL(page.url()).origin, application);
  });
}

/** The browser finds the identity provider at its address, which sends what it signs as a form. */
async function answerAt(page: Page, idp: FakeSamlIdp, issuer: string, answer: Partial<ResponseOptions>): Promise<void> {
  const acsUrl = `${issuer}/sso/saml/acs`;
  await page.route(`${new URL(idp.entityId).origin}/sso?**`, (route) => {
    const { id, relayState } = idp.readRequest(route.request().url());
    const SAMLResponse = idp.respond({ acsUrl, audience: `${issuer}/sso/saml/metadata`, requestId: id, ...answer });
    return route.fulfill({ status: 200, ...formPage('Company', acsUrl, { SAMLResponse, RelayState: relayState }) });
  });
}
