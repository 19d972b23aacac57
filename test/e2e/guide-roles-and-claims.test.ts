/** docs/guides/roles-and-claims.md: roles in tokens by app_metadata, by a function, and by a service. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseEnvFile } from '../../src/server/config/env-file.js';
import { asAdmin } from '../support/admin.js';
import { makeRequestRoles } from '../support/app-schema.js';
import { startExample } from '../support/example.js';
import { freePort } from '../support/free-port.js';
import { actWith, readPayload } from '../support/organizations.js';
import { call, openTestServer } from '../support/server.js';
import { readSource } from '../support/source-tree.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull('it runs what a page shows; hook-custom-access-token and hooks-page have the same ways');

const page = readSource('docs/guides/roles-and-claims.md').text;
const [, commands = ''] = /^```sh\n(npm install\n.*?)^```/ms.exec(page)!;
const HOOK = 'HOOK_CUSTOM_ACCESS_TOKEN';
const URI = /^AUTH_HOOK_CUSTOM_ACCESS_TOKEN_URI=(pg-functions:\S+)$/m.exec(page)![1]!;

t.test('in app_metadata, and from a table', async (t) => {
  const settings = { DB_APP_SCHEMA: 'auth', [`${HOOK}_ENABLED`]: 'true', [`${HOOK}_URI`]: URI };
  const server = await openTestServer(t, settings, makeRequestRoles);
  const { join: signUp, refresh } = actWith(server);
  const sql = server.database.admin;
  await sql.query(readSource('examples/roles-and-claims/hook.sql').text);
  const grants = /^grant usage on schema private.*?(?=^```)/ms.exec(page)![0];
  const { username } = new URL(server.database.url);
  await sql.query(grants.replaceAll('to latchkey', `to "${username}"`));

  const user = await signUp();
  t.same(readPayload(user.access)['roles'], []);
  await sql.query(`insert into private.user_roles values ($1, 'moderator'), ($1, 'editor')`, [user.id]);
  t.same((await refresh(user))['roles'], ['editor', 'moderator']);
  await sql.query(`delete from private.user_roles where role = 'editor'`);
  t.same((await refresh(user))['roles'], ['moderator']);

  const body = /-d '(\{"app_metadata".*\})'$/m.exec(page)![1]!;
  await asAdmin(server)('PUT', `/admin/users/${user.id}`, JSON.parse(body));
  t.match(await refresh(user), { role: 'authenticated', app_metadata: { provider: 'email', roles: ['editor'] } });
  await server.call('PUT', '/user', { bearer: user.access, body: { data: { a: 1 }, app_metadata: { roles: [] } } });
  t.match(await refresh(user), { app_metadata: { roles: ['editor'] } }, 'users do not write it');
});

t.test('from a service', async (t) => {
  const directory = t.testdir({});
  const [ROLES_FILE, PORT] = [join(directory, 'roles.json'), String(await freePort())];
  const prepare = commands.replace(/^npm install$/m, '').replace(/^node hook.js$/m, 'echo $HOOK_SECRET');
  const options = { cwd: directory, env: { PATH: process.env['PATH'] } };
  const { stdout } = await promisify(execFile)('sh', ['-ec', prepare.replaceAll('4400', PORT)], options);
  t.same(Object.keys(JSON.parse(readFileSync(ROLES_FILE, 'utf8'))), ['<id of a user>']);
  const variables = { HOOK_SECRET: stdout.trim(), ROLES_FILE, PORT };
  const hook = startExample(t, 'node examples/roles-and-claims/hook.js', variables);
  const url = await hook.line(/Hook at (\S+)/);
  const { values } = parseEnvFile(readFileSync(join(directory, 'latchkey.env'), 'utf8'), {});
  const settings = Object.fromEntries([...values].map(([name, value]) => [name.replace('AUTH_', ''), value]));
  const { join: signUp, refresh } = actWith(await openTestServer(t, settings));
  const user = await signUp();
  t.same(readPayload(user.access)['roles'], []);
  writeFileSync(ROLES_FILE, JSON.stringify({ [user.id]: ['editor'] }));
  t.match(await refresh(user), { sub: user.id, roles: ['editor'] });
  const forged = { user_id: user.id, claims: { roles: ['moderator'] } };
  t.equal((await call(url, 'POST', '/', { body: forged })).status, 401, 'unsigned');
});
