/** The commands of docs/oauth-server.md, in their order, against `latchkey dev`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { findProgram } from '../support/client-pools.js';
import { type DevServer, startDev } from '../support/dev-server.js';
import { startExample } from '../support/example.js';
import { freePort } from '../support/free-port.js';
import { decideOnPages, signUpOnPages } from '../support/hosted-server.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { PageBrowser } from '../support/page-browser.js';
import { freshEmail } from '../support/server.js';
import { readSource, repository } from '../support/source-tree.js';
import { onlyInFull, type Test, t } from '../support/tap.js';

onlyInFull('six programs and a server for the commands of a document; what they do: openid-client, registration');

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
