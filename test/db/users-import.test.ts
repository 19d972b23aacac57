import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import bcrypt from 'bcryptjs';
import { createPeerTables } from '../support/peer-tables.js';
import { runCommand } from '../support/run-command.js';
import { freshEmail, freshPhone, openTestServer, password, testEnvironment } from '../support/server.js';
import { type Test, t } from '../support/tap.js';

const bcryptHash = bcrypt.hashSync(password, 4);

function directory(t: Test): string {
  const made = mkdtempSync(join(tmpdir(), 'latchkey-import-'));
  t.teardown(() => rmSync(made, { recursive: true, force: true }));
  writeFileSync(join(made, 'empty.env'), '');
  return made;
}

const lines = (rows: readonly unknown[]): string =>
  rows.map((row) => `${typeof row === 'string' ? row : JSON.stringify(row)}\n`).join('');

async function open(t: Test) {
  const server = await openTestServer(t);
  const at = directory(t);
  const environment = testEnvironment(server.database.url);
  const command = (...args: string[]) => runCommand(['users', 'import', ...args], environment, join(at, 'empty.env'));
  const count = async () => (await server.database.admin.query('select count(*)::int from users')).rows[0].count;
  return { ...server, at, command, count };
}

t.test('users import FILE: valid rows are imported, invalid rows are reported and written to a file', async (t) => {
  const { at, command, post, count, database } = await open(t);
  const file = join(at, 'users.ndjson');
  const id = randomUUID();
  const [email, phone, banned] = [freshEmail(), freshPhone(), freshEmail()];
  const good = [
    {
      id,
      email: email.toUpperCase(),
      password_hash: bcryptHash,
      email_confirmed_at: '2024-05-01T10:00:00.123456Z',
      created_at: '2024-05-01 09:00:00+02',
      role: 'editor',
      user_metadata: { full_name: 'Ann' },
      app_metadata: { provider: 'email', providers: ['email', 'github'], tenant: 1 },
      identities: [
        { provider: 'email', id, identity_data: { sub: id, email } },
        { provider: 'github', provider_id: '4242', identity_data: { user_name: 'ann' } },
      ],
    },
    { phone: `+${phone}`, phone_confirmed_at: '2024-05-01T10:00:00Z', unknown_field: 1 },
    {
      email: banned,
      password_hash: bcryptHash,
      banned_until: '2199-01-01T00:00:00Z',
      email_confirmed_at: '2024-05-01T10:00:00Z',
    },
  ];
  const bad: [unknown, RegExp][] = [
    ['{"email":', /is no JSON object/],
    ['[1]', /is no JSON object/],
    [`{"email":"${freshEmail()}","user_metadata":{"a":"\\u0000"}}`, /is no JSON object/],
    [{ email: 'not an address' }, /^row \d+: email is not an address$/m],
    [{ phone: '12' }, /phone is not a number/],
    [{ user_metadata: {} }, /has no email, no phone and no identity/],
    [{ email: freshEmail(), id: '42' }, /id is not a UUID/],
    [{ email: freshEmail(), password_hash: 'md5:abc' }, /password_hash is no bcrypt/],
    [{ email: freshEmail(), encrypted_password: '{"key_id":"x"}' }, /is encrypted/],
    [{ email: freshEmail(), created_at: '2024-02-30T00:00:00Z' }, /created_at is not a time/],
    [{ email: freshEmail(), created_at: 'infinity' }, /created_at is not a time/],
    [{ email: freshEmail(), user_metadata: [] }, /user_metadata is not an object/],
    [{ email: freshEmail(), is_anonymous: 'no' }, /is_anonymous is not true or false/],
    [{ email: freshEmail(), app_metadata: { a: 'x'.repeat(70_000) } }, /app_metadata is over 64 kB/],
    [{ email: freshEmail(), identities: [{ provider: 'x' }] }, /lacks its provider or its id/],
    [{ email: freshEmail(), identities: [{ provider: 'github', provider_id: '4242' }] }, /is there twice/],
    [{ email, id: randomUUID() }, /is there twice, or was taken meanwhile/],
    [{ email: freshEmail(), user_metadata: { a: 'x'.repeat(1_100_000) } }, /over 1 MiB/],
    [`{"email":"${freshEmail()}","app_metadata":{"ids":[9007199254740993]}}`, /number at app_metadata\.ids\[0\] is/],
  ];
  const text = `${lines([...good, '', ...bad.map(([row]) => row)])}`.trimEnd();
  writeFileSync(file, text);

  const first = await command(file);
  t.equal(first.code, 1);
  t.match(first.out, /imported 3\nskipped {2}0 .*\nrefused {2}19\nin \d/s);
  for (const [row, reason] of bad) t.match(first.err, reason, String(JSON.stringify(row)).slice(0, 60));
  t.match(first.err, /^row 5: is no JSON object: unexpected end/m, 'the number of its line, empty ones counted');
  const refused = readFileSync(join(at, 'users.refused.ndjson'), 'utf8').trimEnd().split('\n');
  t.equal(refused.length, 19);
  t.equal(refused[3], JSON.stringify({ email: 'not an address' }), 'as it came');
  t.notOk(existsSync(`${file}.bookmark`));

  const { rows } = await database.admin.query('select * from users where id = $1', [id]);
  t.match(rows[0], { email, role: 'editor', app_metadata: { tenant: 1 }, user_metadata: { full_name: 'Ann' } });
  t.equal(rows[0].created_at.toISOString(), '2024-05-01T07:00:00.000Z');
  const { body: tokens, status } = await post('/token?grant_type=password', { email, password });
  t.equal(status, 200, 'signs in with the bcrypt password');
  t.same(tokens.user.identities.map(({ provider }: { provider: string }) => provider).sort(), ['email', 'github']);
  const renewed = await database.admin.query('select password_hash from users where id = $1', [id]);
  t.match(renewed.rows[0].password_hash, /^\$argon2id/, 'and the hash is renewed');
  const bannedSignIn = await post('/token?grant_type=password', { email: banned, password });
  t.equal(bannedSignIn.body.error_code, 'user_banned');

  writeFileSync(file, lines([good[0], { email: freshEmail(), deleted_at: '2024-05-01T10:00:00Z' }]));
  const again = await command(file, '--json');
  t.equal(again.code, 0);
  t.match(JSON.parse(again.out), { imported: 0, skipped: 2, refused: 0 });
  writeFileSync(
    file,
    lines([
      { id: randomUUID(), email },
      { id: randomUUID(), phone },
      { id: randomUUID(), identities: good[0]!.identities },
    ]),
  );
  const clash = await command(file);
  t.match(clash.err, /row 1: its email belongs.*row 2: its phone belongs.*row 3: one of its identities belongs/s);
  t.equal(await count(), 3);
});

t.test(
  'users import: CSV by the names of its columns or as told, refused rows with the first line, repeated without doubles',
  async (t) => {
    const { at, command, count, database } = await open(t);
    const file = join(at, 'people.csv');
    const [ann, ben] = [freshEmail(), freshEmail()];
    const rows = [`${ann},Ann,"{""plan"":1}",yes`, 'nonsense,"Bad, ""Bob""",{},no', `"${ben}","Ben\r\nof two lines",,`];
    writeFileSync(file, `\ufeffE-Mail,Full name,user_metadata,Email verified\r\n${rows.join('\r\n')}\r\n`);
    const first = await command(file);
    t.equal(first.code, 1);
    t.match(
      first.err,
      /^Columns: E-Mail: email, Full name: user_metadata\.full_name, .*Email verified: email_confirmed$/m,
    );
    t.match(first.err, /^row 3: email is not an address$/m);
    t.match(first.out, /imported 2\nskipped {2}0 .*\nrefused {2}1\n/s);
    t.equal(
      readFileSync(join(at, 'people.refused.csv'), 'utf8'),
      'E-Mail,Full name,user_metadata,Email verified\nnonsense,"Bad, ""Bob""",{},no\r\n',
    );
    const stored = await database.admin.query(
      'select email, user_metadata, email_confirmed_at is not null as confirmed from users order by email = $1',
      [ben],
    );
    t.same(stored.rows, [
      { email: ann, user_metadata: { plan: 1, full_name: 'Ann' }, confirmed: true },
      { email: ben, user_metadata: { full_name: 'Ben\r\nof two lines' }, confirmed: false },
    ]);
    t.match(await command(file), { out: /imported 0\nskipped {2}2 / });
    t.equal(await count(), 2);

    const other = join(at, 'other.tsv');
    const [cat, dan] = [freshEmail(), freshEmail()];
    writeFileSync(other, `who\tcity\n${cat}\tUlm\n${dan}\t\n`);
    t.match(await command(other), { code: 1, err: /a column must become email or phone/ });
    t.match(await command(other, '--columns', 'nobody=email'), { code: 1, err: /no column nobody/ });
    t.match(await command(other, '--columns', 'who=email,city=shoe'), { code: 1, err: /shoe is no field/ });
    t.match(await command(other, '--format', 'xml'), { code: 1, err: /--format is csv or ndjson/ });
    t.match(await command(other, '--columns', 'who=email,city=user_metadata.city'), { code: 0, out: /imported 2/ });
    const { rows: cities } = await database.admin.query('select user_metadata as m from users where email = $1', [cat]);
    t.same(cities, [{ m: { city: 'Ulm' } }]);
  },
);

t.test('users import: usage and missing files', async (t) => {
  const { at, command } = await open(t);
  t.equal((await command()).code, 2);
  t.equal((await command('x.ndjson', '--from-gotrue', 'postgres://x')).code, 2);
  t.match(await command(join(at, 'nothing.ndjson')), { code: 1, err: /ENOENT/ });
  t.match(await command('--from-gotrue', 'env:NOT_SET'), { code: 1, err: /NOT_SET is not set/ });
  const file = join(at, 'a.ndjson');
  writeFileSync(file, '');
  t.match(await command(file), { code: 0, out: /imported 0/ });
  writeFileSync(`${file}.bookmark`, '{');
  t.match(await command(file), { code: 1, err: /bookmark is damaged/ });
  writeFileSync(`${file}.bookmark`, '{"source":"another"}');
  t.match(await command(file), { code: 1, err: /bookmark is of another source/ });
});

t.test('users import --from-gotrue: users, identities, hashes, metadata, confirmed and banned states', async (t) => {
  const { at, command, post, database } = await open(t);
  const peer = database.admin;
  await createPeerTables(peer);
  const [ann, ben, gone, bad] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  const exact = randomUUID();
  const email = freshEmail();
  const phone = freshPhone();
  await peer.query(
    `insert into auth.users (id, aud, role, email, encrypted_password, email_confirmed_at, raw_app_meta_data,
       raw_user_meta_data, created_at, updated_at, phone, phone_confirmed_at, banned_until, deleted_at)
     values
       ($1, 'authenticated', 'authenticated', $5, $7, '2024-01-01', '{"provider":"email","providers":["email"]}',
         '{"full_name":"Ann"}', '2023-12-31 23:00:00.5+00', '2024-01-02', null, null, null, null),
       ($2, 'authenticated', 'authenticated', null, '', null, null, null, '2024-01-01', null, $6, '2024-01-01',
         '2199-01-01', null),
       ($3, 'authenticated', '', 'c2xpZ2h0bHk', '', null, '{}', '{}', '2024-01-01', null, null, null, null, now()),
       ($4, 'authenticated', '', 'bad one', '', null, '{}', '{}', '2024-01-01', null, null, null, null, null),
       ($8, 'authenticated', '', 'exact@example.com', '', null, '{}', '{"id":9007199254740993}', '2024-01-01', null, null,
         null, null, null)`,
    [ann, ben, gone, bad, email, phone, bcryptHash, exact],
  );
  await peer.query(
    `insert into auth.identities (provider_id, user_id, identity_data, provider, last_sign_in_at, created_at)
     values ($1::text, $1::text::uuid, jsonb_build_object('sub', $1::text, 'email', $2::text), 'email', now(), '2024-01-01'),
       ('99', $1::text::uuid, '{"sub":"99"}', 'google', now(), '2024-01-02'),
       ($3::text, $3::text::uuid, '{}', 'phone', null, '2024-01-01')`,
    [ann, email, ben],
  );
  const bookmark = join(at, 'moving.bookmark');
  const answer = await command('--from-gotrue', database.url, '--bookmark', bookmark);
  t.equal(answer.code, 1);
  t.match(answer.out, /imported +2 +0 .*skipped +1 +0 .*refused +2 +0 /s);
  t.match(answer.err, /row \d: email is not an address/);
  t.match(answer.err, /row \d: The number at raw_user_meta_data\.id is larger/);
  t.notOk(answer.err.includes(database.url));
  const refused = readFileSync(join(at, 'moving.refused.ndjson'), 'utf8').trimEnd().split('\n');
  const [first, second] = refused
    .map((line) => JSON.parse(line) as { id: string })
    .sort((a) => (a.id === bad ? -1 : 1));
  t.match(first, { id: bad, email: 'bad one' });
  t.equal(second!.id, exact);

  const signedIn = await post('/token?grant_type=password', { email, password });
  t.equal(signedIn.status, 200);
  t.match(signedIn.body.user, {
    id: ann,
    created_at: /^2023-12-31T23:00:00.5/,
    email_confirmed_at: /^2024-01-01/,
    user_metadata: { full_name: 'Ann' },
    identities: [
      { provider: 'email', id: ann },
      { provider: 'google', id: '99' },
    ],
  });
  const { rows } = await peer.query('select * from users where id = $1', [ben]);
  t.match(rows[0], { phone, email: null, password_hash: null, app_metadata: { provider: 'phone' } });
  t.ok(rows[0].banned_until > new Date());
  t.match(await command('--from-gotrue', database.url, '--bookmark', bookmark), { code: 1, out: /skipped +3 / });
  t.match(await command('--from-gotrue', database.url, '--schema', 'x"; drop'), { code: 1, err: /plain lower-case/ });
  const { rows: left } = await peer.query('select count(*)::int from auth.users');
  t.equal(left[0].count, 5, 'the other side is only read');
});

t.test('users create', async (t) => {
  const { database, post } = await openTestServer(t);
  const at = directory(t);
  const create = (input: string, ...args: string[]) =>
    runCommand(['users', 'create', ...args], testEnvironment(database.url), join(at, 'empty.env'), input);
  const [email, id] = [freshEmail(), randomUUID()];
  const made = await create(
    `${password}\n`,
    '--email',
    email,
    '--password-stdin',
    '--confirm',
    '--role',
    'x',
    '--id',
    id,
  );
  t.equal(made.err, '');
  t.equal(made.code, 0);
  t.match(JSON.parse(made.out), { id, email, role: 'x', identities: [{ provider: 'email' }] });
  t.equal((await post('/token?grant_type=password', { email, password })).status, 200);
  const { rows } = await database.admin.query(
    "select payload from audit_log where payload ->> 'action' = 'user_signedup'",
  );
  t.equal(rows[0].payload.actor_username, 'command_line');
  t.match(await create('', '--email', email), { code: 1, err: /already been registered/ });
  t.match(await create('', '--email', 'x'), { code: 1, err: /invalid format/ });
  t.match(await create('', '--phone', freshPhone(), '--password', 'y'), { code: 0 });
  t.equal((await create('')).code, 2);
  t.equal((await create('', '--email', email, '--password-stdin')).code, 2);
  t.equal((await create('x', '--email', email, '--password-stdin', '--password', 'x')).code, 2);
});
