/** The token that `latchkey dev` prints is accepted, whatever key signs. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { createTestDatabase } from '../support/database.js';
import { runCommand } from '../support/run-command.js';
import { call, testEnvironment } from '../support/server.js';
import { until } from '../support/until.js';

const launcher = fileURLToPath(new URL('../../../bin/latchkey.cjs', import.meta.url));

for (const [name, rotates] of [
  ['a key in the database', true],
  ['AUTH_JWT_SECRET, while there is none', false],
] as const) {
  t.test(`dev with keys in the database: its token is signed by ${name}`, async (t) => {
    const { url: databaseUrl } = await createTestDatabase(t);
    const environment = testEnvironment(databaseUrl, { JWT_KEYS_SOURCE: 'database' });
    if (rotates) {
      const made = await runCommand(['keys', 'rotate', '--wait', '0', '--kid', 'first'], environment, '/dev/null');
      t.equal(made.code, 0, made.err);
    }
    const cwd = t.testdir({});
    const env = { PATH: process.env['PATH'] ?? '', ...environment };
    const child = spawn(process.execPath, [launcher, 'dev', `--data=${cwd}`], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ended = once(child, 'exit');
    t.teardown(() => child.kill('SIGKILL'));
    let screen = '';
    child.stdout.on('data', (chunk: Buffer) => {
      screen += chunk.toString();
    });
    await until(() => screen.includes('Try it'));
    const [, port] = /API +http:\/\/localhost:(\d+)/.exec(screen) ?? [];
    const [bearer = ''] = /eyJ[\w-]+\.[\w-]+\.[\w-]+/.exec(screen) ?? [];
    const header = JSON.parse(Buffer.from(bearer.split('.')[0]!, 'base64url').toString());
    t.equal(header.kid, rotates ? 'first' : undefined);
    t.equal((await call(`http://127.0.0.1:${port}`, 'GET', '/admin/users', { bearer })).status, 200);
    child.kill('SIGTERM');
    t.same(await ended, [0, null]);
  });
}
