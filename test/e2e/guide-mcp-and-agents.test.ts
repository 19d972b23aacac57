/** docs/guides/mcp-and-agents.md: an agent without a user, by the commands of the page. test/e2e/examples.test.ts has the client of a user. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findProgram } from '../support/client-pools.js';
import { startDev } from '../support/dev-server.js';
import { startExample } from '../support/example.js';
import { freePort } from '../support/free-port.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { call } from '../support/server.js';
import { readSource, repository } from '../support/source-tree.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull('it runs what a page shows; mcp and client-credentials test what it rests on');

const run = promisify(execFile);
const page = readSource('docs/guides/mcp-and-agents.md').text;
const [, commands] = /^```sh\n(json\(\).*?)^```/ms.exec(page)!;
const [, scopes] = /^AUTH_OAUTH_SERVER_SCOPES='([^']+)' npm start$/m.exec(page)!;
const [, serve] = /^(SCOPE=\S+ node \S+)$/m.exec(page)!;

t.test('an agent without a user', async (t) => {
  if ((await findProgram('curl', '--version')) === null) return skipHere(t, missingProgram('curl', 'curl'));
  const dev = await startDev(t, { AUTH_OAUTH_SERVER_SCOPES: scopes! });
  const server = startExample(t, serve!, { ISSUER: dev.url, PORT: String(await freePort()) });
  const address = await server.line(/MCP server at (\S+)/);
  const script = commands!
    .replaceAll('http://localhost:8081', dev.url)
    .replaceAll('client.json', `${t.testdir({})}/client.json`)
    .concat('echo $CLIENT_ID');
  const { stdout } = await run('sh', ['-ec', script], {
    cwd: repository,
    env: { PATH: process.env['PATH'], ADMIN_TOKEN: dev.adminToken, ISSUER: dev.url, SERVER: address },
  });
  const [said, id] = stdout.trim().split('\n');
  t.match(id, /^[0-9a-f-]{36}$/);
  t.equal(said, `You are ${id}.`);
  const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
  const refused = await call(address, 'POST', '', { bearer: dev.adminToken, headers, body: {} });
  t.equal(refused.status, 401, 'a token for another audience');
});
