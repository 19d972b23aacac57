import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import { sealRefreshToken } from '../../src/server/sessions/refresh-token.js';
import { testServer } from '../support/database.js';
import { withAdmin } from '../support/postgres.js';
import { spawnServer } from '../support/process.js';
import { call, freshEmail, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';
import { assertUnavailable } from '../support/unavailable.js';

/** On a new connection: the server may close an idle one at the moment of the request. */
const refreshAt = (url: string, token: string) =>
  call(url, 'POST', '/token?grant_type=refresh_token', {
    body: { refresh_token: token },
    headers: { connection: 'close' },
  });
const signUpAt = async (url: string): Promise<{ refresh_token: string; user: { id: string } }> =>
  (await call(url, 'POST', '/signup', { body: { email: freshEmail(), password } })).body;

t.test('SEC-54: 128 bits of MAC or more, and nothing usable stored', async (t) => {
  const { url, database } = await openTestServer(t);
  const first = await signUpAt(url);
  const second = (await refreshAt(url, first.refresh_token)).body.refresh_token as string;
  const { rows: tables } = await database.admin.query<{ name: string }>(
    "select table_name::text as name from information_schema.tables where table_schema = 'public'",
  );
  let stored = '';
  for (const { name } of tables) {
    const { rows } = await database.admin.query(`select row_to_json(x)::text as row from ${name} x`);
    stored += rows.map(({ row }) => row).join('\n');
  }
  t.match(stored, first.user.id, 'the search sees what there is');
  for (const token of [first.refresh_token, second]) {
    const bytes = Buffer.from(token, 'base64url');
    const { rows } = await database.admin.query('select id, generation from sessions');
    const known = Buffer.from(rows[0].id.replaceAll('-', ''), 'hex');
    t.same(bytes.subarray(1, 17), known, 'version, then the session id');
    const mac = bytes.subarray(-16);
    t.ok(bytes.length >= 1 + 16 + 1 + 16, 'then the generation and at least 16 bytes of MAC');
    for (const form of ['hex', 'base64', 'base64url'] as const) {
      t.notOk(stored.includes(mac.toString(form)), `no MAC in ${form}`);
      t.notOk(stored.includes(bytes.toString(form)), `no token in ${form}`);
    }
  }
});

t.test('SEC-54: a forged token never reaches the database', async (t) => {
  const { url, database } = await openTestServer(t);
  const { refresh_token: real } = await signUpAt(url);
  const { rows } = await database.admin.query('select id, current_database() as name from sessions');
  const [{ id: sessionId, name }] = rows;
  const foreign = createSecretKey(randomBytes(32));
  const forged = [
    sealRefreshToken({ sessionId, generation: 0 }, foreign),
    sealRefreshToken({ sessionId: randomUUID(), generation: 7 }, foreign),
    real.slice(0, -1) + (real.endsWith('A') ? 'Q' : 'A'),
    `${real}A`,
    'x',
    'abcdefghijkl',
    randomBytes(40).toString('base64url'),
    sessionId,
  ];
  for (const token of forged) {
    t.match(await refreshAt(url, token), { status: 400, body: { error_code: 'refresh_token_not_found' } }, token);
  }
  // From another database: a session cannot drop its own.
  await withAdmin((await testServer()).adminUrl, async (outside) => {
    await outside.query(`alter database ${name} with allow_connections false`);
    await outside.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
  });
  for (const token of forged) {
    const answer = await refreshAt(url, token);
    t.match(answer, { status: 400, body: { error_code: 'refresh_token_not_found' } }, 'the same without a database');
  }
  assertUnavailable(t, await refreshAt(url, real), 'a real one would have needed it');
});

t.test('SEC-54: two processes, a hundred refreshes at once, inside and outside the interval', async (t) => {
  // One process is this one.
  const first = await openTestServer(t);
  const { url: databaseUrl, admin } = first.database;
  const second = await spawnServer(t, databaseUrl);
  const hundred = (token: string, servers: readonly { readonly url: string }[] = [first, second]) =>
    Promise.all(Array.from({ length: 100 }, (_, index) => refreshAt(servers[index % 2]!.url, token)));
  const errorCodes = (answers: Awaited<ReturnType<typeof hundred>>) => [
    ...new Set(answers.filter(({ status }) => status !== 200).map(({ body }) => body.error_code)),
  ];

  await t.test('inside: the same child for all', async (t) => {
    const { refresh_token } = await signUpAt(first.url);
    const answers = await hundred(refresh_token);
    t.same(errorCodes(answers), []);
    const children = [...new Set(answers.map(({ body }) => body.refresh_token))];
    t.equal(children.length, 1);
    t.equal((await refreshAt(second.url, children[0])).status, 200, 'which serves');
  });

  await t.test('outside: none, and the family is revoked', async (t) => {
    const { refresh_token, user } = await signUpAt(first.url);
    const child = (await refreshAt(first.url, refresh_token)).body.refresh_token;
    const age = "update sessions set refreshed_at = now() - interval '11 seconds' where user_id = $1";
    await admin.query(age, [user.id]);
    const answers = await hundred(refresh_token);
    t.equal(answers.filter(({ status }) => status === 200).length, 0);
    t.same(errorCodes(answers), ['refresh_token_already_used']);
    for (const { url } of [first, second]) {
      t.match(await refreshAt(url, child), { status: 400, body: { error_code: 'refresh_token_already_used' } });
    }
  });

  await t.test('no interval at all: one wins, the others revoke the family', async (t) => {
    const strict = { SECURITY_REFRESH_TOKEN_REUSE_INTERVAL: '0' };
    const [third, fourth] = await Promise.all([
      openTestServer(t, strict, () => databaseUrl),
      spawnServer(t, databaseUrl, strict),
    ]);
    const { refresh_token } = await signUpAt(third.url);
    const answers = await hundred(refresh_token, [third, fourth]);
    const won = answers.filter(({ status }) => status === 200);
    t.equal(won.length, 1);
    t.same(errorCodes(answers), ['refresh_token_already_used']);
    t.equal((await refreshAt(fourth.url, won[0]!.body.refresh_token)).status, 400);
  });
});
