/** examples/postgres-stack: what can be run here of it is run, the rest is read. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { allSettings, namesOf } from '../../src/server/config/settings.js';
import { makeRequestRoles } from '../support/app-schema.js';
import { createTestDatabase } from '../support/database.js';
import { runCommand } from '../support/run-command.js';
import { testEnvironment } from '../support/server.js';
import { readSource, repository } from '../support/source-tree.js';
import { t } from '../support/tap.js';

const read = (file: string): string => readSource(`examples/postgres-stack/${file}`).text;

t.test('the compose file agrees with itself and with the settings', async (t) => {
  const text = read('compose.yaml');
  const { services, volumes } = parse(text);
  t.same(Object.keys(services), ['gateway', 'auth', 'rest', 'storage', 'db']);
  const names = new Set(allSettings.flatMap(({ setting }) => namesOf(setting)));
  for (const name of Object.keys(services.auth.environment)) t.ok(names.has(name), name);
  for (const { setting } of allSettings.filter(({ setting }) => setting.required)) {
    t.ok(
      namesOf(setting).some((name) => name in services.auth.environment),
      setting.variable,
    );
  }
  t.match(services.auth.environment, { AUTH_DB_APP_SCHEMA: 'auth' });
  const [, upstream] = /\/auth\/v1\/\* \{\s+reverse_proxy auth:(\d+)/.exec(read('Caddyfile'))!;
  t.equal(services.auth.environment.GOTRUE_API_PORT, upstream);
  const guide = read('README.md');
  for (const [, name] of text.matchAll(/\$\{([A-Z_]+):\?/g)) t.ok(guide.includes(`${name}=`), `the guide sets ${name}`);
  for (const service of Object.values<{ image: string; volumes?: string[]; depends_on?: object }>(services)) {
    if (service.image !== 'latchkey') t.match(service.image, /:v?\d+[\w.-]*$/);
    for (const volume of service.volumes ?? []) {
      const [from = ''] = volume.split(':');
      t.ok(
        from.startsWith('./') ? existsSync(join(repository, 'examples/postgres-stack', from)) : from in volumes,
        volume,
      );
    }
    const others = Array.isArray(service.depends_on) ? service.depends_on : Object.keys(service.depends_on ?? {});
    for (const other of others) t.ok(other in services, other);
  }
});

t.test('the roles are enough, and what Latchkey keeps is not shown', async (t) => {
  const { admin, url } = await createTestDatabase(t, { isEmpty: true });
  // Roles are of the whole server, where other tests make some of these names.
  const suffix = randomBytes(4).toString('hex');
  const names = ['anon', 'authenticated', 'service_role', 'authenticator', 'latchkey', 'storage_admin'];
  const { password, pathname } = new URL(url);
  const sql = read('roles.sql')
    .replaceAll(new RegExp(`\\b(${names.join('|')})\\b`, 'g'), `$1_${suffix}`)
    .replaceAll('on database postgres', `on database ${pathname.slice(1)}`)
    .replaceAll(":'password'", `'${decodeURIComponent(password)}'`)
    .replaceAll('role postgres', `role "${decodeURIComponent(new URL(url).username)}"`);
  await admin.query(sql);
  t.teardown(async () => {
    for (const name of names) await admin.query(`drop owned by ${name}_${suffix} cascade; drop role ${name}_${suffix}`);
  });
  const own = new URL(url);
  own.username = `latchkey_${suffix}`;
  const empty = `${t.testdir({ 'empty.env': '' })}/empty.env`;
  const environment = testEnvironment(own.href, { DB_APP_SCHEMA: 'auth' });
  t.match(await runCommand(['migrate'], environment, empty), { code: 0 });
  t.match(await runCommand(['check', 'app-schema'], environment, empty), { code: 0 });
  const { rows } = await admin.query(
    `select schemaname as name, count(*)::int from pg_tables where tableowner = $1 group by 1 order by 1`,
    [`latchkey_${suffix}`],
  );
  t.same(
    rows.map(({ name }) => name),
    ['auth', `latchkey_${suffix}`],
  );
});

t.test('tables of ours that requests could read are a problem', async (t) => {
  const { admin, url } = await createTestDatabase(t);
  await makeRequestRoles(url);
  const empty = `${t.testdir({ 'empty.env': '' })}/empty.env`;
  const run = (...args: string[]) => runCommand(args, testEnvironment(url, { DB_APP_SCHEMA: 'auth' }), empty);
  t.match(await run('check', 'app-schema'), { code: 1, err: /does not mirror the accounts yet/ });
  t.match(await run('migrate'), { code: 0 });
  t.match(await run('check', 'app-schema'), { code: 0, out: /The schema is well/ });
  await admin.query('grant select on users to public');
  t.match(await run('check', 'app-schema'), { code: 1, out: /may read Latchkey's own tables/ });
});
