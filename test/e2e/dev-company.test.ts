/** Company sign-in as `latchkey dev` has it by itself: its identity provider with two people. */
import type { Page } from 'playwright-core';
import { responseFaults } from '../../src/dev/identity-provider/faults.js';
import { openIdentityProvider, registerProvider } from '../../src/dev/identity-provider/index.js';
import { readSamlKey } from '../../src/server/keys/saml-key.js';
import { makeSamlCertificate } from '../../src/server/saml/certificate.js';
import { openLog } from '../../src/server/telemetry/log.js';
import { createTestDatabase } from '../support/database.js';
import { startDev } from '../support/dev-server.js';
import { findAxeFaults } from '../support/hosted/inspect.js';
import { serveOnLoopback } from '../support/loopback-server.js';
import { findChromium, openBrowser } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { PageBrowser } from '../support/page-browser.js';
import { samlPrivateKey } from '../support/saml-keys.js';
import { PATCH, USER } from '../support/scim.js';
import { call, freshEmail, password } from '../support/server.js';
import { onlyInFull, type Test, t } from '../support/tap.js';

onlyInFull(
  'the identity provider of latchkey dev; company sign-in: saml-acs, pages-company; that npm start has it: dev-defaults',
);

const PROVIDER = '/dev/identity-provider';

async function assertAccessible(t: Test, page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    t.same((await findAxeFaults(page)).faults, [], `${page.url()}, ${colorScheme}`);
  }
}

t.test('company sign-in by the identity provider of latchkey dev', async (t) => {
  const { url: DATABASE_URL } = await createTestDatabase(t);
  // An application: its pages lead to the provider, as a list of links of a company would.
  let provider = '';
  const APP = `${await serveOnLoopback(t, (_request, response) => response.setHeader('content-type', 'text/html').end(`<a href="${provider}">Company</a>`))}/in`;
  const own = { AUTH_SITE_URL: APP, AUTH_SAML_PRIVATE_KEY: samlPrivateKey() };
  const { url, adminToken, screen } = await startDev(t, { DATABASE_URL, ...own }, ['--company']);
  provider = `${url}${PROVIDER}`;
  const begin = async () => {
    const answer = await call(url, 'POST', '/sso', {
      body: { domain: 'company.example', redirect_to: APP, skip_http_redirect: true },
    });
    return answer.body.url as string;
  };
  const userOf = async (bearer: string) => (await call(url, 'GET', '/user', { bearer })).body;
  /** The answer page sends its form by itself; here the test does. */
  const send = async (pages: PageBrowser) => pages.send(pages.form('/sso/saml/acs'));
  const fieldAt = (address: string, name: string) => new URLSearchParams(new URL(address).hash.slice(1)).get(name)!;
  const tokenAt = (address: string) => fieldAt(address, 'access_token');
  const refresh = async (refresh_token: string) =>
    (await call(url, 'POST', '/token?grant_type=refresh_token', { body: { refresh_token } })).status;

  await t.test('a person is chosen and signed in, without scripts; each fault is refused', async (t) => {
    t.match(screen, provider);
    const certificate = makeSamlCertificate(readSamlKey(own.AUTH_SAML_PRIVATE_KEY), 'localhost', false);
    t.match((await call(url, 'GET', '/sso/saml/metadata')).body, certificate.toString('base64'), 'the key that is set');
    const pages = await new PageBrowser(url).open(await begin());
    t.equal(pages.title, 'Sign in at company.example');
    const form = pages.form('/answer');
    t.match(form.html, /Ada Lovelace[\s\S]*Grace Hopper/);
    await pages.send(form, { person: 'grace' });
    t.match(pages.headers.get('content-security-policy'), /^default-src 'none'; /);
    await send(pages);
    t.match(await userOf(tokenAt(pages.url)), {
      email: 'grace@company.example',
      user_metadata: { name: 'Grace Hopper' },
      app_metadata: { sso: { groups: ['engineering'] } },
    });
    for (const [fault, { label, code }] of Object.entries(responseFaults)) {
      await pages.open(await begin());
      await pages.send(pages.form('/answer'), { person: 'ada', fault });
      t.ok(pages.html.includes(label) && pages.html.includes(code), fault);
      await send(pages);
      const told = new URL(pages.url).searchParams.get('error_code');
      t.equal(told, fault === 'no-address' ? code : 'validation_failed', fault);
    }
  });

  await t.test('the page shows what was received and sent, and begins sign-ins and log-outs', async (t) => {
    const pages = await new PageBrowser(url).open(PROVIDER);
    t.match(pages.html, /Received<\/span> <strong>AuthnRequest[\s\S]*Sent<\/span> <strong>Response/);
    t.match(pages.html, /&#60;saml:AttributeValue&#62;grace@company.example/);
    await pages.send(pages.form('/answer'), { person: 'grace', RelayState: `${APP}?begun=there` });
    await send(pages);
    t.equal(new URL(pages.url).search, '?begun=there');
    t.equal((await userOf(tokenAt(pages.url))).email, 'grace@company.example');
    const token = fieldAt(pages.url, 'refresh_token');

    await pages.open(provider);
    const form = pages.form('/answer');
    await pages.send({ ...form, action: `${provider}/sign-out` }, { person: 'grace' });
    t.equal(pages.url, provider, 'the answer of the server leads back');
    t.match(pages.html, /Received<\/span> <strong>LogoutResponse[\s\S]*Sent<\/span> <strong>LogoutRequest/);
    t.equal(await refresh(token), 400, 'the session has ended');
  });

  await t.test('what this server has not signed, and other pages, get no answer', async (t) => {
    const pages = new PageBrowser(url);
    for (const path of [`${PROVIDER}/sso?SAMLRequest=AAAA`, `${PROVIDER}/slo?SAMLRequest=AAAA`, `${PROVIDER}/slo`]) {
      await pages.open(path);
      t.equal(pages.status, 400, path);
    }
    await pages.open(PROVIDER);
    t.equal((await pages.send(pages.form('/answer'), { person: 'eve' })).status, 400);
    pages.more = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' };
    for (const path of [PROVIDER, `${PROVIDER}/sso`]) t.equal((await pages.open(path)).status, 403, path);
    pages.more = {};
    const form = (await pages.open(PROVIDER)).form('/answer');
    pages.more = { 'sec-fetch-site': 'cross-site' };
    t.equal((await pages.send(form, { person: 'ada' })).status, 403, 'a form of another page');
  });

  await t.test('given to an organization, it signs in whom that has provisioned', async (t) => {
    const owner = await call(url, 'POST', '/signup', { body: { email: freshEmail(), password } });
    const bearer = owner.body.access_token;
    const { id } = (await call(url, 'POST', '/organizations', { bearer, body: { name: 'Given & Co' } })).body;
    const { token } = (await call(url, 'POST', `/organizations/${id}/scim_tokens`, { bearer, body: {} })).body;
    const scim = (method: string, path: string, body: object) =>
      call(url, method, `/scim/v2/Users${path}`, { bearer: token, body });
    const pages = await new PageBrowser(url).open(PROVIDER);
    t.match(pages.form('/organization').html, /<option value="" selected>/);
    await pages.send(pages.form('/organization'), { organization: id });
    t.match(pages.form('/organization').html, `<option value="${id}" selected>Given &#38; Co</option>`);
    const person = await scim('POST', '', { schemas: [USER], userName: 'Provisioned@company.example' });
    t.equal(person.status, 201);
    const taken = await scim('POST', '', { schemas: [USER], userName: 'grace@company.example' });
    await pages.send(pages.form('/answer'), { person: 'grace', RelayState: APP });
    await send(pages);
    const user = await userOf(tokenAt(pages.url));
    t.equal(user.id, taken.body.id, 'one and the same account');
    const refreshToken = fieldAt(pages.url, 'refresh_token');
    const off = { schemas: [PATCH], Operations: [{ op: 'Replace', path: 'active', value: 'False' }] };
    t.equal((await scim('PATCH', `/${user.id}`, off)).status, 200);
    t.equal(await refresh(refreshToken), 400, 'the very next refresh');
    await scim('PATCH', `/${user.id}`, {
      schemas: [PATCH],
      Operations: [{ op: 'Replace', path: 'active', value: true }],
    });
    await pages.open(provider);
    await pages.send(pages.form('/organization'), { organization: '' });
    t.match(pages.form('/organization').html, /<option value="" selected>/, 'and back');
  });

  await t.test('a later start with another port changes the addresses, and nothing else', async (t) => {
    const path = '/admin/sso/providers/resource_latchkey-dev';
    const admin = async (method: string, body?: object) =>
      (await call(url, method, path, { bearer: adminToken, ...(body !== undefined && { body }) })).body;
    const log = await openLog({ level: 'panic', file: '' });
    const { saml } = await admin('PUT', {
      domains: ['company.example', 'other.example'],
      name_id_format: 'emailAddress',
    });
    const moved = openIdentityProvider(t.testdir({}), 'http://localhost:9');
    const register = async (token: string) => {
      const { metadata_xml, name_id_format = null } = (await admin('GET')).saml;
      return registerProvider(moved, { metadata_xml, name_id_format }, { url, token }, log);
    };
    t.equal(await register('no token'), false);
    t.equal(await register(adminToken), true);
    const after = await admin('GET');
    t.not(after.saml.metadata_xml, saml.metadata_xml);
    t.match(after, { saml: { name_id_format: 'emailAddress' }, domains: [{}, { domain: 'other.example' }] });
    t.equal(await register('no token'), true, 'nothing is called where nothing changes');
    t.equal(await registerProvider(moved, undefined, { url, token: adminToken }, log), false, 'it is there already');
    await admin('PUT', { metadata_xml: saml.metadata_xml });
  });

  await t.test('in Chromium: a click signs in; log-out from both sides', async (t) => {
    const program = findChromium();
    if (program === null) return skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
    const page = await (await (await openBrowser(t, program)).newContext()).newPage();
    await page.goto(await begin());
    await assertAccessible(t, page);
    await page.getByRole('button', { name: 'Ada Lovelace' }).click();
    await page.waitForURL(`${APP}#access_token=*`);
    const token = tokenAt(page.url());
    t.equal((await userOf(token)).email, 'ada@company.example');

    await t.test('from the hosted page to the account', async (t) => {
      await page.goto(`${url}/ui/account`);
      await page.getByLabel('Email').fill('ada@company.example');
      await page.getByRole('button', { name: 'Continue', exact: true }).click();
      await page.getByRole('button', { name: 'Ada Lovelace' }).click();
      await page.waitForURL(`${url}/ui/account?**`);
      await page.getByText('ada@company.example').first().waitFor();
      t.equal((await page.title()).includes('company.example'), false, 'no page of the provider');
    });

    const { body } = await call(url, 'POST', `/logout?scope=local&redirect_to=${APP}?out=1`, { bearer: token });
    t.match(body.sso_logout_url, `${provider}/slo?`);
    await page.goto(body.sso_logout_url);
    t.equal(page.url(), `${APP}?out=1`, 'by the provider, and back');

    await page.getByRole('link', { name: 'Company' }).click();
    await page.getByRole('button', { name: 'Sign in as Ada Lovelace' }).click();
    await page.getByText('"email": "ada@company.example"').waitFor();
    await assertAccessible(t, page);
    t.match(page.url(), `${provider}/arrival#access_token=`, 'where no application runs, what it would get');
    const second = fieldAt(page.url(), 'refresh_token');
    await page.goto(provider);
    await page.getByRole('button', { name: 'Sign out everywhere for Ada Lovelace' }).click();
    await page.waitForURL(provider);
    await page.getByText('LogoutResponse').first().click();
    await assertAccessible(t, page);
    t.equal(await refresh(second), 400, 'by the provider alone');
  });
});
