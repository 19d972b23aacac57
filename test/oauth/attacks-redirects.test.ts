/** Redirect URIs, and where errors lead (RFC 9700 4.1, 4.11, 4.12). */

import { decideOnPages, openHostedServer, signUpOnPages } from '../support/hosted-server.js';
import { addClient, authorize, REDIRECT_URI, type TestClient } from '../support/oauth-client.js';
import { freshEmail } from '../support/server.js';
import { t } from '../support/tap.js';

const server = await openHostedServer(t);
const register = async (redirectUri: string, more: object = {}) =>
  server.call('POST', '/oauth/clients/register', {
    body: { redirect_uris: [redirectUri], token_endpoint_auth_method: 'none', ...more },
  });
const ask = async (client: Pick<TestClient, 'id'>, redirect_uri: string, more: Record<string, string> = {}) =>
  authorize(server, { clientId: client.id, parameters: { redirect_uri, ...more } });

t.test('4.1: what may not be registered', async (t) => {
  for (const uri of [
    'javascript:alert(1)',
    'JavaScript://client.example.com/%0aalert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://client.example.com/x',
    'about:blank',
    'http://client.example.com/callback',
    'http://localhost.evil.example/callback',
    'http://127.0.0.1.evil.example/callback',
    'http://127.0.0.1@evil.example/callback',
    'http://[::ffff:127.0.0.1]/callback',
    'http://0.0.0.0/callback',
    'https://user:secret@client.example.com/callback',
    'https://client.example.com/callback#fragment',
    'https://client.example.com/callback#',
    'https://client.example.com/\tcallback',
    'https://client.example.com/call back',
    'https://client.example.com/\u202ecallback',
    '//client.example.com/callback',
    '/callback',
    'callback',
    'myapp:/callback',
    'mailto:thief@evil.example',
    'urn:ietf:wg:oauth:2.0:oob',
    'com.example.app:',
    'com.example.app:#fragment',
    '.app:/callback',
    'https:/client.example.com/callback',
    'https:client.example.com',
    'https://',
    '',
  ]) {
    t.match(await register(uri), { status: 400, body: { error: /invalid_redirect_uri|invalid_client_metadata/ } }, uri);
  }
});

t.test('RFC 8252 7.1: an app on the device, by a scheme that is its domain name, needs no host', async (t) => {
  for (const uri of [
    'com.example.app:/oauth2redirect',
    'com.googleusercontent.apps.123:/oauth2redirect?a=b',
    'com.example.app:oauth2redirect',
    'com.example.app:///oauth2redirect',
    'com.example.app://oauth2redirect',
    'myapp://callback',
  ]) {
    const made = await register(uri, { post_logout_redirect_uris: [uri] });
    t.match(made, { status: 201, body: { redirect_uris: [uri], post_logout_redirect_uris: [uri] } }, uri);
    const client = { id: made.body.client_id };
    const near = await ask(client, uri.replace('example', 'evil').replace('myapp', 'evil').replace('123', '124'));
    t.equal(near.answer.status, 400, `${uri}: byte for byte`);
    const { location } = await ask(client, uri);
    const browser = server.openBrowser();
    await signUpOnPages(await browser.open(location.href), freshEmail());
    const back = await decideOnPages(browser);
    t.ok(back.href.startsWith(uri), back.href);
    t.match(back.searchParams.get('code'), /^[\w-]{20,}$/, uri);
    t.equal(back.searchParams.get('state'), 'some state');
  }
});

t.test('4.1.1: no spelling of another address passes for the registered one', async (t) => {
  const client = await addClient(server, {
    redirect_uris: ['https://client.example.com/callback/%41?x=1', 'http://127.0.0.1/native', 'http://[::1]/native'],
  });
  for (const uri of [
    // Userinfo, ports, other hosts
    'https://client.example.com@evil.example/callback/%41?x=1',
    'https://client.example.com:443@evil.example/callback/%41?x=1',
    'https://client.example.com:443/callback/%41?x=1',
    'https://client.example.com.evil.example/callback/%41?x=1',
    'https://evil.example/client.example.com/callback/%41?x=1',
    'https://sub.client.example.com/callback/%41?x=1',
    'https://client.example.com%2eevil.example/callback/%41?x=1',
    'https://client.example.com\\@evil.example/callback/%41?x=1',
    // Case and encoding
    'HTTPS://client.example.com/callback/%41?x=1',
    'https://Client.example.com/callback/%41?x=1',
    'https://client.example.com/Callback/%41?x=1',
    'https://client.example.com/callback/A?x=1',
    'https://client.example.com/callback/%2541?x=1',
    'https://client.example.com/%63allback/%41?x=1',
    // Paths, queries, fragments
    'https://client.example.com/callback/%41/../../open?x=1',
    'https://client.example.com/callback/%41/..%2f..%2fopen?x=1',
    'https://client.example.com//callback/%41?x=1',
    'https://client.example.com/callback/%41/?x=1',
    'https://client.example.com/callback/%41;x?x=1',
    'https://client.example.com/callback/%41?x=1&y=2',
    'https://client.example.com/callback/%41?X=1',
    'https://client.example.com/callback/%41',
    'https://client.example.com/callback/%41?x=1#evil',
    'https://client.example.com/callback/%41?x=1#',
    ' https://client.example.com/callback/%41?x=1',
    'https://client.example.com/callback/%41?x=1\u0000',
    // Loopback look-alikes
    'http://127.0.0.1:80@evil.example/native',
    'http://127.0.0.1:80:80/native',
    'http://127.0.0.1:99999/native',
    'http://127.0.0.1:/native#x',
    'http://127.0.0.1.evil.example:80/native',
    'http://127.1/native',
    'http://2130706433/native',
    'http://0x7f.0.0.1/native',
    'http://127.0.0.2/native',
    'http://localhost/native',
    'http://LOCALHOST/native',
    'http://[::1%25eth0]/native',
    'http://[0:0:0:0:0:0:0:1]/native',
    'https://127.0.0.1/native',
    'http://127.0.0.1:8080/native/../other',
  ]) {
    const { answer } = await ask(client, uri);
    t.equal(answer.status, 400, uri);
    t.notOk(answer.headers.has('location'), uri);
  }
  for (const uri of ['http://127.0.0.1:8080/native', 'http://[::1]:65535/native', 'http://[::1]/native']) {
    t.equal((await ask(client, uri)).answer.status, 302, uri);
  }
});

t.test('4.1.3: a parameter that is sent twice cannot smuggle a second address in', async (t) => {
  const client = await addClient(server);
  const { answer } = await authorize(server, { clientId: client.id });
  t.equal(answer.status, 302);
  const query = new URLSearchParams({ client_id: client.id, response_type: 'code' });
  query.append('redirect_uri', 'https://evil.example/');
  query.append('redirect_uri', REDIRECT_URI);
  t.equal((await server.call('GET', `/oauth/authorize?${query}`)).status, 400);
});

t.test('an answer replaces the parameters that a redirect URI has brought along', async (t) => {
  const uri = `${REDIRECT_URI}?code=planted&state=planted&iss=planted&%63ode=planted&error=planted&keep=1`;
  const client = await addClient(server, { redirect_uris: [uri] });
  const browser = server.openBrowser();
  const { location } = await ask(client, uri);
  await signUpOnPages(await browser.open(location.href), freshEmail());
  const back = await decideOnPages(browser);
  t.equal(back.searchParams.getAll('code').length, 1);
  t.not(back.searchParams.get('code'), 'planted');
  t.same(back.searchParams.getAll('state'), ['some state']);
  t.same(back.searchParams.getAll('iss'), [server.issuer]);
  t.same(back.searchParams.getAll('keep'), ['1']);
});

t.test('what the database cannot store is refused, not a fault of the server', async (t) => {
  const client = await addClient(server);
  for (const name of ['state', 'nonce', 'scope', 'login_hint', 'resource', 'code_challenge', 'prompt', 'max_age']) {
    for (const value of ['\u0000', 'a\u0000b', '\ud800', 'x'.repeat(5000)]) {
      const { answer } = await authorize(server, { clientId: client.id, parameters: { [name]: value } });
      t.ok([302, 400].includes(answer.status), `${name}: ${answer.status}`);
      if (answer.status === 302) t.notMatch(answer.headers.get('location'), 'server_error', name);
    }
  }
});

t.test('4.11.2: an error leads by itself only to clients that somebody has checked, or to this machine', async (t) => {
  const itself = async (uri: string) => ({ id: (await register(uri)).body.client_id as string });
  const refusals = [{ scope: 'unknown' }, { response_type: 'token' }, { prompt: 'none' }, { code_challenge: 'short' }];
  for (const more of refusals as Record<string, string>[]) {
    const checked = await ask(await addClient(server), REDIRECT_URI, more);
    t.equal(checked.location.origin, 'https://client.example.com', JSON.stringify(more));
    const native = await ask(await itself('http://127.0.0.1/native'), 'http://127.0.0.1:5000/native', more);
    t.equal(native.location.origin, 'http://127.0.0.1:5000', JSON.stringify(more));

    const { answer, location } = await ask(
      await itself('https://evil.example/phish'),
      'https://evil.example/phish',
      more,
    );
    t.equal(answer.status, 302);
    t.equal(location.origin + location.pathname, `${server.issuer}/ui/refused`, JSON.stringify(more));
    const page = await server.openBrowser().open(location.href);
    t.equal(page.status, 400);
    t.equal(page.onward, '', 'the browser stays');
    t.match(page.html, 'evil.example', 'the page says where the link leads');
    const link = new URL(page.link('Continue to evil.example'));
    t.equal(link.searchParams.get('iss'), server.issuer);
    t.equal(link.searchParams.get('state'), 'some state');
    t.ok(link.searchParams.get('error'));
  }
  const { location } = await ask(await itself('https://evil.example/phish'), 'https://evil.example/phish', {
    scope: 'unknown',
  });
  for (const change of [
    (url: URL) => url.searchParams.set('to', 'https://other.example/'),
    (url: URL) => url.searchParams.delete('proof'),
    (url: URL) => url.searchParams.delete('to'),
  ]) {
    const forged = new URL(location);
    change(forged);
    const page = await server.openBrowser().open(forged.href);
    t.equal(page.status, 404, forged.href);
    t.notMatch(page.html, /other\.example|evil\.example/);
  }
});

t.test('4.12: the browser never sends a form on, and the code is in no Referer', async (t) => {
  const client = await addClient(server);
  const browser = server.openBrowser();
  const { answer, location } = await ask(client, REDIRECT_URI);
  t.equal(answer.status, 302);
  t.equal(answer.headers.get('cache-control'), 'no-store');
  await signUpOnPages(await browser.open(location.href), freshEmail());
  t.equal(browser.headers.get('referrer-policy'), 'same-origin');
  const form = browser.form('/ui/consent');
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const decided = await fetch(form.action, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie, origin: server.issuer },
    body: new URLSearchParams({ ...form.fields, action: 'approve' }),
  });
  t.equal(decided.status, 200, 'a page, no redirect with 307 or 308');
  t.equal(decided.headers.get('referrer-policy'), 'no-referrer');
  t.equal(decided.headers.get('cache-control'), 'no-store');
  t.match(await decided.text(), 'rel="noreferrer"');
});
