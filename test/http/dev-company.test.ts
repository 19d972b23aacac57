/** The identity provider of latchkey dev, by HTTP. In a browser, with each fault: e2e/dev-company. */
import {
  adminCalls,
  identityProviderRoutes,
  openIdentityProvider,
  providerPaths,
  registerProvider,
} from '../../src/dev/identity-provider/index.js';
import { openLog } from '../../src/server/telemetry/log.js';
import { adminToken } from '../support/admin.js';
import { freePort } from '../support/free-port.js';
import { PageBrowser } from '../support/page-browser.js';
import { samlSettings } from '../support/saml-flow.js';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';

const APP = 'http://localhost:3000/in';

const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const company = openIdentityProvider(t.testdir({}), url);
const { call, post } = await openTestServer(
  t,
  samlSettings({
    API_PORT: String(port),
    API_EXTERNAL_URL: url,
    SITE_URL: APP,
    ORGANIZATIONS_ENABLED: 'true',
    SCIM_ENABLED: 'true',
    PAGES_ENABLED: 'true',
  }),
  undefined,
  undefined,
  identityProviderRoutes(company),
);
const known = { url, token: adminToken() };
company.admin = adminCalls(known);
const log = await openLog({ level: 'panic', file: '' });
const home = url + providerPaths.home;

/** The answer page sends its form by itself; here the test does. */
const send = (pages: PageBrowser) => pages.send(pages.form('/sso/saml/acs'));
const fieldAt = (address: string, name: string) => new URLSearchParams(new URL(address).hash.slice(1)).get(name)!;
const begin = async () => {
  const asked = { domain: 'company.example', redirect_to: APP, skip_http_redirect: true };
  return (await post('/sso', asked)).body.url as string;
};

t.test('it is registered once, and again after a change of its address', async (t) => {
  const registered = () => call('GET', '/admin/sso/providers/resource_latchkey-dev', { bearer: adminToken() });
  t.equal((await registered()).status, 404);
  t.ok(await registerProvider(company, undefined, known, log));
  const { body } = await registered();
  t.match(body, { domains: [{ domain: 'company.example' }] });
  const before = { metadata_xml: body.saml.metadata_xml, name_id_format: '' };
  t.ok(await registerProvider(company, before, { url: 'http://127.0.0.1:9', token: '' }, log), 'nothing is asked');
  t.ok(await registerProvider(company, { ...before, metadata_xml: 'of another port' }, known, log));
  t.notOk(await registerProvider(company, undefined, { url, token: 'of nobody' }, log), 'it is refused');
  t.notOk(await registerProvider(company, undefined, { url: 'http://127.0.0.1:9', token: '' }, log), 'no server');
});

t.test('a person is chosen and signed in; a fault is refused; a log-out ends the session', async (t) => {
  const pages = await new PageBrowser(url).open(await begin());
  t.equal(pages.title, 'Sign in at company.example');
  t.match(pages.form('/answer').html, /Ada Lovelace[\s\S]*Grace Hopper/);
  await pages.send(pages.form('/answer'), { person: 'grace' });
  await send(pages);
  const user = await call('GET', '/user', { bearer: fieldAt(pages.url, 'access_token') });
  t.match(user.body, { email: 'grace@company.example', user_metadata: { name: 'Grace Hopper' } });
  const refresh_token = fieldAt(pages.url, 'refresh_token');

  await pages.open(await begin());
  await pages.send(pages.form('/answer'), { person: 'ada', fault: 'other-key' });
  await send(pages);
  t.equal(new URL(pages.url).searchParams.get('error_code'), 'validation_failed');

  await pages.open(home);
  t.match(pages.html, /Received<\/span> <strong>AuthnRequest[\s\S]*Sent<\/span> <strong>Response/);
  await pages.send({ ...pages.form('/answer'), action: url + providerPaths.signOut }, { person: 'grace' });
  t.equal(pages.url, home, 'the answer of the server leads back');
  t.match(pages.html, /Received<\/span> <strong>LogoutResponse/);
  t.equal((await post('/token?grant_type=refresh_token', { refresh_token })).status, 400, 'the session has ended');
});

t.test('it belongs to an organization', async (t) => {
  const bearer = (await post('/signup', { email: freshEmail(), password })).body.access_token;
  const { id } = (await call('POST', '/organizations', { bearer, body: { name: 'Given & Co' } })).body;
  const pages = await new PageBrowser(url).open(home);
  t.match(pages.form('/organization').html, /<option value="" selected>/);
  await pages.send(pages.form('/organization'), { organization: id });
  t.match(pages.form('/organization').html, `<option value="${id}" selected>Given &#38; Co</option>`);
  t.equal((await pages.send(pages.form('/organization'), { organization: 'none' })).status, 400);
});

t.test('what this server has not signed, nobody, and other pages get no answer', async (t) => {
  const pages = new PageBrowser(url);
  for (const path of [`${providerPaths.signIn}?SAMLRequest=AAAA`, `${providerPaths.logout}?SAMLRequest=AAAA`]) {
    t.equal((await pages.open(path)).status, 400, path);
  }
  await pages.open(home);
  t.equal((await pages.send(pages.form('/answer'), { person: 'eve' })).status, 400);
  pages.more = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' };
  for (const path of [providerPaths.home, providerPaths.signIn]) t.equal((await pages.open(path)).status, 403, path);
  t.match((await call('GET', providerPaths.metadata)).body, /<md:EntityDescriptor/);
});
