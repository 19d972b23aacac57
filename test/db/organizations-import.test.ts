import { randomUUID } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { createTestDatabase } from '../support/database.js';
import { runCommand } from '../support/run-command.js';
import { testEnvironment } from '../support/server.js';
import { readSource } from '../support/source-tree.js';
import { type Test, t } from '../support/tap.js';

type Line = Record<string, unknown>;

const lines = (rows: readonly (Line | string)[]): string =>
  rows.map((row) => `${typeof row === 'string' ? row : JSON.stringify(row)}\n`).join('');
const parse = (text: string): Line[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

async function open(t: Test) {
  const database = await createTestDatabase(t);
  const at = t.testdir({ 'empty.env': '' });
  const environment = testEnvironment(database.url);
  const command = (args: readonly string[], input = '') =>
    runCommand(['organizations', ...args], environment, join(at, 'empty.env'), input);
  const sql = database.admin;
  const all = async (text: string): Promise<Line[]> => (await sql.query(text)).rows;
  const addUsers = async (count: number): Promise<string[]> => {
    const ids = Array.from({ length: count }, () => randomUUID());
    await sql.query(
      `insert into users (id, aud, role, email) select i, 'authenticated', '', i || '@x.test' from unnest($1::uuid[]) i`,
      [ids],
    );
    return ids;
  };
  return { at, sql, all, addUsers, command };
}

t.test('roles, organizations and members come in, and again change nothing', async (t) => {
  const { at, all, addUsers, command, sql } = await open(t);
  const [ada, grace, ann] = await addUsers(3);
  const [first, second] = [randomUUID(), randomUUID()];
  const policies = { require_aal2: true, require_sso: false, session_hours: 8, allowed_domains: [] };
  const times = { created_at: '2024-05-01T10:00:00.123456Z', updated_at: '2024-05-02T10:00:00Z' };
  const good: Line[] = [
    { type: 'role', name: 'editor', description: 'Writes', permissions: ['documents:write', 'documents:read'] },
    { type: 'role', name: 'member', permissions: ['documents:read', 'members:read'] },
    {
      type: 'organization',
      id: first,
      name: 'Acme "Ltd" \\ Söhne',
      metadata: { plan: 'gold', n: 1.5 },
      policies: { require_aal2: true, session_hours: 8 },
      max_members: 0,
      ...times,
    },
    { type: 'organization', id: second, name: 'Acme "Ltd" \\ Söhne', slug: null, logo_url: null },
    { type: 'organization', name: 'Globex', slug: 'globex', logo_url: 'https://x.test/a.png' },
    {
      type: 'member',
      organization_id: first,
      user_id: ada,
      roles: ['owner'],
      via: 'creation',
      joined_at: '2024-05-01 10:00:00+00',
    },
    { type: 'member', organization_id: first, user_id: grace, roles: ['member', 'editor', 'editor'] },
    { type: 'member', organization: 'globex', email: `${ada!.toUpperCase()}@X.test`, roles: ['owner'] },
    { type: 'member', organization: 'globex', user_id: ann },
  ];
  const file = join(at, 'good.ndjson');
  writeFileSync(file, `\ufeff${lines(good)}\n`);

  const dry = await command(['import', '--dry-run', '--json', file]);
  t.equal(dry.code, 0, dry.err);
  const report = (imported: readonly number[], skipped = [0, 0, 0]) => ({
    role: { imported: imported[0], skipped: skipped[0], refused: 0 },
    organization: { imported: imported[1], skipped: skipped[1], refused: 0 },
    member: { imported: imported[2], skipped: skipped[2], refused: 0 },
    unreadable: 0,
  });
  t.match(JSON.parse(dry.out), report([2, 3, 4]));
  t.same(await all('select id from organizations union all select organization_id from organization_members'), []);
  t.same(await all('select name from organization_roles'), []);

  const done = await command(['import', '--json', file]);
  t.match([done.code, JSON.parse(done.out)], [0, report([2, 3, 4])]);
  t.equal(done.err, '1 organizations have no owner: POST /admin/organizations/{id}/members adds one.\n');
  t.match(await all('select slug, name, metadata, policies, max_members, logo_url from organizations order by slug'), [
    {
      slug: 'acme-ltd-sohne',
      name: 'Acme "Ltd" \\ Söhne',
      metadata: { plan: 'gold', n: 1.5 },
      policies,
      max_members: 0,
    },
    { slug: `acme-ltd-sohne-${second.slice(0, 8)}`, metadata: {}, policies: null, max_members: null, logo_url: null },
    { slug: 'globex', logo_url: 'https://x.test/a.png' },
  ]);
  t.match(await all('select name, permissions from organization_roles order by name'), [
    { name: 'editor', permissions: ['documents:read', 'documents:write'] },
    { name: 'member', permissions: ['documents:read'] },
  ]);
  t.match(await all(`select roles, via, email_key from organization_members where user_id = '${grace}'`), [
    { roles: ['editor', 'member'], via: 'admin', email_key: `${grace}@x.test` },
  ]);
  const [account] = await all(`select memberships from users where id = '${ada}'`);
  t.equal((account!['memberships'] as Line[]).length, 2, 'the account lists them');
  t.same(await all('select id from audit_log'), []);

  const before = await command(['export']);
  t.match(before, { code: 0, err: 'exported 2 roles, 3 organizations, 4 members\n' });
  await sql.query(`update organizations set name = 'Renamed' where id = $1`, [first]);
  t.match(JSON.parse((await command(['import', '--json', file])).out), report([0, 0, 0], [2, 3, 4]));
  t.match(await all(`select name from organizations where id = '${first}'`), [{ name: 'Renamed' }]);

  await t.test('an export comes in elsewhere as it was', async (t) => {
    const other = await open(t);
    await other.sql.query(`insert into users (id, aud, role) select i, '', '' from unnest($1::uuid[]) i`, [
      [ada, grace, ann],
    ]);
    const input = await other.command(['import', '-'], before.out);
    t.match(input, { code: 0, out: /^organizations +3 +0 +0$/m });
    const target = join(other.at, 'again.ndjson');
    t.match(await other.command(['export', target]), { code: 0, out: '' });
    t.same(parse(readFileSync(target, 'utf8')), parse(before.out));
    t.equal(statSync(target).mode & 0o777, 0o600);
    t.match(await other.command(['export', target]), { code: 1, err: /exists: remove it/ });
  });
});

t.test('lines that cannot be stored are refused with the reason, and the others stored', async (t) => {
  const { all, addUsers, command, sql } = await open(t);
  const [ada, gone, guest] = await addUsers(3);
  await sql.query('update users set deleted_at = now() where id = $1', [gone]);
  await sql.query('update users set is_anonymous = true where id = $1', [guest]);
  const [id, other] = [randomUUID(), randomUUID()];
  const member = { type: 'member', organization_id: id, user_id: ada };
  const bad: [Line | string, string][] = [
    ['{"type":', 'is no JSON object'],
    ['[1]', 'is no JSON object'],
    [{ name: 'x' }, 'type is none of role, organization, member'],
    [{ type: 'role', name: 'Editor' }, 'name needs 1 to 40'],
    [{ type: 'role', name: 'owner' }, 'owner has all permissions'],
    [{ type: 'role', name: 'x', permissions: 'y' }, 'permissions is not a list of texts'],
    [{ type: 'role', name: 'x', permissions: ['Y'] }, 'a permission needs'],
    [{ type: 'organization', name: 'x' }, 'needs an id or a slug'],
    [{ type: 'organization', id: '42', name: 'x' }, 'id is not a UUID'],
    [{ type: 'organization', id: other, name: '' }, 'name needs 1 to 100 characters'],
    [{ type: 'organization', id: other, name: 'x', slug: 'A_b' }, 'slug needs'],
    [{ type: 'organization', id: other, name: 'x', slug: 'admin' }, 'slug is a reserved word'],
    [{ type: 'organization', id: other, name: 'x', slug: randomUUID() }, 'slug has the form of an id'],
    [{ type: 'organization', id: other, name: 'x', logo_url: 'http://x' }, 'logo_url must be an https URL'],
    [{ type: 'organization', id: other, name: 'x', metadata: [] }, 'metadata is not an object'],
    [{ type: 'organization', id: other, name: 'x', metadata: { a: 'x'.repeat(9000) } }, 'metadata may have 8192 bytes'],
    [{ type: 'organization', id: other, name: 'x', policies: [] }, 'policies is not an object'],
    [
      { type: 'organization', id: other, name: 'x', policies: { require_mfa: true } },
      'policies: there is no require_mfa',
    ],
    [{ type: 'organization', id: other, name: 'x', max_members: 'all' }, 'max_members is not a whole number'],
    [{ type: 'organization', id: other, name: 'x', max_members: -2 }, 'max_members must be from'],
    [{ type: 'organization', id: other, name: 'x', created_at: 'infinity' }, 'created_at is not a time'],
    [{ type: 'organization', id, name: 'Acme' }, ''],
    [{ type: 'organization', id: other, name: 'Other', slug: 'acme' }, 'another one has its slug'],
    [{ ...member, roles: ['editor'] }, 'there is no role editor'],
    [{ ...member, roles: [] }, 'roles needs 1 to 16 names'],
    [{ ...member, roles: 'owner' }, 'roles is not a list of texts'],
    [{ ...member, via: 'magic' }, 'via is none of'],
    [{ ...member, organization: 'acme' }, 'needs organization_id, or organization with the slug'],
    [{ ...member, email: 'a@x.test' }, 'needs user_id, or email'],
    [{ ...member, organization_id: other }, 'there is no such organization'],
    [{ ...member, user_id: gone }, 'there is no such account'],
    [{ ...member, user_id: guest }, 'the account is anonymous, and joins nothing'],
    [{ ...member, user_id: undefined, email: 'nobody@x.test' }, 'there is no such account'],
    [{ ...member, joined_at: '2024' }, 'joined_at is not a time'],
    [{ ...member, roles: ['owner'] }, ''],
    ['x'.repeat(1_100_000), 'the line is over 1 MiB'],
  ];
  const { code, out, err } = await command(['import', '-'], lines(bad.map(([line]) => line)));
  t.equal(code, 1);
  for (const [index, [, reason]] of bad.entries()) {
    if (reason !== '') t.ok(err.includes(`line ${index + 1}: ${reason}`), `${index + 1} ${reason}`);
  }
  t.equal(err.trim().split('\n').length, bad.length - 2);
  t.match(out, /^organizations +1 +0 +1$/m);
  t.match(await all('select slug from organizations'), [{ slug: 'acme' }]);
  t.match(await all('select roles from organization_members'), [{ roles: ['owner'] }]);
});

t.test('an import that stops says where, and goes on there', async (t) => {
  const { all, addUsers, command, sql } = await open(t);
  const [ada] = await addUsers(1);
  const rows = Array.from({ length: 2500 }, (_, n) => ({
    type: 'organization',
    id: randomUUID(),
    name: 'Team',
    slug: `team-${n}`,
  }));
  const members = rows.map(({ id }) => ({ type: 'member', organization_id: id, user_id: ada, roles: ['owner'] }));
  const input = lines([...rows, ...members]);
  await sql.query(`create function stop() returns trigger language plpgsql as
    $$ begin if new.slug = 'team-2100' then raise query_canceled; end if; return new; end $$;
    create trigger stop before insert on organizations for each row execute function stop()`);
  const stopped = await command(['import', '-'], input);
  t.match(stopped, { code: 1, err: /^Stopped after line 2000\. .*--from-line=2001\.$/m });
  t.match(await all('select count(*)::int from organizations'), [{ count: 2000 }]);
  await sql.query('drop trigger stop on organizations');
  t.match(await command(['import', '--from-line=2001', '-'], input), {
    code: 0,
    out: /^organizations +500 +0 +0\nmembers +2500 +0 +0$/m,
  });
  t.match(await command(['import', '-'], input), { code: 0, out: /^organizations +0 +2500 +0\nmembers +0 +2500 +0$/m });
  t.equal(parse((await command(['export', '-'])).out).length, 5000, 'several pages');
});

t.test('wrong usage', async (t) => {
  const { command } = await open(t);
  t.match(await command(['import']), { code: 2, err: /give a FILE/ });
  t.match(await command(['import', '--from-line=0', '-']), { code: 2, err: /--from-line must be/ });
  t.match(await command(['import', 'missing.ndjson']), { code: 1, err: /ENOENT/ });
  t.match(await command(['import', '--help']), { code: 0, out: /--dry-run[\s\S]*--from-line NUMBER/ });
});

t.test('docs/organizations/moving-in.md: from tables made by hand', async (t) => {
  const { all, addUsers, command, sql } = await open(t);
  const [ada, grace, ann] = await addUsers(3);
  await sql.query(`create table teams (id uuid primary key default gen_random_uuid(), name text not null, created_at timestamptz default now());
    create table team_members (team_id uuid references teams, user_id uuid, role text, created_at timestamptz default now())`);
  const name = 'A "quoted" \\ name,\twith a tab';
  await sql.query('insert into teams (name) values ($1)', [name.replace('\t', ' ')]);
  await sql.query(
    `insert into team_members (team_id, user_id, role) select t.id, m.* from teams t,
    (values ($1::uuid, 'owner'), ($2, 'viewer'), ($3, 'writer')) m`,
    [ada, grace, ann],
  );
  const section = readSource('docs/organizations/moving-in.md')
    .text.split(/^## /m)
    .find((part) => part.startsWith('Moving in'))!;
  const [, query] = /^```sql\n(.*?)^```/ms.exec(section)!;
  const text = await copyOut(sql, query!);
  t.match(await command(['import', '-'], text), { code: 0, err: '' });
  t.match(await all('select name, slug from organizations'), [
    { name: name.replace('\t', ' '), slug: 'a-quoted-name-with-a-tab' },
  ]);
  t.match(
    await all(
      'select user_id, roles from organization_members order by array_position($$' +
        `{${ada},${grace},${ann}}` +
        '$$::uuid[], user_id)',
    ),
    [
      { user_id: ada, roles: ['owner'] },
      { user_id: grace, roles: ['member'] },
      { user_id: ann, roles: ['editor'] },
    ],
  );
});

/** What `psql` writes of a `copy … to stdout`. */
async function copyOut(sql: pg.Client, query: string): Promise<string> {
  const chunks: Buffer[] = [];
  // The connection of the client, which its types leave out.
  const { connection } = sql as unknown as { connection: NodeJS.EventEmitter };
  const keep = ({ chunk }: { chunk: Buffer }): void => void chunks.push(chunk);
  connection.on('copyData', keep);
  await sql.query(query);
  connection.off('copyData', keep);
  return Buffer.concat(chunks).toString();
}
