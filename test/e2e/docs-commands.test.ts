/** Pages whose blocks are commands: they run as they are written, beside `npm start`. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { launcher } from '../support/binary.js';
import { codeBlocksOf } from '../support/code-blocks.js';
import { startDev } from '../support/dev-server.js';
import { call, freshEmail, password } from '../support/server.js';
import { onlyInFull, t } from '../support/tap.js';
import { until } from '../support/until.js';

onlyInFull('it runs what pages show; the commands have tests of their own');

const dev = await startDev(t);
const directory = t.testdir({});
const find = (path: string, start: string) => codeBlocksOf(path, 'sh').find((block) => block.startsWith(start))!;

// As for a reader who runs them where `npm start` runs.
symlinkSync(dev.directory, join(directory, '.data'));

/** @returns what the commands of a block print; throws where one of them fails */
async function run(block: string): Promise<string> {
  const script = `latchkey() { '${process.execPath}' '${launcher}' "$@"; }\n${block}`;
  const options = { cwd: directory, env: { PATH: process.env['PATH'] } };
  return (await promisify(execFile)('bash', ['--norc', '-euo', 'pipefail', '-c', script], options)).stdout;
}

t.test('docs/console.md: an operator', async (t) => {
  t.match(await run(find('docs/console.md', 'latchkey operators')), /http:\/\/localhost:\d+\/link#/);
});

t.test('docs/build/redirects.md: what becomes of a target', async (t) => {
  const said = await run(find('docs/build/redirects.md', 'latchkey check')).catch(({ stdout }) => stdout);
  t.match(said, 'https://app.example.com/welcome');
});

t.test('docs/moving-in/from-a-file.md: people of a table', async (t) => {
  const email = freshEmail();
  writeFileSync(join(directory, 'people.csv'), `Mail,Verified,Name\n${email},true,Ann\n`);
  await run(find('docs/moving-in/from-a-file.md', 'latchkey users import'));
  const { body } = await call(dev.url, 'GET', `/admin/users?email=${email}`, { bearer: dev.adminToken });
  t.match(body.users, [{ email, email_confirmed_at: String, user_metadata: { name: 'Ann' } }]);
});

t.test('docs/run/leaked-passwords.md: a list as a file', async (t) => {
  writeFileSync(
    join(directory, 'pwnedpasswords.txt'),
    `${createHash('sha1').update('password').digest('hex').toUpperCase()}:3\n`,
  );
  const block = find('docs/run/leaked-passwords.md', 'latchkey passwords').replaceAll('/var/lib/latchkey', directory);
  t.match(await run(block), 'leaked-passwords.filter');
});

// At the end: it leaves sign-up switched off.
t.test('docs/run/stored-settings.md: set, unset, import, export, undo', async (t) => {
  writeFileSync(join(directory, 'password.txt'), 'secret\n');
  writeFileSync(join(directory, 'other.env'), 'AUTH_PAGES_NAME=Other\n');
  const block = find('docs/run/stored-settings.md', 'latchkey config set').replace('rollback 12', 'rollback 1');
  const said = await run(block);
  t.match(said, /^AUTH_PAGES_NAME=Other\nAUTH_SMTP_PASS=secret$/m, 'exported');
  t.match(said, /^1 .* closed beta\n {4}AUTH_DISABLE_SIGNUP {2}unset -> true$/m, 'the history');
  t.match(said, /\+ AUTH_DISABLE_SIGNUP {2}true\n {2}~ AUTH_PAGES_NAME {2}Acme\nStored as set 5\.\n$/, 'undone');
  const signUp = () => call(dev.url, 'POST', '/signup', { body: { email: freshEmail(), password } });
  await until(async () => (await signUp()).body.error_code === 'signup_disabled');
});
