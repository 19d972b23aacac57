/** The example of docs/hooks.md runs. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnvFile } from '../../src/server/config/env-file.js';
import { codeBlocksOf } from '../support/code-blocks.js';
import { freePort } from '../support/free-port.js';
import { openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

const page = readFileSync(new URL('../../../docs/hooks.md', import.meta.url), 'utf8');
const blocks = (language: string) => codeBlocksOf('docs/hooks.md', language);

t.test('the receiver and the settings of docs/hooks.md', async (t) => {
  const port = await freePort();
  const directory = t.testdir({ 'receiver.mjs': blocks('js')[0]! });
  const receiver: ChildProcess = spawn(process.execPath, [join(directory, 'receiver.mjs')], {
    env: { PORT: String(port) },
    stdio: 'ignore',
  });
  t.teardown(() => receiver.kill());
  const given = parseEnvFile(blocks('sh')[0]!.replaceAll('8000', String(port)), {}).values;
  const settings = Object.fromEntries([...given].map(([name, value]) => [name.replace('AUTH_', ''), value]));
  const isUp = () =>
    fetch(`http://127.0.0.1:${port}`).then(
      () => true,
      () => false,
    );
  await until(isUp);
  t.equal((await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: '{}' })).status, 401, 'unsigned');
  const server = await openTestServer(t, settings);
  const refused = await server.post('/signup', { email: 'ann@example.net', password });
  t.match(refused, { status: 403, body: { msg: 'Only addresses of example.com may sign up.' } });
  const { status, body } = await server.post('/signup', { email: 'ann@example.com', password });
  t.equal(status, 200);
  t.equal(JSON.parse(Buffer.from(body.access_token.split('.')[1], 'base64url').toString()).plan, 'gold');
});

t.test('the function of docs/hooks.md', async (t) => {
  const server = await openTestServer(t, {
    HOOK_BEFORE_USER_CREATED_ENABLED: 'true',
    HOOK_BEFORE_USER_CREATED_URI: /pg-functions:\/\/\S+(?=`)/.exec(page)![0],
  });
  await server.database.admin.query(blocks('sql')[0]!);
  t.equal((await server.post('/signup', { email: 'ann@example.net', password })).status, 403);
  t.equal((await server.post('/signup', { email: 'ann@example.com', password })).status, 200);
});
