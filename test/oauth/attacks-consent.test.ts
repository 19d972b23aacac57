/** The consent page under attack (RFC 9700 4.7, 4.16; RFC 6819 4.4.1.9, 4.4.1.10): forms, frames, names, accounts. */

import { endpoints } from '../../src/server/endpoints/index.js';
import { asAdmin } from '../support/admin.js';
import { enrolTotp, openApp, type Session, verifyWith } from '../support/authenticator-app.js';
import { decideOnPages, openHostedServer, signInOnPages, signUpOnPages } from '../support/hosted-server.js';
import { addClient, authorize, consent, REDIRECT_URI, signInToClient, signUpPerson } from '../support/oauth-client.js';
import type { Form, PageBrowser } from '../support/page-browser.js';
import { freshEmail, password } from '../support/server.js';
import { t } from '../support/tap.js';

const server = await openHostedServer(t);

/** A person on the consent page of a new request. */
async function openQuestion(browser = server.openBrowser(), more: Record<string, unknown> = {}) {
  const client = await addClient(server, more);
  const { location } = await authorize(server, { clientId: client.id });
  const email = freshEmail();
  await signUpOnPages(await browser.open(location.href), email);
  const id = location.searchParams.get('authorization_id')!;
  const status = async () => {
    const { rows } = await server.database.admin.query('select status from oauth_authorizations where id = $1', [id]);
    return rows[0].status as string;
  };
  return { client, browser, email, id, location, status };
}

const cookieOf = ({ cookies }: PageBrowser): string =>
  [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');

/** What a browser sends for a form, wherever the form is. */
function post(form: Form, browser: PageBrowser, headers: Record<string, string>, fields: Record<string, string> = {}) {
  return fetch(form.action, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: cookieOf(browser), ...headers },
    body: new URLSearchParams({ ...form.fields, action: 'approve', ...fields }),
  });
}

t.test('CSRF: origin, form token and cookie belong together', async (t) => {
  const { browser, status } = await openQuestion();
  const other = await openQuestion();
  const form = browser.form('/ui/consent');
  const here = { origin: server.issuer };
  const foreign: [string, Record<string, string>, Record<string, string>?][] = [
    ['a foreign origin', { origin: 'https://evil.example' }],
    ['an opaque origin, as of a sandboxed frame', { origin: 'null' }],
    ['no origin', {}],
    ['a port that differs', { origin: 'http://localhost:1' }],
    ['a name that begins alike', { origin: `${server.issuer}.evil.example` }],
    ['no form token', here, { form_token: '' }],
    ['a made-up form token', here, { form_token: 'a'.repeat(43) }],
    ['the form token of another flow', here, { form_token: other.browser.form('/ui/consent').fields['form_token']! }],
    ['another browser', { ...here, cookie: '' }],
    [
      'a browser with another account',
      { ...here, cookie: `latchkey-pages=${other.browser.cookies.get('latchkey-pages')}` },
    ],
  ];
  for (const [what, headers, fields] of foreign) {
    const answer = await post(form, browser, headers, fields);
    const text = await answer.text();
    t.notMatch(text, /[?&]code=/, what);
    t.equal(await status(), 'pending', what);
  }
  await fetch(form.action, {
    method: 'POST',
    redirect: 'manual',
    headers: { ...here, cookie: cookieOf(browser), 'content-type': 'text/plain' },
    body: JSON.stringify({ ...form.fields, action: 'approve' }),
  });
  t.equal(await status(), 'pending');
  t.equal((await post(form, browser, here)).status, 200);
  t.equal(await status(), 'approved');
});

t.test('click-jacking: no page of the flow can be framed, or reached by an opener', async (t) => {
  const { browser } = await openQuestion();
  const { search } = new URL(browser.url);
  const paths = endpoints.filter(({ method, path }) => method === 'GET' && /^\/ui\/[a-z-]+$/.test(path));
  t.ok(paths.length > 8);
  for (const { path } of paths) {
    const { headers } = await server.openBrowser().open(path + search);
    t.equal(headers.get('x-frame-options'), 'DENY', path);
    t.match(headers.get('content-security-policy'), "frame-ancestors 'none'", path);
    t.match(headers.get('content-security-policy'), "form-action 'self'", path);
    t.equal(headers.get('cross-origin-opener-policy'), 'same-origin', path);
  }
});

t.test('the request of another person cannot be seen or decided', async (t) => {
  const { browser, id, location, status } = await openQuestion();
  const stranger = server.openBrowser();
  await signUpOnPages(await stranger.open(location.href), freshEmail());
  t.match(stranger.html, 'has expired', 'on the pages');
  const { token } = await signUpPerson(server);
  const path = `/oauth/authorizations/${id}`;
  t.equal((await server.call('GET', path, { bearer: token })).status, 404);
  for (const action of ['approve', 'deny']) {
    t.equal((await server.call('POST', `${path}/consent`, { bearer: token, body: { action } })).status, 404, action);
  }
  t.equal(await status(), 'pending');
  t.ok((await decideOnPages(browser)).searchParams.has('code'));
});

t.test('a client cannot approve itself, or another one', async (t) => {
  const [client, greedy, person] = [await addClient(server), await addClient(server), await signUpPerson(server)];
  const { body } = await signInToClient(server, person, client);
  for (const asked of [client, greedy]) {
    const { location } = await authorize(server, { clientId: asked.id, parameters: { scope: 'email profile phone' } });
    const path = `/oauth/authorizations/${location.searchParams.get('authorization_id')}`;
    const refused = { status: 403, body: { error_code: 'no_authorization' } };
    t.match(await server.call('GET', path, { bearer: body.access_token }), refused);
    const approve = { bearer: body.access_token, body: { action: 'approve' } };
    t.match(await server.call('POST', `${path}/consent`, approve), refused);
  }
});

t.test('a second factor cannot be left out, whatever was allowed before', async (t) => {
  const { browser, client, email } = await openQuestion();
  await decideOnPages(browser);
  const session = (await server.post('/token?grant_type=password', { email, password })).body as Session;
  const { id, secret } = await enrolTotp(server, session);
  const app = openApp(secret);
  t.equal((await verifyWith(server, session, id, app.nextCode())).status, 200);
  const { location } = await authorize(server, { clientId: client.id });
  const fresh = server.openBrowser();
  await signInOnPages(await fresh.open(location.href), email);
  t.equal(new URL(fresh.url).pathname, '/ui/mfa', 'the remembered consent does not answer');
  await fresh.open(`/ui/consent${new URL(fresh.url).search}`);
  t.equal(new URL(fresh.url).pathname, '/ui/mfa', 'nor is the page behind it open');
  // The session of the browser from before ended with the first factor.
  await browser.open((await authorize(server, { clientId: client.id })).location.href);
  await browser.send(browser.form('/ui/sign-in'), { action: 'choose' });
  t.equal(new URL(browser.url).pathname, '/ui/sign-in');
  t.equal(browser.onward, '');
  await fresh.send(fresh.form('/ui/mfa'), { code: app.nextCode(), action: 'verify' });
  t.ok(fresh.onward === '' ? (await decideOnPages(fresh)).searchParams.has('code') : fresh.onward.includes('code='));
});

t.test('names that imitate, hide or break the page', async (t) => {
  const named = (client_name: string) =>
    server.call('POST', '/oauth/clients/register', {
      body: { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none', client_name },
    });
  for (const [what, name] of [
    ['text that runs backwards', 'Notes\u202egro.elpmaxe'],
    ['an isolate', 'Notes\u2066x\u2069'],
    ['a line break', 'Notes\nThis application is verified.'],
    ['a paragraph', 'Notes\u2029verified'],
    ['a bell', 'Notes\u0007'],
    ['characters without width', 'Go\u200bogle'],
    ['a tag character', 'Notes\u{e0041}'],
  ] as const) {
    const { status, body } = await named(name);
    t.match({ status, body }, { status: 400, body: { error: 'invalid_client_metadata' } }, what);
  }
  // Scripts that need joiners keep them.
  t.equal((await named('می\u200cخواهم')).status, 201);
  for (const field of ['client_uri', 'logo_uri']) {
    const given = { redirect_uris: [REDIRECT_URI], [field]: 'javascript:alert(1)' };
    t.equal((await server.call('POST', '/oauth/clients/register', { body: given })).status, 400, field);
  }
  const { body } = await named('</h1><script>alert(1)</script> <meta http-equiv=refresh content=0> {address}');
  const { location } = await authorize(server, { clientId: body.client_id });
  const browser = await server.openBrowser().open(location.href);
  await signUpOnPages(browser, freshEmail());
  t.notMatch(browser.html, /<script>|<meta http-equiv=refresh/);
  t.match(browser.html, '{address}', 'no placeholder of ours');
  const { body: wordy } = await named(`Notes ${'is safe, says the service itself. '.repeat(20)}`);
  const long = await authorize(server, { clientId: wordy.client_id });
  await browser.open(long.location.href);
  await browser.send(browser.form('/ui/sign-in'), { action: 'choose' });
  t.ok(browser.title.length < 100, `a name is no letter: ${browser.title}`);
  await browser.open(location.href);
  await browser.send(browser.form('/ui/sign-in'), { action: 'choose' });
  t.match(browser.html, 'registered itself');
  t.match(browser.html, 'client.example.com', 'the host it leads to, which cannot be made up');
});

t.test('a remembered consent answers only for clients that can be told apart', async (t) => {
  const native = await addClient(server, { redirect_uris: ['http://127.0.0.1/native', 'com.example.app://back'] });
  const person = await signUpPerson(server);
  for (const redirect_uri of ['http://127.0.0.1:5000/native', 'com.example.app://back']) {
    for (const again of [false, true]) {
      const { location } = await authorize(server, { clientId: native.id, parameters: { redirect_uri } });
      const path = `/oauth/authorizations/${location.searchParams.get('authorization_id')}`;
      const { body } = await server.call('GET', path, { bearer: person.token });
      t.ok(
        body.authorization_id,
        `${redirect_uri}${again ? ', again' : ''}: any program on the machine may say it is this client`,
      );
      await consent(server, person, location);
    }
  }
  const web = await addClient(server);
  await signInToClient(server, person, web);
  const { location } = await authorize(server, { clientId: web.id });
  const path = `/oauth/authorizations/${location.searchParams.get('authorization_id')}`;
  t.ok((await server.call('GET', path, { bearer: person.token })).body.redirect_url, 'the host is proof');
});

t.test('known and unknown addresses look alike', async (t) => {
  const strict = await openHostedServer(t, { MAILER_AUTOCONFIRM: 'false' });
  const known = freshEmail();
  await asAdmin(strict)('POST', '/admin/users', { email: known, password, email_confirm: true });
  const client = await addClient(strict);
  /** What a person sees, without what differs at every visit. */
  async function look(address: string, act: (browser: PageBrowser) => Promise<unknown>) {
    const { location } = await authorize(strict, { clientId: client.id });
    const browser = await strict.openBrowser().open(location.href);
    await act(browser);
    const text = browser.html
      .replaceAll(address, 'ADDRESS')
      .replaceAll(/flow=[\w-]+|value="[^"]*"|challenge[^ ]*/g, '');
    return { status: browser.status, path: new URL(browser.url).pathname, text };
  }
  const ways: [string, (browser: PageBrowser, address: string) => Promise<unknown>][] = [
    [
      'a wrong password',
      (b, address) => b.send(b.form('/ui/sign-in'), { address, password: 'wrong', action: 'password' }),
    ],
    ['a code', (b, address) => b.send(b.form('/ui/sign-in'), { address, password: '', action: 'code' })],
    [
      'a forgotten password',
      async (b, address) => {
        await b.open(`/ui/recover${new URL(b.url).search}`);
        return b.send(b.form('/ui/recover'), { address });
      },
    ],
    ['a sign-up', (b, address) => signUpOnPages(b, address)],
  ];
  for (const [what, act] of ways) {
    const unknown = freshEmail();
    const [ofKnown, ofUnknown] = [
      await look(known, (browser) => act(browser, known)),
      await look(unknown, (browser) => act(browser, unknown)),
    ];
    t.same(ofKnown, ofUnknown, what);
  }
});
