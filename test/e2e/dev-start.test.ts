/** What `npm start` fills in follows the port in use, and its first page leads to everything. */
import { createServer } from 'node:net';
import { createTestDatabase } from '../support/database.js';
import { type DevServer, startDev } from '../support/dev-server.js';
import { freePort, freePorts } from '../support/free-port.js';
import { runBinary } from '../support/process.js';
import { call, freshEmail, password } from '../support/server.js';
import { onlyInFull, type Test, t } from '../support/tap.js';
import { until } from '../support/until.js';

onlyInFull('four servers of latchkey dev, each with another port; npm start as it is: dev-defaults');

/** Everything that has an address has that of the server. */
async function assertOneAddress(t: Test, { url, adminToken, consoleLink }: DevServer): Promise<void> {
  const discovery = await call(url, 'GET', '/.well-known/openid-configuration');
  t.match(discovery.body, { issuer: url, authorization_endpoint: `${url}/oauth/authorize` });
  t.equal((await fetch(`${url}/.well-known/openid-configuration`)).status, 200);

  const body = { type: 'magiclink', email: freshEmail() };
  const link = await call(url, 'POST', '/admin/generate_link', { bearer: adminToken, body });
  t.ok(link.body.action_link.startsWith(`${url}/verify?`), link.body.action_link);
  const to = freshEmail();
  await call(url, 'POST', '/otp', { body: { email: to } });
  const readMails = async () => (await call(url, 'GET', `/dev/mailbox/messages.json?to=${to}`)).body.messages;
  await until(async () => (await readMails()).length > 0);
  const [mail] = await readMails();
  t.ok(mail.links[0].startsWith(`${url}/`), mail.links[0]);

  const [, claims] = (
    await call(url, 'POST', '/signup', { body: { email: freshEmail(), password } })
  ).body.access_token.split('.');
  t.match(JSON.parse(Buffer.from(claims, 'base64url').toString()), { iss: url, aud: 'authenticated' });

  const config = await call(url, 'GET', '/admin/config', { bearer: adminToken });
  const values = JSON.stringify(config.body);
  t.ok(values.includes(`"http://localhost:3000","${url}"`));
  t.equal((await fetch(new URL('/', consoleLink))).status, 200, 'the console is there');
  const mailbox = await (await fetch(`${url}/dev/mailbox`)).text();
  t.notOk(mailbox.includes('8081'));
}

t.test('with PORT: issuer, mails, passkeys, console and start screen have the port in use', async (t) => {
  const { url: DATABASE_URL } = await createTestDatabase(t);
  const port = await freePorts();
  const unset = { AUTH_API_PORT: '', AUTH_CONSOLE_PORT: '' };
  const server = await startDev(t, { DATABASE_URL, PORT: String(port), ...unset });
  t.equal(server.url, `http://localhost:${port}`);
  t.equal(new URL(server.consoleLink).port, String(port + 1));
  await assertOneAddress(t, server);
});

t.test('with PORT=0: the same, at a port that is free; SAML that is off stays off', async (t) => {
  const { url: DATABASE_URL } = await createTestDatabase(t);
  const variables = { AUTH_API_PORT: '', PORT: '0', AUTH_CONSOLE_PORT: String(await freePort()) };
  const server = await startDev(t, { DATABASE_URL, AUTH_SAML_ENABLED: 'false', ...variables }, ['--company']);
  await assertOneAddress(t, server);
  t.notMatch(server.screen, 'identity-provider');
  t.equal((await fetch(`${server.url}/dev/identity-provider`)).status, 404);
});

t.test(
  'with AUTH_API_PORT: the same, and a console port that is taken is passed over; a taken port of the API is said before a database starts',
  async (t) => {
    const free = await freePorts();
    const taken = createServer();
    await new Promise<void>((resolve) => void taken.listen(free + 1, '127.0.0.1', resolve));
    t.teardown(() => taken.close());
    const { url: DATABASE_URL } = await createTestDatabase(t);
    const unset = { AUTH_CONSOLE_PORT: '' };
    const server = await startDev(t, { DATABASE_URL, AUTH_API_PORT: String(free), ...unset });
    const { url, consoleLink } = server;
    t.equal(url, `http://localhost:${free}`);
    t.equal(new URL(consoleLink).port, String(free + 2), consoleLink);
    await assertOneAddress(t, server);

    await t.test('GET / leads to all that runs here, by links that work', async (t) => {
      const answer = await fetch(url);
      t.equal(answer.status, 200);
      const policy = answer.headers.get('content-security-policy')!;
      t.match(policy, /^default-src 'none'; style-src 'nonce-[^']{20,}'; img-src data:; .*frame-ancestors 'none'$/);
      const page = await answer.text();
      t.notMatch(page, /<script| style=|<link rel="stylesheet"|@import|url\(/);
      t.notOk(page.includes(new URL(consoleLink).hash.slice(1)), 'the link that signs in is in the terminal alone');
      const links = [...page.matchAll(/<a href="([^"]+)"/g)].map(([, href]) => href!);
      for (const wanted of ['ui/sign-in', 'dev/mailbox', 'openapi.json', 'docs/']) t.ok(links.includes(wanted), wanted);
      t.match(server.screen, `${url}/docs/`);
      t.ok(links.includes(new URL(consoleLink).origin));
      t.notOk(links.includes('dev/identity-provider'));
      const { body } = await call(url, 'GET', '/admin/sso/providers', { bearer: server.adminToken });
      t.same(body, { items: [] }, 'nothing is added to a database of others unasked');
      t.equal((await fetch(`${url}/dev/identity-provider`)).status, 404);
      // The first visit of the documentation builds it: test/e2e/site.test.ts.
      for (const link of links.filter((link) => link !== 'docs/'))
        t.equal((await fetch(new URL(link, url))).status, 200, link);
    });

    const refused = await runBinary(t, ['dev', `--data=${t.testdir({})}`], { AUTH_API_PORT: String(free + 1) });
    t.match(refused, { code: 1, stderr: new RegExp(`port ${free + 1}: it is taken.*set AUTH_API_HOST and PORT`, 's') });
    t.notMatch(refused.stdout, /Postgres|schema/);
  },
);
