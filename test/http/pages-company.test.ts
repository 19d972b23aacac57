/** Company sign-in from the hosted pages: what leads there, what comes back, and what goes wrong on the way. */
import { createHash, randomUUID } from 'node:crypto';
import { asAdmin } from '../support/admin.js';
import { openClientHost } from '../support/client-host.js';
import { type FakeSamlIdp, openFakeIdp, PERSISTENT, type ResponseOptions } from '../support/fake-saml-idp.js';
import { asForm, readRedirect, writeLogoutAnswer } from '../support/fake-saml-logout.js';
import { openHostedServer } from '../support/hosted-server.js';
import { addClient, refresh, signInToClient } from '../support/oauth-client.js';
import type { PageBrowser } from '../support/page-browser.js';
import { samlFlowOn, samlSettings } from '../support/saml-flow.js';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';

const TARGET = 'http://localhost:3000/home';
const VERIFIER = 'v'.repeat(43);
const host = await openClientHost(t, 'login.openid.example');
const server = await openHostedServer(
  t,
  samlSettings({
    ...{ RATE_LIMIT_AUTHORIZE: '100000', RATE_LIMIT_SSO: '100000', SAML_RATE_LIMIT_ASSERTION: '100000' },
    ORGANIZATIONS_ENABLED: 'true',
  }),
  host.internet,
);
const origin = server.issuer;
const flow = samlFlowOn(server);
const acme = openFakeIdp('idp.acme.example');
const only = openFakeIdp('idp.only.example');
await flow.addProvider(acme, {
  domains: ['acme.example', 'bücher.example'],
  metadata_xml: acme.metadata({ slo: ['HTTP-Redirect'] }),
});
await flow.addProvider(only, { domains: ['only.example'], enforced: true });

/** A company that has verified its domain and signs in by OpenID Connect. @returns the identifier of its provider */
async function addOpenidCompany(domain: string): Promise<string> {
  const issuer = host.url('');
  const [authorization_endpoint, token_endpoint, jwks_uri] = ['authorize', 'token', 'keys'].map(
    (path) => `${issuer}/${path}`,
  );
  host.publish('/.well-known/openid-configuration', {
    body: { issuer, authorization_endpoint, token_endpoint, jwks_uri },
  });
  const id = randomUUID();
  await server.database.admin.query('insert into organizations (id, name, slug) values ($1, $2, $3)', [
    ...[id, 'OpenID', 'openid-company'],
  ]);
  await server.database.admin.query(
    'insert into organization_domains (organization_id, domain, verified_at) values ($1, $2, now())',
    [id, domain],
  );
  const identifier = 'custom:openid-company';
  const answer = await asAdmin(server)('POST', '/admin/custom-providers', {
    ...{ provider_type: 'oidc', identifier, name: 'OpenID', client_id: 'latchkey', client_secret: 'secret', issuer },
    organization_id: id,
  });
  t.equal(answer.status, 201, JSON.stringify(answer.body));
  return identifier;
}
const openid = await addOpenidCompany('openid.example');

const addressAt = (domain: string): string => freshEmail().replace(/@.*/, `@${domain}`);

async function begin(): Promise<PageBrowser> {
  const query = new URLSearchParams({
    provider: 'custom:hosted',
    redirect_to: TARGET,
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    code_challenge_method: 's256',
  });
  return server.openBrowser().open(`/authorize?${query}`);
}

/** Types an address on the first page. */
const goOnWith = (browser: PageBrowser, address: string): Promise<PageBrowser> =>
  browser.send(browser.form('/ui/sign-in'), { address, action: 'next' });

/** What the provider sends back, as a form of its page. */
function answerOf(idp: FakeSamlIdp, onward: string, address: string, options: Partial<ResponseOptions> = {}) {
  const { id, relayState } = idp.readRequest(onward);
  const SAMLResponse = idp.respond({
    acsUrl: `${origin}/sso/saml/acs`,
    audience: `${origin}/sso/saml/metadata`,
    requestId: id,
    nameId: { value: address, format: PERSISTENT },
    attributes: { mail: address },
    ...options,
  });
  return { action: `${origin}/sso/saml/acs`, html: '', fields: { SAMLResponse, RelayState: relayState } };
}

/** Signs in from the page that is shown. @returns where the browser goes on: to the application */
async function signInAt(idp: FakeSamlIdp, browser: PageBrowser, address: string): Promise<string> {
  await goOnWith(browser, address);
  await browser.send(answerOf(idp, browser.onward, address));
  return browser.onward;
}

t.test('an address of a company goes there and ends in the application', async (t) => {
  const address = addressAt('ACME.example');
  const browser = await begin();
  t.notMatch(browser.html, 'type="password"');
  await goOnWith(browser, address);
  t.match(browser.onward, 'https://idp.acme.example/sso?tenant=1&SAMLRequest=');
  const sessionNotOnOrAfter = new Date(Date.now() + 3_600_000).toISOString();
  await browser.send(answerOf(acme, browser.onward, address, { sessionNotOnOrAfter }));
  const auth_code = new URL(browser.onward).searchParams.get('code');
  const answer = await server.post('/token?grant_type=pkce', { auth_code, code_verifier: VERIFIER });
  t.match(answer, { status: 200, body: { user: { email: address.toLowerCase() } } });
  const { rows } = await server.database.admin.query(
    'select count(*)::int as count, count(not_after)::int as ending, count(sso_provider_id)::int as of_company, count(saml)::int as named from sessions s join users u on u.id = s.user_id where u.email = $1',
    [address.toLowerCase()],
  );
  t.same(rows[0], { count: 2, ending: 2, of_company: 2, named: 2 }, 'of the pages and of the application');
});

t.test('a domain with letters beyond ASCII is found however it is written', async (t) => {
  const leads = (browser: PageBrowser, what: string) => t.match(browser.onward, 'https://idp.acme.example/sso?', what);
  for (const domain of ['B\u00dcCHER.example', 'bu\u0308cher.example', 'xn--bcher-kva.example']) {
    leads(await goOnWith(await begin(), addressAt(domain)), domain);
    const browser = await begin();
    await browser.open(`/ui/company${new URL(browser.url).search}`);
    leads(await browser.send(browser.form('/ui/company'), { address: domain }), `${domain} alone`);
    const { url } = await flow.begin(acme, { domain });
    t.match(url.href, 'https://idp.acme.example/sso?', 'POST /sso');
  }
});

t.test('every other address gets the same page, whether it has an account or not', async (t) => {
  const known = freshEmail();
  await server.post('/signup', { email: known, password });
  const pages: string[] = [];
  for (const address of [known, freshEmail()]) {
    const browser = await goOnWith(await begin(), address);
    const { searchParams } = new URL(browser.url);
    t.equal(searchParams.get('step'), 'password');
    t.match(browser.html, `autocomplete="username" autocapitalize="none" spellcheck="false" value="${address}"`);
    const secret = browser.form('/ui/sign-in').fields['form_token']!;
    pages.push(browser.html.replaceAll(address, '').replaceAll(secret, '').replaceAll(searchParams.get('flow')!, ''));
  }
  t.equal(pages[0], pages[1]);
  const empty = await goOnWith(await begin(), ' ');
  t.equal(empty.alert, 'Enter your email or phone number.');
});

t.test('an address of a company that enforces it leads there from every form', async (t) => {
  const address = addressAt('only.example');
  const sent: Readonly<Record<string, Record<string, string>>> = {
    'sign-in': { address, password, action: 'password' },
    'sign-in ': { address, action: 'code' },
    'sign-up': { address, password },
    recover: { address },
  };
  for (const [page, fields] of Object.entries(sent)) {
    const browser = await begin();
    const path = `/ui/${page.trim()}`;
    await browser.open(`${path}${new URL(browser.url).search}`);
    await browser.send(browser.form(path), fields);
    t.match(browser.onward, 'https://idp.only.example/sso?', page);
    t.notMatch(browser.html, 'step=password');
    await browser.open(`/ui/sign-in${new URL(browser.url).search}&account=other&step=password`);
    t.notMatch(browser.html, 'type="password"', 'never a password');
    t.match(browser.html, `value="${address}"`);
  }
  const browser = await begin();
  t.match(new URL(await signInAt(only, browser, address)).searchParams.get('code'), /./);
});

t.test('where it is not enforced there are other ways, too', async (t) => {
  const address = addressAt('acme.example');
  await server.post('/signup', { email: address, password });
  const browser = await goOnWith(await begin(), address);
  const fromThere = browser.link('Sign in another way');
  await browser.open(`/ui/sign-in${new URL(browser.url).search}`);
  t.equal(browser.link('Sign in another way'), fromThere, 'after Back, too');
  await browser.open(fromThere);
  await browser.send(browser.form('/ui/sign-in'), { password, action: 'password' });
  t.match(new URL(browser.onward).searchParams.get('code'), /./);
});

t.test('the button leads to a field for an address or a domain', async (t) => {
  for (const page of ['sign-in', 'sign-up']) {
    const browser = await begin();
    await browser.open(`/ui/${page}${new URL(browser.url).search}`);
    await browser.open(browser.link('Sign in with your company'));
    await browser.send(browser.form('/ui/company'), { address: 'nothing.example' });
    t.equal(browser.status, 404);
    t.equal(new URL(browser.url).pathname, '/ui/company');
    t.match(browser.alert, 'No company with this domain signs in here.');
    t.equal(browser.form('/ui/company').fields['address'], 'nothing.example', 'kept');
    await browser.send(browser.form('/ui/company'), { address: ' Acme.Example. ' });
    t.match(browser.onward, 'https://idp.acme.example/sso?');
  }
});

t.test('an address or a domain of an organization leads to its OpenID Connect provider', async (t) => {
  const leads = (browser: PageBrowser, what: string) =>
    t.match(browser.onward, `${host.url('')}/authorize?`, `${what}, by a page and not by a redirect of a form`);
  const address = addressAt('OpenID.example');
  const browser = await goOnWith(await begin(), address);
  leads(browser, 'an address');
  await browser.open(browser.link('Sign in another way'));
  t.equal(browser.form('/ui/sign-in').fields['address'], address);
  t.match(browser.html, 'type="password"', 'which is not the only way');
  const other = await begin();
  await other.open(`/ui/company${new URL(other.url).search}`);
  leads(await other.send(other.form('/ui/company'), { address: 'openid.example' }), 'a domain');
  const setEnabled = (enabled: boolean) => asAdmin(server)('PUT', `/admin/custom-providers/${openid}`, { enabled });
  await setEnabled(false);
  const off = await goOnWith(await begin(), address);
  t.equal(new URL(off.url).searchParams.get('step'), 'password', 'one that is off leads nowhere');
  await setEnabled(true);
});

t.test('POST /sso leads to that provider by /authorize, where there is none of SAML', async (t) => {
  const challenge = { code_challenge: createHash('sha256').update(VERIFIER).digest('base64url') };
  const pkce = { ...challenge, code_challenge_method: 's256' };
  for (const named of [{ organization: 'openid-company' }, { domain: 'OPENID.example' }]) {
    const { status, body } = await server.post('/sso', {
      ...{ ...named, ...pkce, redirect_to: TARGET, skip_http_redirect: true },
    });
    const url = new URL(body.url);
    t.match([status, `${url.origin}${url.pathname}`], [200, `${origin}/authorize`], JSON.stringify(named));
    t.same(Object.fromEntries(url.searchParams), { provider: openid, redirect_to: TARGET, ...pkce });
    const there = await fetch(url, { redirect: 'manual' });
    t.match(there.headers.get('location'), `${host.url('')}/authorize?`);
    t.match(there.headers.get('set-cookie'), 'latchkey-browser=');
  }
  const redirected = await server.post('/sso', { organization: 'openid-company' });
  t.equal(redirected.status, 303);
  const saml = openFakeIdp('idp.both.example');
  const { body: added } = await flow.addProvider(saml, { domains: ['openid.example'] });
  await server.database.admin.query(
    "update sso_providers set organization_id = (select id from organizations where slug = 'openid-company') where id = $1",
    [added.id],
  );
  const targetOf = async (named: object) =>
    new URL((await server.post('/sso', { ...named, skip_http_redirect: true })).body.url).host;
  for (const named of [{ organization: 'openid-company' }, { domain: 'openid.example' }]) {
    t.equal(await targetOf(named), 'idp.both.example', 'SAML comes first');
    await flow.admin('PUT', `/admin/sso/providers/${added.id}`, { disabled: true });
    t.equal(await targetOf(named), new URL(origin).host, 'unless it is off');
    await flow.admin('PUT', `/admin/sso/providers/${added.id}`, { disabled: false });
  }
  await flow.admin('DELETE', `/admin/sso/providers/${added.id}`);
});

interface Trouble {
  readonly alert: string;
  /** What comes back first. */
  readonly back: (browser: PageBrowser, onward: string, address: string) => Promise<unknown>;
}

const REFUSED = 'The sign-in with the provider did not work.';
const AGAIN = 'The sign-in at your company took too long, or its answer came a second time.';
const troubles: Readonly<Record<string, Trouble>> = {
  'a refusal of the provider': {
    alert: REFUSED,
    back: (browser, onward, address) => browser.send(answerOf(acme, onward, address, { status: 'Responder' })),
  },
  'a signature by another key': {
    alert: REFUSED,
    back: (browser, onward, address) => browser.send(answerOf(acme, onward, address, { key: only.key })),
  },
  'an empty answer': {
    alert: REFUSED,
    back: (browser, onward, address) => {
      const form = answerOf(acme, onward, address);
      return browser.send(form, { SAMLResponse: '' });
    },
  },
  'a person without an address': {
    alert: REFUSED,
    back: (browser, onward, address) => browser.send(answerOf(acme, onward, address, { attributes: {} })),
  },
  'an answer that came too late': {
    alert: AGAIN,
    async back(browser, onward, address) {
      await server.database.admin.query("update saml_relay_states set expires_at = now() - interval '1 second'");
      await browser.send(answerOf(acme, onward, address));
    },
  },
  'a second answer after a refused one': {
    alert: AGAIN,
    async back(browser, onward, address) {
      await browser.send(answerOf(acme, onward, address, { status: 'Responder' }));
      await browser.send(answerOf(acme, onward, address));
    },
  },
  'the answer in another browser': {
    alert: REFUSED,
    async back(browser, onward, address) {
      await server.openBrowser().send(answerOf(acme, onward, address));
      browser.cookies.clear();
      await browser.send(answerOf(acme, onward, address));
    },
  },
};

for (const [name, { alert, back }] of Object.entries(troubles)) {
  t.test(`after ${name} the page goes on`, async (t) => {
    const address = addressAt('acme.example');
    const browser = await goOnWith(await begin(), address);
    await back(browser, browser.onward, address);
    if (name === 'the answer in another browser') t.equal(new URL(browser.url).pathname, '/ui/return');
    else t.match(browser.alert, alert);
    t.equal(browser.form('/ui/sign-in').fields['address'], address, 'the address is kept');
    const onward = new URL(await signInAt(acme, browser, address));
    t.equal(onward.origin + onward.pathname, TARGET);
    t.match(onward.searchParams.get('code'), /./);
  });
}

t.test('a double click there, Back, and a second tab end in the application', async (t) => {
  const address = addressAt('acme.example');
  const browser = await goOnWith(await begin(), address);
  const { onward } = browser;
  const tab = await browser.openTab();
  await browser.send(answerOf(acme, onward, address));
  t.match(browser.onward, TARGET);
  await browser.send(answerOf(acme, onward, address));
  t.match(browser.onward, TARGET, 'the second answer of a double click');
  // The secret of the browser has changed since the tab left.
  await tab.send(answerOf(acme, tab.onward, address));
  t.match(tab.alert, REFUSED);
  t.match(await signInAt(acme, tab, address), TARGET, 'the tab was open before');
});

t.test('an answer that another browser began is of no use', async (t) => {
  const address = addressAt('acme.example');
  const attacker = await goOnWith(await begin(), address);
  const victim = await begin();
  await victim.send(answerOf(acme, attacker.onward, address));
  t.match(victim.alert, REFUSED);
  t.equal((await victim.open('/ui/account')).forms.length > 0 && victim.html.includes(address), false);
});

t.test('signing out leads through the log-out of the company, and back', async (t) => {
  const certificate = await readCertificate();
  const address = addressAt('acme.example');
  const browser = await begin();
  await signInAt(acme, browser, address);
  await browser.open('/ui/account');
  await browser.send(browser.form('/ui/account'), { action: 'sign_out' });
  const request = readRedirect(browser.onward, certificate);
  t.match(request.address, 'https://idp.acme.example/slo');
  const destination = `${origin}/sso/saml/slo`;
  const answer = asForm(
    acme,
    'SAMLResponse',
    writeLogoutAnswer(acme, request.id, { destination }),
    request.relayState!,
  );
  await browser.send({ action: destination, html: '', fields: answer });
  t.equal(browser.url, `${origin}/ui/signed-out`);

  // With another account left the page is that of the accounts.
  const other = await begin();
  const local = freshEmail();
  await server.post('/signup', { email: local, password });
  await goOnWith(other, local);
  await other.send(other.form('/ui/sign-in'), { password, action: 'password' });
  await other.open(`/ui/sign-in?account=other`);
  await signInAt(acme, other, address);
  await other.open('/ui/sign-in');
  await other.send(other.form('/ui/sign-out'));
  const second = readRedirect(other.onward, certificate);
  const last = asForm(acme, 'SAMLResponse', writeLogoutAnswer(acme, second.id, { destination }), second.relayState!);
  await other.send({ action: destination, html: '', fields: last });
  t.equal(new URL(other.url).pathname, '/ui/sign-in');
  t.match(other.html, local);
  t.notMatch(other.html, address);
});

t.test('signing out of one application leaves the pages and the company signed in', async (t) => {
  const bye = 'https://notes.example.com/bye';
  const client = await addClient(server, {
    grant_types: ['authorization_code', 'refresh_token'],
    post_logout_redirect_uris: [bye],
  });
  const address = addressAt('acme.example');
  const browser = await begin();
  const auth_code = new URL(await signInAt(acme, browser, address)).searchParams.get('code');
  const { body } = await server.post('/token?grant_type=pkce', { auth_code, code_verifier: VERIFIER });
  const person = { id: body.user.id, email: address, token: body.access_token, refreshToken: body.refresh_token };
  const { body: tokens } = await signInToClient(server, person, client);
  await browser.open(`/ui/logout?${new URLSearchParams({ client_id: client.id, post_logout_redirect_uri: bye })}`);
  await browser.send(browser.form('/ui/logout'), { action: 'sign_out' });
  t.equal(browser.onward, bye, 'not through the company');
  t.equal((await refresh(server, client, tokens['refresh_token'])).status, 400);
  await browser.open('/ui/account');
  t.match(browser.html, address);
});

t.test('signing out of all accounts leads through each company', async (t) => {
  const certificate = await readCertificate();
  const third = openFakeIdp('idp.third.example');
  const { body } = await flow.addProvider(third, {
    domains: ['third.example'],
    metadata_xml: third.metadata({ slo: ['HTTP-Redirect'] }),
  });
  const companies = new Map([
    ['https://idp.acme.example/slo', acme],
    ['https://idp.third.example/slo', third],
  ]);
  const browser = await begin();
  await signInAt(acme, browser, addressAt('acme.example'));
  await browser.open('/ui/sign-in?account=other');
  // Its domain is known to this thread only after some seconds; its id is at once.
  await browser.open(`/ui/provider${new URL(browser.url).search}&provider=sso:${body.id}`);
  await browser.send(answerOf(third, browser.onward, addressAt('third.example')));
  await browser.open('/ui/sign-in');
  await browser.send(browser.form('/ui/sign-out'), { session_id: '' });
  const destination = `${origin}/sso/saml/slo`;
  let onward = browser.onward;
  const left: string[] = [];
  while (left.length < companies.size) {
    const { address, id, relayState } = readRedirect(onward, certificate);
    left.push(address);
    const idp = companies.get(address)!;
    const fields = asForm(idp, 'SAMLResponse', writeLogoutAnswer(idp, id, { destination }), relayState!);
    await browser.send({ action: destination, html: '', fields });
    onward = browser.url;
  }
  t.same(left.toSorted(), [...companies.keys()], 'each of them once');
  t.equal(onward, `${origin}/ui/signed-out`, 'and then back');
  await browser.open('/ui/sign-in');
  t.notMatch(browser.html, 'third.example');
});

t.test('the account page calls the company by its domain, and by no id when it is gone', async (t) => {
  const browser = await begin();
  const address = addressAt('acme.example');
  await signInAt(acme, browser, address);
  await browser.open('/ui/account/identities');
  t.match(browser.html, '<strong>acme.example</strong>');
  t.notMatch(browser.html, /sso:/i);
  // Its deletion would end the session.
  const gone = "update identities set provider = 'sso:' || gen_random_uuid() where provider_id = $1";
  await server.database.admin.query(gone, [address]);
  await browser.open('/ui/account/identities');
  t.match(browser.html, '<strong>Company</strong>');
  t.notMatch(browser.html, /sso:/i);
});

const readCertificate = async (): Promise<string> =>
  /<ds:X509Certificate>([^<]*)</.exec(await (await fetch(`${origin}/sso/saml/metadata`)).text())![1]!;

t.test('with SAML off nothing of it is there', async (t) => {
  const off = await openTestServer(t, { PAGES_ENABLED: 'true', SAML_ENABLED: 'false' });
  const page = await (await fetch(`${off.url}/ui/sign-in`)).text();
  t.match(page, 'type="password"');
  t.notMatch(page, /company|value="next"/);
  const path = '/ui/provider?provider=sso:00000000-0000-4000-8000-000000000000';
  t.equal((await fetch(`${off.url}${path}`)).status, 400);
});
