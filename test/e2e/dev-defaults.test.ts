/**
 * What `npm start` has without a setting: second factors, passkeys, keys in its own database, webhooks to the same machine; and the
 * commands of docs/oauth-server.md, in their order.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { decodeProtectedHeader } from 'jose';
import { Authenticator } from '../support/authenticator.js';
import { findProgram } from '../support/client-pools.js';
import { ConsoleBrowser } from '../support/console-browser.js';
import { type DevServer, startDev } from '../support/dev-server.js';
import { startExample } from '../support/example.js';
import { freePort } from '../support/free-port.js';
import { decideOnPages, signUpOnPages } from '../support/hosted-server.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { PageBrowser } from '../support/page-browser.js';
import { ownLaunch, runBinary } from '../support/process.js';
import { call, freshEmail, password } from '../support/server.js';
import { readSource, repository } from '../support/source-tree.js';
import { type Test, t } from '../support/tap.js';
import { until } from '../support/until.js';
import { startWebhookReceiver } from '../support/webhook-receiver.js';

const page = readSource('docs/oauth-server.md').text;
const blocks = [...page.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block]) => block!);
const [start, relyingParty, addClient, discovery, mcpServer, mcpClient] = blocks as [string, ...string[]];

/** Signs up by the relying party, without scripts. */
async function signInAt(address: string, issuer: string) {
  const party = new PageBrowser(address);
  await party.open('/sign-in');
  const pages = new PageBrowser(issuer);
  await pages.open(party.url);
  const email = freshEmail();
  await signUpOnPages(pages, email);
  const heading = pages.title;
  await party.open((await decideOnPages(pages)).href);
  return { heading, title: party.title, email };
}

/** A shell in which `node` starts in the repository, as the page says, with its own ports. */
async function runBlock(t: Test, block: string, { url, adminToken }: DevServer, port: string): Promise<string> {
  const ready = block.replaceAll('http://localhost:8081', url).replaceAll('localhost:4000', `localhost:${port}`);
  const folder = join(repository, 'examples');
  const shell = spawn('sh', ['-ec', ready.replaceAll('node examples', `exec node ${folder}`)], {
    cwd: t.testdir({}),
    env: { PATH: process.env['PATH'], ADMIN_TOKEN: adminToken, ISSUER: url, PORT: port },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (!block.includes('server.js')) return readText(shell.stdout);
  t.teardown(async () => {
    const ended = once(shell, 'exit');
    if (shell.kill('SIGKILL')) await ended;
  });
  for await (const chunk of shell.stdout) {
    const [, address] = /Open (\S+)/.exec(String(chunk)) ?? [];
    if (address !== undefined) return address;
  }
  throw new Error('The relying party did not start');
}

const server = await startDev(t);
const { url, adminToken, consoleLink } = server;
const post = (path: string, body: object, bearer?: string) => call(url, 'POST', path, { body, bearer });

t.test('the commands of docs/oauth-server.md', async (t) => {
  if ((await findProgram('curl', '--version')) === null) return skipHere(t, missingProgram('curl', 'curl'));
  t.equal(blocks.length, 6, 'every command of the page is run here');
  t.equal(start, 'npm start\n');

  await t.test('a relying party that registers itself', async (t) => {
    const example = startExample(t, relyingParty!.trim(), { ISSUER: server.url, PORT: String(await freePort()) });
    const { heading, title, email } = await signInAt(await example.line(/Open (\S+)/), server.url);
    t.equal(heading, 'Allow Example shop to access your account?');
    t.equal(title, `Hello ${email}`);
  });

  await t.test('a relying party that an administrator has added', async (t) => {
    const address = await runBlock(t, addClient!, server, String(await freePort()));
    const { heading, title, email } = await signInAt(address, server.url);
    t.equal(heading, 'Allow My shop to access your account?');
    t.equal(title, `Hello ${email}`);
  });

  await t.test('discovery', async (t) => {
    const document = JSON.parse(await runBlock(t, discovery!, server, '0'));
    t.match(document, { issuer: server.url, id_token_signing_alg_values_supported: ['ES256'] });
  });

  await t.test('an MCP server and its client', async (t) => {
    const mcp = startExample(t, mcpServer!.trim(), { ISSUER: server.url, PORT: String(await freePort()) });
    const client = startExample(t, mcpClient!.trim(), { SERVER: await mcp.line(/MCP server at (\S+)/) });
    const pages = new PageBrowser(server.url);
    const email = freshEmail();
    await signUpOnPages(await pages.open(await client.line(/Open (\S+)/)), email);
    t.equal((await fetch(await decideOnPages(pages))).status, 200);
    t.equal(await client.line(/You are (\S+)\./), email);
  });
});

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

t.test('commands in another shell reach its database', async (t) => {
  const cwd = t.testdir({ '.data': t.fixture('symlink', server.directory) });
  const run = (...args: string[]) => runBinary(t, args, { PATH: process.env['PATH']! }, { ...ownLaunch, cwd });
  const set = await run('config', 'set', 'AUTH_DISABLE_SIGNUP=true', 'AUTH_SMTP_PASS=hidden');
  t.match(set, { code: 0, stdout: /\+ AUTH_DISABLE_SIGNUP {2}true\n[\s\S]*Stored as set/ });
  t.match(set.stderr, /^With the settings of the latchkey dev that runs with its data in .*\.data\.\n$/);
  const isOff = async () => (await call(url, 'GET', '/settings')).body.disable_signup;
  await until(isOff);
  t.match(await run('config', 'diff', '--check'), { code: 0, stdout: /Nothing differs/ }, 'the same secrets open it');
  t.match(await run('config', 'show', `--data=${server.directory}`), { code: 0, stdout: /AUTH_SMTP_PASS/ });
  t.match(await run('keys', 'list'), { code: 0, stdout: /ES256/ });
  t.match(await run('config', 'rollback', '0', `--data=${server.directory}`), { code: 0 });
  await until(async () => !(await isOff()));
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
