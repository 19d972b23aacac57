/** The example of docs/events.md runs. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { parseEnvFile } from '../../src/server/config/env-file.js';
import { codeBlocksOf } from '../support/code-blocks.js';
import { freePort } from '../support/free-port.js';
import { openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

const block = (language: string) => codeBlocksOf('docs/events.md', language)[0]!;

t.test('the receiver and the settings of docs/events.md', async (t) => {
  const port = await freePort();
  const directory = t.testdir({ 'receiver.mjs': block('js') });
  const receiver = spawn(process.execPath, [join(directory, 'receiver.mjs')], {
    env: { PORT: String(port) },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  t.teardown(() => receiver.kill());
  let printed = '';
  receiver.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const ask = (body: string) => fetch(`http://127.0.0.1:${port}`, { method: 'POST', body });
  await until(() =>
    ask('{}').then(
      ({ status }) => status === 401,
      () => false,
    ),
  );
  const given = parseEnvFile(block('sh').replaceAll('8000', String(port)), {}).values;
  const settings = Object.fromEntries([...given].map(([name, value]) => [name.replace('AUTH_', ''), value]));
  const server = await openTestServer(t, settings);
  const { status, body } = await server.post('/signup', { email: 'ann@example.com', password });
  t.equal(status, 200);
  await until(() => printed.includes('\n'));
  t.equal(printed, `user.created ${body.user.id}\n`, 'genuine, and no other event');
});
