/** What `npm start` has without a setting: second factors, passkeys, keys in its own database, webhooks to the same machine. */
import { decodeProtectedHeader } from 'jose';
import { Authenticator } from '../support/authenticator.js';
import { ConsoleBrowser } from '../support/console-browser.js';
import { startDev } from '../support/dev-server.js';
import { call, freshEmail, password } from '../support/server.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';
import { startWebhookReceiver } from '../support/webhook-receiver.js';

const server = await startDev(t);
const { url, adminToken, consoleLink } = server;
const post = (path: string, body: object, bearer?: string) => call(url, 'POST', path, { body, bearer });

t.test('an organization, whose invitation leads to a page, and its machine account', async (t) => {
  const { access_token: bearer } = (await post('/signup', { email: freshEmail(), password })).body;
  const { status, body } = await post('/organizations', { name: 'Acme' }, bearer);
  t.equal(status, 201);
  const email = freshEmail();
  t.equal((await post(`/organizations/${body.id}/invitations`, { email }, bearer)).status, 201);
  const readMails = async () => (await call(url, 'GET', `/dev/mailbox/messages.json?to=${email}`)).body.messages;
  await until(async () => (await readMails()).length > 0);
  const [{ links }] = await readMails();
  t.ok(links[0].startsWith(`${url}/ui/link?`), links[0]);
  t.equal(
    new URL(links[0]).searchParams.get('redirect_to'),
    url,
    'not the address of an application that is not there',
  );

  const machine = { client_name: 'Import', grant_types: ['client_credentials'], organization_roles: ['member'] };
  const { client_id, client_secret } = (await post(`/organizations/${body.id}/clients`, machine, bearer)).body;
  const answer = await fetch(`${url}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  t.equal(answer.status, 200);
});

t.test('a passkey for pages of this machine, and factors of every kind', async (t) => {
  const { access_token: bearer } = (await post('/signup', { email: freshEmail(), password })).body;
  for (const origin of ['http://localhost:3000', url]) {
    const begun = await post('/passkeys/registration/options', {}, bearer);
    t.match(begun, { status: 200, body: { options: { rp: { id: 'localhost' } } } });
    const authenticator = new Authenticator({ origin });
    const { challenge_id, options } = begun.body;
    const answer = { challenge_id, credential: authenticator.create(options) };
    t.equal((await post('/passkeys/registration/verify', answer, bearer)).status, 200, origin);
    const asked = (await post('/passkeys/authentication/options', {})).body;
    const credential = authenticator.get(asked.options);
    const signedIn = await post('/passkeys/authentication/verify', { challenge_id: asked.challenge_id, credential });
    t.equal(signedIn.status, 200);
  }
  for (const factor_type of ['totp', 'webauthn', 'phone']) {
    const body = { factor_type, friendly_name: factor_type, phone: '+15555550100' };
    const enrolled = await post('/factors', body, bearer);
    t.equal(enrolled.status, 200, factor_type);
    t.equal((await post(`/factors/${enrolled.body.id}/challenge`, {}, bearer)).status, 200);
  }
});

t.test('a company, whose people sign in at an identity provider of its own', async (t) => {
  const begun = await post('/sso', { domain: 'company.example', skip_http_redirect: true });
  t.equal(new URL(begun.body.url).pathname, '/dev/identity-provider/sso');
  t.match(await (await fetch(begun.body.url)).text(), /Ada Lovelace/);
  t.match(await (await fetch(url)).text(), /<a href="dev\/identity-provider">/);
});

t.test('a key is rotated in the console, and nobody is signed out', async (t) => {
  const email = freshEmail();
  const { body: first } = await post('/signup', { email, password });
  const kidOf = (token: string) => decodeProtectedHeader(token).kid;
  const signIn = async () => (await post('/token?grant_type=password', { email, password })).body.access_token;

  const browser = new ConsoleBrowser(Number(new URL(consoleLink).port));
  const entered = await browser.post('/api/link/session', { link: new URL(consoleLink).hash.slice(1) });
  t.equal(entered.status, 200, entered.text);
  const before = (await browser.get('/api/keys')).body;
  t.match(before, { source: 'database', signing_kid: kidOf(first.access_token) });
  t.equal((await browser.post('/api/keys/rotate', { alg: 'ES256', wait_seconds: 0 })).status, 200);
  await until(async () => kidOf(await signIn()) !== before.signing_kid);
  for (const [whose, bearer] of Object.entries({ earlier: first.access_token, new: await signIn() })) {
    t.match(await call(url, 'GET', '/user', { bearer }), { status: 200, body: { email } }, whose);
  }
  t.equal(
    (await call(url, 'GET', '/admin/users', { bearer: adminToken })).status,
    200,
    'the token of the start screen',
  );
});

t.test('a webhook to this machine is added and tried', async (t) => {
  const receiver = await startWebhookReceiver(t);
  const added = await post('/admin/webhooks', { url: receiver.url, events: ['user.created'] }, adminToken);
  t.equal(added.status, 201, JSON.stringify(added.body));
  receiver.secret = added.body.secret;
  const tried = await call(url, 'POST', `/admin/webhooks/${added.body.id}/test`, { bearer: adminToken });
  t.match(tried, { status: 200, body: { delivered: true } });
  t.match(receiver.received, [{ type: 'webhook.test', isSigned: true }]);
});
