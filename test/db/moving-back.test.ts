import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openMoving } from '../support/moving.js';
import {
  addPeerSession,
  addPeerTokens,
  addPeerUser,
  freshOpaqueToken,
  freshTokenKey,
  sealPeerToken,
} from '../support/peer-tables.js';
import { freshEmail, freshPhone, password } from '../support/server.js';
import { t } from '../support/tap.js';

t.test('export, load into the tables of supabase/auth, import again: nothing has changed', async (t) => {
  const { at, database, move, refresh, users, post } = await openMoving(t, {
    EXTERNAL_ANONYMOUS_USERS_ENABLED: 'true',
    EXTERNAL_PHONE_ENABLED: 'true',
    SMS_AUTOCONFIRM: 'true',
  });
  const { admin } = database;
  const email = freshEmail();
  const data = { quote: `it's a \\ "test" @ ? ü`, nested: { list: [1, null] } };
  const { body: signedUp } = await post('/signup', { email, password, data });
  await post('/signup', { phone: freshPhone(), password });
  const { body: anonymous } = await post('/signup', { data: {} });
  const { body: current } = await refresh(signedUp.refresh_token);
  const { body: reused } = await post('/token?grant_type=password', { email, password });
  await admin.query('update sessions set revoked_at = now() where generation = 0 and user_id = $1', [signedUp.user.id]);
  const moved = await addPeerUser(admin, freshEmail());
  const key = freshTokenKey();
  const counted = await addPeerSession(admin, moved, { refresh_token_hmac_key: key, refresh_token_counter: 9 });
  t.equal((await move()).code, 0);
  await admin.query('delete from auth.users');

  const here = async () => {
    const read = async (text: string) => (await admin.query(text)).rows;
    return {
      users: await read('select * from users order by id'),
      identities: await read('select * from identities order by id'),
      sessions: await read('select * from sessions order by id'),
    };
  };
  // What is imported counts as proven, which autoconfirm did not do.
  const prove =
    'update users set proven_email = case when email_confirmed_at is not null then email end, proven_phone = case when phone_confirmed_at is not null then phone end';
  await admin.query(prove);
  const before = await here();
  const file = join(at, 'back.sql');
  t.match(await users('export', '--to-gotrue', file), { code: 0, err: /exported 4 accounts/ });
  await admin.query(readFileSync(file, 'utf8'));
  const { rows: there } = await admin.query('select * from auth.users where id = $1', [signedUp.user.id]);
  t.match(there[0], { email, instance_id: /^0/, confirmation_token: '', encrypted_password: /^\$argon2id/ });
  t.match(there[0].raw_user_meta_data, data);

  await admin.query('delete from users; delete from moved_accounts; delete from moved_sessions');
  const { report, err } = await move();
  t.match(report, { accounts: { imported: 4, refused: 0 }, sessions: { imported: 5, refused: 0 } }, err);
  t.same(await here(), before);
  t.equal((await refresh(current.refresh_token)).status, 200, 'the token people hold');
  t.equal((await refresh(anonymous.refresh_token)).status, 200);
  t.match(await refresh(reused.refresh_token), { body: { error_code: 'refresh_token_already_used' } });
  t.equal((await refresh(sealPeerToken(counted, 9, key))).status, 200);
  t.equal((await post('/token?grant_type=password', { email, password })).status, 200);
});

t.test('back into the database they came from', async (t) => {
  const { at, database, move, refresh, users, call } = await openMoving(t);
  const { admin } = database;
  const open = async () => {
    const userId = await addPeerUser(admin, freshEmail());
    const sessionId = await addPeerSession(admin, userId);
    const [token] = await addPeerTokens(admin, sessionId);
    return { userId, sessionId, token: token! };
  };
  const [unused, used, ended, deleted] = [await open(), await open(), await open(), await open()];
  await move();
  const { body } = await refresh(used.token);
  const { body: last } = await refresh(ended.token);
  await call('POST', '/logout', { bearer: last.access_token });
  await admin.query('delete from users where id = $1', [deleted.userId]);
  const file = join(at, 'back.sql');
  await users('export', '--to-gotrue', file);
  await admin.query(readFileSync(file, 'utf8'));
  await admin.query(readFileSync(file, 'utf8'));
  const { rows } = await admin.query('select token, revoked, session_id from auth.refresh_tokens order by id');
  t.same(rows, [
    { token: unused.token, revoked: false, session_id: unused.sessionId },
    { token: used.token, revoked: true, session_id: used.sessionId },
    { token: body.refresh_token, revoked: false, session_id: used.sessionId },
  ]);
  const ndjson = await users('export', '--to-gotrue', '-', '--format', 'ndjson');
  const lines = ndjson.out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  t.match(
    lines.find(({ row }) => row?.id === unused.userId),
    { table: 'users', row: { raw_app_meta_data: { provider: 'email' } } },
  );
  t.match(
    lines.find((line) => line.delete),
    { table: 'sessions', delete: { id: /-/ } },
  );
  t.match(
    lines.find((line) => line.revoke),
    { table: 'refresh_tokens', revoke: { session_id: used.sessionId } },
  );

  // The other server goes on with it, and then they move in once more.
  await admin.query('update auth.refresh_tokens set revoked = true where token = $1', [body.refresh_token]);
  const next = freshOpaqueToken();
  await admin.query(
    `insert into auth.refresh_tokens (token, user_id, revoked, created_at, updated_at, parent, session_id)
     values ($1, $2, false, now(), now(), $3, $4)`,
    [next, used.userId, body.refresh_token, used.sessionId],
  );
  await admin.query('delete from users; delete from moved_accounts; delete from moved_sessions');
  t.match(await move(), { code: 0, report: { accounts: { imported: 3 }, sessions: { imported: 2 } } });
  t.equal((await refresh(body.refresh_token)).status, 200, 'a token of ours that is the parent there');
  t.equal((await refresh(next)).status, 200);
  t.match(await refresh(used.token), { body: { error_code: 'refresh_token_already_used' } });
  const { rows: accounts } = await admin.query('select id from auth.users');
  t.same(accounts.map(({ id }) => id).sort(), [unused.userId, used.userId, ended.userId].sort());
});

t.test('usage', async (t) => {
  const { at, users } = await openMoving(t);
  t.match(await users('export'), { code: 2, err: /give --to-gotrue FILE/ });
  t.match(await users('export', '--to-gotrue', '-', '--format', 'xml'), { code: 2, err: /sql or ndjson/ });
  t.match(await users('export', '--to-gotrue', '-', '--schema', 'x"; drop'), { code: 2, err: /plain lower-case/ });
  t.match(await users('export', '--to-gotrue', join(at, 'empty.env')), {
    code: 1,
    err: /empty\.env exists: remove it/,
  });
  t.match(await users('export', '--to-gotrue', '-'), { code: 0, out: /^begin;[\s\S]*commit;\n$/ });
  t.match(await users('export', '--help'), { code: 0, out: /--to-gotrue/ });
});
