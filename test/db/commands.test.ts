import { explainFailure } from '../../src/db/diagnose.js';
import { migrate } from '../../src/db/migrate.js';
import { runCommandLine } from '../../src/server/commands/dispatch.js';
import { countGrantedConnections, createTestDatabase } from '../support/database.js';
import { withAdmin } from '../support/postgres.js';
import { t } from '../support/tap.js';

interface Outcome {
  code: number;
  out: string;
  err: string;
}

async function run(words: string[], url: string, more: Record<string, string> = {}): Promise<Outcome> {
  const outcome = { code: -1, out: '', err: '' };
  const environment = {
    AUTH_SITE_URL: 'https://app.example.com',
    AUTH_API_EXTERNAL_URL: 'https://auth.example.com',
    AUTH_DB_DRIVER: 'postgres',
    AUTH_JWT_SECRET: 'a secret of more than thirty-two bytes',
    DATABASE_URL: url,
    ...more,
  };
  outcome.code = await runCommandLine(words, {
    environment,
    out: (text) => {
      outcome.out += text;
    },
    err: (text) => {
      outcome.err += text;
    },
  });
  return outcome;
}

t.test('migrate prints what it applied, and check db agrees', async (t) => {
  const { url, admin } = await createTestDatabase(t, { isEmpty: true });
  const grants = await countGrantedConnections(admin);
  const namespace = { AUTH_DB_NAMESPACE: 'auth' };
  const before = await run(['check', 'db'], url, namespace);
  t.equal(before.code, 0);
  t.match(before.out, /^schema +version 0; the next start, or latchkey migrate, applies 00001_initial\.sql/m);
  const first = await run(['migrate'], url, namespace);
  t.equal(first.code, 0);
  t.match(first.out, /^applied 00001_initial\.sql\n/);
  t.match(first.out, /The schema is at version \d+\.\n$/);
  const second = await run(['migrate'], url, namespace);
  t.match(second.out, /^The schema is at version \d+, nothing to do\.\n$/);
  const after = await run(['check', 'db'], url, namespace);
  t.match(after.out, /^server +PostgreSQL \d+/m);
  t.match(after.out, /^round trip +\d+\.\d ms$/m);
  t.match(after.out, new RegExp(`^connections +the server grants ${grants}, latchkey uses as many as needed$`, 'm'));
  t.match(after.out, /^schema +version \d+, up to date$/m);
  t.match(after.out, /The database is well\.\n$/);
  t.notOk(after.out.includes(new URL(url).password), 'the password is not shown');
});

t.test('check db --json', async (t) => {
  const { url } = await createTestDatabase(t);
  const { code, out } = await run(['check', 'db', '--json'], url);
  t.equal(code, 0);
  t.match(JSON.parse(out), { ok: true, pendingMigrations: [], problems: [], grants: Number });
  t.notOk(out.includes(new URL(url).password));
  const away = await run(['check', 'db', '--json'], 'postgres://me:hidden@127.0.0.1:1/db');
  t.equal(away.code, 1);
  t.match(JSON.parse(away.out), { ok: false, problems: [/nothing listens there/] });
  t.notMatch(away.out, /hidden/);
});

t.test('a fault is reported with its solution, and the exit code is 1', async (t) => {
  const { url, admin } = await createTestDatabase(t, { isEmpty: true });
  await migrate({ url, prefix: '' });
  await admin.query("update migrations set checksum = 'other'");
  const changed = await run(['check', 'db'], url);
  t.equal(changed.code, 1);
  t.match(changed.out, /00001_initial\.sql was changed after it had been applied/);
  t.match((await run(['migrate'], url)).err, /00001_initial\.sql was changed/);

  const big = await run(['check', 'db'], url, { AUTH_DB_MAX_POOL_SIZE: '5000' });
  t.match(big.out, /AUTH_DB_MAX_POOL_SIZE is 5000, but the server grants this user \d+ connections/);

  const wrong = new URL(url);
  wrong.password = 'guess';
  const refused = await run(['check', 'db'], wrong.href);
  t.equal(refused.code, 1);
  t.match(refused.err, /the password or the user is wrong/);
  t.notMatch(refused.err, /guess/);

  const nowhere = new URL(url);
  nowhere.pathname = '/no_such_database';
  t.match((await run(['check', 'db'], nowhere.href)).err, /there is no such database/);
});

t.test('a user without rights gets a list of the missing ones', async (t) => {
  const { url, admin } = await createTestDatabase(t, { isEmpty: true });
  const role = `poor_${new URL(url).pathname.slice(-12)}`;
  await admin.query(`create role ${role} login password 'poor'`);
  await admin.query('revoke create on schema public from public');
  t.teardown(() => withAdmin(url, (owner) => owner.query(`drop role ${role}`)));
  const poor = new URL(url);
  poor.username = role;
  poor.password = 'poor';
  const { code, out } = await run(['check', 'db'], poor.href);
  t.equal(code, 1);
  t.match(out, /may not create tables in the schema public: grant create on schema public/);
});

t.test('migrate waits up to its time limit', async (t) => {
  const away = 'postgres://me:hidden@127.0.0.1:1/db';
  const atOnce = await run(['migrate'], away);
  t.equal(atOnce.code, 1);
  t.match(atOnce.err, /^db at 127\.0\.0\.1:1, as me: nothing listens there/);
  const waited = await run(['migrate', '--wait', '1s'], away);
  t.equal(waited.code, 1);
  t.ok(waited.err.split('\n').length > 3, 'reports every attempt');
  t.notMatch(waited.err, /hidden/);
  t.equal((await run(['migrate', '--wait', 'soon'], away)).code, 2);
});

t.test('error messages', async (t) => {
  const url = 'postgres://me:hidden@db.example/app';
  const explain = (error: object): string => explainFailure(Object.assign(new Error('hidden'), error), url);
  t.match(explain({ code: 'ENOTFOUND' }), /^app at db\.example:5432, as me: the host name is not known/);
  t.match(explain({ message: 'timeout expired' }), /no answer in time/);
  t.match(explain({ message: 'The server does not support SSL connections' }), /sslmode=disable/);
  t.match(explain({ code: 'SELF_SIGNED_CERT_IN_CHAIN' }), /certificate is not trusted/);
  t.match(explain({ code: 'XX000', severity: 'FATAL', message: 'odd' }), /the server says XX000, odd/);
  t.notMatch(explain({ code: 'EWHATEVER' }), /hidden/);
});
