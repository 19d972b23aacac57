/** Pages whose blocks are requests: they are sent as they are written, to `npm start`, with what a reader has in the variables. */
import { execFile } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { AuthClient } from '@supabase/auth-js';
import { exportJWK, generateKeyPair } from 'jose';
import * as openid from 'openid-client';
import { launcher } from '../support/binary.js';
import { findProgram } from '../support/client-pools.js';
import { codeBlocksOf } from '../support/code-blocks.js';
import { startDev } from '../support/dev-server.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { readPayload } from '../support/organizations.js';
import { call, freshEmail, openTestServer, password } from '../support/server.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull('it runs what pages show; the endpoints have tests of their own');

const PLACES = /https?:\/\/(?:localhost:8081|auth\.example\.com)|(?<![\w/])localhost:8081/g;
if ((await findProgram('curl', '--version')) === null) skipHere(t, missingProgram('curl', 'curl'));
else await run();

async function run(): Promise<void> {
  const dev = await startDev(t);
  const directory = t.testdir({});
  const sh = (path: string) => codeBlocksOf(path, 'sh').map((block) => block.replace(PLACES, dev.url));

  /** Runs blocks one after the other in one shell. @returns what they printed, an object of JSON for each that was sent */
  async function send(blocks: readonly string[], variables: Readonly<Record<string, string>> = {}) {
    const fill = { API: dev.url, URL: dev.url, AUTH: dev.url, ADMIN_TOKEN: dev.adminToken };
    const env = { PATH: process.env['PATH'], ...fill, ...variables };
    // Answers of curl end without a line break.
    const script = `curl() { command curl -sS --fail-with-body "$@" && echo; }\n${blocks.join('')}`;
    const { stdout } = await promisify(execFile)('bash', ['--norc', '-euo', 'pipefail', '-c', script], {
      cwd: directory,
      env,
    });
    const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
    return lines.map((line) => JSON.parse(line));
  }

  async function signUp() {
    const email = freshEmail();
    const { body } = await call(dev.url, 'POST', '/signup', { body: { email, password } });
    return { email, id: body.user.id as string, TOKEN: body.access_token as string };
  }

  t.test('docs/start.md: sign up, read the account, and sign in with the client', async (t) => {
    const requests = sh('docs/start.md').find((block) => block.includes('curl')) ?? '';
    const [account] = await send([requests]);
    t.match(account, { email: 'ann@example.com', aud: 'authenticated' });
    const [script = ''] = codeBlocksOf('docs/start.md', 'js');
    const body = script.replace(/^import .*$/m, '').replace(PLACES, dev.url);
    const AsyncFunction = (async () => undefined).constructor as FunctionConstructor;
    const signedIn = await AsyncFunction('AuthClient', `${body}; return { data, error };`)(AuthClient);
    t.match(signedIn, { error: null, data: { user: { id: account.id } } });
  });

  t.test('docs/organizations.md and its clients: a secret, and a key', async (t) => {
    if ((await findProgram('openssl', 'version')) === null) return skipHere(t, missingProgram('openssl', 'openssl'));
    const { TOKEN } = await signUp();
    const [acme, role] = await send(sh('docs/organizations.md'), { TOKEN });
    t.match(acme, { name: 'Acme Ltd' });
    t.match(role, { name: 'editor', permissions: ['documents:write'] });

    const [addClient, ask, addKeyClient, askWithKey] = sh('docs/organizations/clients.md') as [
      string,
      string,
      string,
      string,
    ];
    const variables = { TOKEN, ORG: acme.id };
    const [client] = await send([addClient], variables);
    const { client_id: CLIENT_ID, client_secret: CLIENT_SECRET } = client;
    const [token] = await send([ask], { CLIENT_ID, CLIENT_SECRET });
    const claims = readPayload(token.access_token);
    const [shown = '{}'] = codeBlocksOf('docs/organizations/clients.md', 'json');
    const { org_roles, org_permissions, role: shownRole, ...others } = JSON.parse(shown);
    t.match(claims, {
      org_roles,
      org_permissions,
      role: shownRole,
      sub: CLIENT_ID,
      client_id: CLIENT_ID,
      org_id: acme.id,
    });
    for (const name of Object.keys(others)) t.ok(name in claims, name);

    const [keyClient] = await send([addKeyClient], variables);
    t.notOk('client_secret' in keyClient);
    const [signed] = await send([askWithKey], { CLIENT_ID: keyClient.client_id, ISSUER: dev.url });
    t.match(readPayload(signed.access_token), { client_id: keyClient.client_id, org_id: acme.id, org_roles });
  });

  t.test('docs/scim.md: a token, a person, and the end of the access', async (t) => {
    const { TOKEN } = await signUp();
    const founded = await call(dev.url, 'POST', '/organizations', { bearer: TOKEN, body: { name: 'Company' } });
    const [makeToken, provision = ''] = sh('docs/scim.md') as [string, string];
    const provider = await call(dev.url, 'PUT', '/admin/sso/providers/resource_latchkey-dev', {
      bearer: dev.adminToken,
      body: { organization_id: founded.body.id },
    });
    t.equal(provider.status, 200, JSON.stringify(provider.body));
    const [made] = await send([makeToken], { TOKEN, ID: founded.body.id });
    const [create, patch] = provision.replace('lks_…', made.token).split(/(?=^curl -X PATCH)/m) as [string, string];
    const [ada] = await send([create]);
    t.match(ada, { userName: 'ada@company.example', active: true });
    const [places = ''] = create.split('\n');
    const [ended] = await send([`${places}\n`, patch], { ID: ada.id });
    t.match(ended, { id: ada.id, active: false });
  });

  t.test('what administrators change of an account', async (t) => {
    if ((await findProgram('jq', '--version')) === null) return skipHere(t, missingProgram('jq', 'jq'));
    const { id, email } = await signUp();
    const [confirm = ''] = sh('docs/providers/first-proof.md');
    const [confirmed] = await send([confirm], { ID: id, TOKEN: dev.adminToken });
    t.match(confirmed, { id, email_confirmed_at: String });
    // Each with the block before it, which sets the variables, where `npm start` runs.
    symlinkSync(dev.directory, join(directory, '.data'));
    const change = async (path: string) => {
      const blocks = sh(path);
      const at = blocks.findIndex((block) => block.startsWith('curl -X PUT'));
      const variables = blocks[at - 1]!.replace('bin/latchkey.cjs', launcher).replace('ann@example.com', email);
      return (await send([variables, blocks[at]!], { API: '', ADMIN_TOKEN: '' }))[0];
    };
    const editor = await change('docs/guides/roles-and-claims.md');
    const secured = await change('docs/guides/second-factors-for-some.md');
    t.match(editor, { id, app_metadata: { roles: ['editor'] } });
    t.match(secured, { id, app_metadata: { roles: ['editor'], mfa_required: true } });
    const signedIn = await call(dev.url, 'POST', '/token?grant_type=password', { body: { email, password } });
    t.match(readPayload(signedIn.body.access_token), { role: 'mfa_pending', app_metadata: { roles: ['editor'] } });
  });

  t.test('docs/providers/in-the-database.md: a provider is added, as far as it can be reached', async (t) => {
    const [add = ''] = sh('docs/providers/in-the-database.md');
    const refusal = await send([add]).catch((error: { stdout: string }) => error.stdout);
    t.match(refusal, /"error_code":"validation_failed","msg":"issuer names a host that cannot be resolved"/);
  });

  t.test('docs/sso: a certificate as a file, new metadata, and an account that belongs to a company', async (t) => {
    if ((await findProgram('jq', '--version')) === null) return skipHere(t, missingProgram('jq', 'jq'));
    if ((await findProgram('openssl', 'version')) === null) return skipHere(t, missingProgram('openssl', 'openssl'));
    const [certificate, metadata] = sh('docs/sso/keys.md') as [string, string];
    await send([certificate]);
    t.match(readFileSync(join(directory, 'latchkey.pem'), 'utf8'), /^-----BEGIN CERTIFICATE-----/);

    const path = '/admin/sso/providers/resource_latchkey-dev';
    const { id, saml } = (await call(dev.url, 'GET', path, { bearer: dev.adminToken })).body;
    writeFileSync(join(directory, 'metadata.xml'), saml.metadata_xml);
    const [changed] = await send([metadata], { ID: id, SERVICE_ROLE: dev.adminToken });
    t.match(changed, { id, saml: { entity_id: saml.entity_id } });

    const person = await signUp();
    const [linkAccount = ''] = sh('docs/sso/accounts.md');
    const fields = linkAccount.replace('"…"', `"${id}"`);
    const [linked] = await send([fields], { USER_ID: person.id, SERVICE_ROLE: dev.adminToken });
    t.match(JSON.stringify(linked), 'the id of the person at the provider');
  });

  t.test('docs/oauth/client-keys.md: a client with a key, by openid-client', async (t) => {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const { body } = await call(dev.url, 'POST', '/admin/oauth/clients', {
      bearer: dev.adminToken,
      body: {
        client_name: 'Nightly report',
        grant_types: ['client_credentials'],
        token_endpoint_auth_method: 'private_key_jwt',
        jwks: { keys: [await exportJWK(publicKey)] },
      },
    });
    const [script = ''] = codeBlocksOf('docs/oauth/client-keys.md', 'js');
    // The page is about https.
    const discovery = (...[server, id, metadata, authentication]: Parameters<typeof openid.discovery>) =>
      openid.discovery(server, id, metadata, authentication, { execute: [openid.allowInsecureRequests] });
    const AsyncFunction = (async () => undefined).constructor as FunctionConstructor;
    const ask = AsyncFunction('oidc', 'issuer', 'clientId', 'privateKey', `${script}; return tokens;`);
    const tokens = await ask({ ...openid, discovery }, new URL(dev.url), body.client_id, privateKey);
    t.match(readPayload(tokens.access_token), { client_id: body.client_id });
  });
}

t.test('docs/build/metadata.md: the statement finds long metadata', async (t) => {
  const server = await openTestServer(t);
  const [query = ''] = codeBlocksOf('docs/build/metadata.md', 'sql');
  const ask = async () => (await server.database.admin.query(query)).rows;
  const { body } = await server.post('/signup', { email: freshEmail(), password });
  t.same(await ask(), []);
  const data = { text: 'x'.repeat(8_000) };
  const changed = await server.call('PUT', '/user', { bearer: body.access_token, body: { data } });
  t.equal(changed.status, 200);
  t.match(await ask(), [{ id: body.user.id, app_bytes: Number }]);
});
