/** check provider: the certificate and the clock of the provider's server, and providers in the database. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { asAdmin } from '../support/admin.js';
import { makeCertificate } from '../support/certificate.js';
import { openTestConsole } from '../support/console.js';
import { credentialsOf, openFakeProviders } from '../support/fake-providers/index.js';
import { runCommand } from '../support/run-command.js';
import { testEnvironment } from '../support/server.js';
import { providerSettings } from '../support/sign-in.js';
import { startStubServer } from '../support/stub-server.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

const launcher = fileURLToPath(new URL('../../../bin/latchkey.cjs', import.meta.url));
const file = `${t.testdir({ 'empty.env': '' })}/empty.env`;
const NOWHERE = 'postgres://127.0.0.1:1/latchkey';
const refusedCode = { status: 400, body: { error: 'bad_verification_code' } };

t.test('clocks that agree, that are some way off, and so far that ID tokens are refused', async (t) => {
  const server = await startStubServer(t);
  const settings = testEnvironment(NOWHERE, {});
  const environment = { ...settings, ...providerSettings('github', server.url) };
  const check = () => runCommand(['check', 'provider', 'github'], environment, file);
  server.answers.set('/login/oauth/authorize', { body: 'a page' });
  const dated = (seconds: number) => {
    const headers = { date: new Date(Date.now() + seconds * 1000).toUTCString() };
    server.answers.set('/login/oauth/access_token', { ...refusedCode, headers });
  };
  dated(0);
  t.match(await check(), { code: 0, out: /fine {3}The clock of 127\.0\.0\.1:\d+ agrees/ });
  dated(60);
  t.match(await check(), { code: 0, out: /hint {3}The clock of .* is (59|60|61) s ahead of/ });
  dated(-900);
  t.match(await check(), { code: 1, out: /wrong {2}The clock of .* is (899|900|901) s behind .*expired/ });
});

t.test('a certificate that ends soon, and one that is not trusted', async (t) => {
  const { key, cert } = makeCertificate('127.0.0.1');
  const authority = `${t.testdir({})}/ca.pem`;
  writeFileSync(authority, cert);
  const server = createServer({ key, cert }, (request, response) => {
    request.resume();
    response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(refusedCode.body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const check = (more: Record<string, string>): Promise<string> =>
    new Promise((resolve) => {
      const environment = { ...testEnvironment(NOWHERE, {}), ...providerSettings('github', url), ...more };
      const args = [launcher, 'check', 'provider', 'github', '-c', file];
      execFile(process.execPath, args, { env: { PATH: process.env['PATH'], ...environment } }, (_error, out) =>
        resolve(out),
      );
    });
  t.match(
    await check({ NODE_EXTRA_CA_CERTS: authority }),
    /hint {3}The certificate of 127\.0\.0\.1:\d+ is trusted, and valid for 0 more days\. Whoever runs it should renew/,
  );
  const untrusted = await check({});
  t.match(untrusted, /wrong .* cannot be reached: .*\((DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN)\)/);
  t.notMatch(untrusted, /is trusted/);
});

t.test('a provider of the database: on the command line and from the console; a wrong secret shows', async (t) => {
  const providers = await openFakeProviders(t);
  const settings = { OUTBOUND_PRIVATE_HOSTS: '127.0.0.1' };
  const console = await openTestConsole(t, settings);
  const admin = asAdmin(console);
  const { id: client_id, secret: client_secret } = credentialsOf('google');
  const names = { provider_type: 'oidc', identifier: 'custom:acme', name: 'Acme', client_id };
  const issuer = providers.issuerOf('google');
  t.equal((await admin('POST', '/admin/custom-providers', { ...names, client_secret, issuer })).status, 201);
  const environment = testEnvironment(console.database.url, settings);
  const { code, out } = await runCommand(['check', 'provider', 'custom:acme'], environment, file);
  t.equal(code, 0, out);
  t.match(out, /fine {3}The provider signs with 1 key/);
  t.match(out, /"invalid_grant", as it should/);
  t.match(out, /hint {3}Register this at the provider, letter by letter: http:\/\/localhost:9999\/callback/);

  const operator = await console.signIn('admin');
  const { body } = await operator.get('/api/checks');
  const offered = body.checks.find(({ name }: { name: string }) => name === 'provider');
  t.same(offered.choices, ['custom:acme']);
  const wrong = { client_secret: 'not-the-secret-of-acme' };
  t.equal((await admin('PUT', '/admin/custom-providers/custom:acme', wrong)).status, 200);
  t.equal((await operator.post('/api/checks/provider', { argument: 'custom:acme' })).status, 202);
  let run = { state: 'running', output: '' };
  await until(async () => {
    ({ run } = (await operator.get('/api/checks/provider?argument=custom:acme')).body);
    return run.state !== 'running';
  });
  t.equal(run.state, 'failed');
  t.match(run.output, /"invalid_client": it does not know client_id, or client_secret is not its secret/);
  t.notMatch(run.output, /not-the-secret-of-acme/);

  t.match(await runCommand(['check', 'provider', 'custom:nobody'], environment, file), {
    code: 2,
    err: /which provider/,
  });
  const own = {
    AUTH_EXTERNAL_CUSTOM_ACME_ISSUER: issuer,
    AUTH_EXTERNAL_CUSTOM_ACME_CLIENT_ID: client_id,
    AUTH_EXTERNAL_CUSTOM_ACME_SECRET: client_secret,
  };
  t.match(
    await runCommand(['check', 'provider', 'custom:acme'], { ...environment, ...own }, file),
    { code: 1, out: /client_secret is not its secret/ },
    'that of the database counts, as in a sign-in',
  );
  t.match(await runCommand(['check', 'provider', 'custom:acme'], { ...testEnvironment(NOWHERE, {}), ...own }, file), {
    code: 0,
    err: /The database has not been asked/,
  });
});
