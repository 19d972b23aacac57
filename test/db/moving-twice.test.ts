import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openMoving } from '../support/moving.js';
import { addPeerClient } from '../support/peer-oauth.js';
import {
  addPeerSession,
  addPeerTokens,
  addPeerUser,
  freshOpaqueToken,
  freshTokenKey,
  sealPeerToken,
} from '../support/peer-tables.js';
import { runCommand } from '../support/run-command.js';
import { freshEmail, testEnvironment } from '../support/server.js';
import { t } from '../support/tap.js';

const NONE = { imported: 0, changed: 0, skipped: 0, kept: 0, refused: 0, gone: 0 };

t.test('a second run brings what changed there, and leaves what changed here', async (t) => {
  const { database, move, refresh, call } = await openMoving(t);
  const { admin } = database;
  const open = async () => {
    const userId = await addPeerUser(admin, freshEmail());
    const sessionId = await addPeerSession(admin, userId);
    const [token] = await addPeerTokens(admin, sessionId);
    return { userId, sessionId, token: token! };
  };
  const [same, edited, both, erased, goneThere, refreshedThere, refreshedHere, endedThere, usedAndEnded, endedHere] = [
    await open(),
    await open(),
    await open(),
    await open(),
    await open(),
    await open(),
    await open(),
    await open(),
    await open(),
    await open(),
  ];
  t.match((await move()).report, { accounts: { ...NONE, imported: 10 }, sessions: { ...NONE, imported: 10 } });
  t.match((await move()).report, { accounts: { ...NONE, skipped: 10 }, sessions: { ...NONE, skipped: 10 } });

  // There.
  const change = (id: string) =>
    admin.query(
      `update auth.users set email = $2, encrypted_password = '', banned_until = '2199-01-01', updated_at = now()
       where id = $1`,
      [id, `new-${id}@example.com`],
    );
  await change(edited.userId);
  await change(both.userId);
  await admin.query(`delete from auth.identities where user_id = $1`, [edited.userId]);
  await admin.query(
    `insert into auth.identities (provider_id, user_id, identity_data, provider) values ('77', $1, '{}', 'github')`,
    [edited.userId],
  );
  await admin.query('delete from auth.users where id = $1', [goneThere.userId]);
  const rotate = async (sessionId: string, token: string) => {
    const next = freshOpaqueToken();
    await admin.query('update auth.refresh_tokens set revoked = true, updated_at = now() where token = $1', [token]);
    await admin.query(
      `insert into auth.refresh_tokens (token, user_id, revoked, created_at, updated_at, parent, session_id)
       select $1, user_id::text, false, now(), now(), $2, id from auth.sessions where id = $3`,
      [next, token, sessionId],
    );
    await admin.query(`update auth.sessions set refreshed_at = now() at time zone 'utc' where id = $1`, [sessionId]);
    return next;
  };
  const second = await rotate(refreshedThere.sessionId, refreshedThere.token);
  const third = await rotate(refreshedThere.sessionId, second);
  const lost = await rotate(refreshedHere.sessionId, refreshedHere.token);
  await admin.query('delete from auth.sessions where id = any($1)', [[endedThere.sessionId, usedAndEnded.sessionId]]);
  const fresh = await open();
  // Here.
  await admin.query(`update users set user_metadata = '{"here":true}', updated_at = now() where id = $1`, [
    both.userId,
  ]);
  await admin.query('delete from users where id = $1', [erased.userId]);
  const { body: here } = await refresh(refreshedHere.token);
  const { body: used } = await refresh(usedAndEnded.token);
  const { body: ended } = await refresh(endedHere.token);
  t.equal((await call('POST', '/logout', { bearer: ended.access_token })).status, 204);

  const { report, err, code } = await move();
  t.equal(code, 0, err);
  t.same(report.accounts, { imported: 1, changed: 1, skipped: 6, kept: 2, refused: 0, gone: 1 });
  // The session of the account that was erased here has no account; goneThere has no session there, and ends here.
  t.same(report.sessions, { imported: 1, changed: 1, skipped: 4, kept: 2, refused: 0, gone: 2 });
  t.match(err, `account ${goneThere.userId} has been deleted there, and is still here`);

  const { rows } = await admin.query(
    `select u.id, u.email, u.banned_until, u.user_metadata, array_agg(i.provider) as providers
     from users u left join identities i on i.user_id = u.id group by u.id`,
  );
  const account = (id: string) => rows.find((row) => row.id === id);
  t.match(account(edited.userId), { email: `new-${edited.userId}@example.com`, providers: ['github'] });
  t.ok(account(edited.userId).banned_until);
  t.match(account(both.userId), { user_metadata: { here: true }, banned_until: null });
  t.equal(account(erased.userId), undefined, 'what was deleted here does not come back');
  t.ok(account(goneThere.userId), 'a deletion there is reported');
  t.ok(account(fresh.userId));

  t.equal((await refresh(second)).status, 200, 'the parent of the newest');
  t.equal((await refresh(third)).status, 200);
  t.match(await refresh(refreshedThere.token), { body: { error_code: 'refresh_token_already_used' } });
  t.match(await refresh(lost), { body: { error_code: 'refresh_token_not_found' } }, 'the refresh here stands');
  t.equal((await refresh(here.refresh_token)).status, 200);
  t.match(await refresh(endedThere.token), { body: { error_code: 'refresh_token_not_found' } });
  t.equal((await refresh(used.refresh_token)).status, 200, 'a session that is in use here stays');
  t.match(await refresh(endedHere.token), { body: { error_code: 'refresh_token_not_found' } });
  t.equal((await refresh(same.token)).status, 200);
  t.equal((await refresh(fresh.token)).status, 200);
});

t.test('another database does not end the sessions of the first', async (t) => {
  const { database, move, refresh } = await openMoving(t);
  const { admin } = database;
  const userId = await addPeerUser(admin, freshEmail());
  const sessions = [await addPeerSession(admin, userId), await addPeerSession(admin, userId)];
  const [[first], [second]] = [await addPeerTokens(admin, sessions[0]!), await addPeerTokens(admin, sessions[1]!)];
  await move();
  await admin.query('delete from auth.users');
  const refused = await move();
  t.equal(refused.code, 1);
  t.match(refused.err, /2 sessions that were imported earlier are here, and only 0 are there.*--end-missing/);
  t.equal((await refresh(first!)).status, 200);
  t.match((await move('--end-missing')).report, { accounts: { gone: 1 }, sessions: { gone: 1 } });
  t.match(await refresh(second!), { body: { error_code: 'refresh_token_not_found' } });
});

t.test('after a change of the secret the tokens work, imported again or not', async (t) => {
  const earlier = 'an-earlier-secret-an-earlier-secret-42';
  const { at, database, move, refresh } = await openMoving(t, { JWT_PREVIOUS_SECRETS: earlier });
  const { admin } = database;
  const userId = await addPeerUser(admin, freshEmail());
  const key = freshTokenKey();
  const open = async () => (await addPeerTokens(admin, await addPeerSession(admin, userId)))[0]!;
  const [before, after] = [await open(), await open()];
  const counted = await addPeerSession(admin, userId, { refresh_token_hmac_key: key, refresh_token_counter: 3 });
  const environment = testEnvironment(database.url, { JWT_SECRET: earlier });
  const args = ['users', 'import', '--from-gotrue', database.url, '--bookmark', join(at, 'other.bookmark')];
  t.equal((await runCommand(args, environment, join(at, 'empty.env'))).code, 0);
  t.equal((await refresh(before)).status, 200);
  t.match((await move()).report, { accounts: { skipped: 1 }, sessions: { changed: 2, kept: 1 } });
  t.equal((await refresh(after)).status, 200);
  t.equal((await refresh(sealPeerToken(counted, 3, key))).status, 200);
});

t.test('sessions that cannot be imported, and those that are left out', async (t) => {
  const { at, database, move, refresh, users } = await openMoving(t);
  const { admin } = database;
  const userId = await addPeerUser(admin, freshEmail());
  const key = freshTokenKey();
  const encrypted = { refresh_token_hmac_key: '{"key_id":"a"}', refresh_token_counter: 1 };
  const broken = await addPeerSession(admin, userId, encrypted);
  await addPeerSession(admin, userId, { refresh_token_hmac_key: 'c2hvcnQ', refresh_token_counter: 1 });
  const client = await addPeerSession(admin, userId, {
    oauth_client_id: await addPeerClient(admin, { deleted_at: '2026-01-01T10:00:00Z' }),
    refresh_token_hmac_key: key,
    refresh_token_counter: 0,
  });
  const deleted = await addPeerUser(admin, freshEmail());
  await addPeerSession(admin, deleted);
  await admin.query('update auth.users set deleted_at = now() where id = $1', [deleted]);
  const first = await move();
  t.equal(first.code, 1);
  t.match(first.report, { accounts: { imported: 1, skipped: 1 }, sessions: { skipped: 2, refused: 2 } });
  t.match(
    first.err,
    /session \d: refresh_token_hmac_key is encrypted, and no key of AUTH_SECURITY_DB_ENCRYPTION_DECRYPTION_KEYS/,
  );
  t.match(first.err, /session \d: refresh_token_hmac_key is not base64 of 32 bytes/);
  const refused = readFileSync(join(at, 'moving.refused.ndjson'), 'utf8');
  t.match(refused, broken);
  t.notMatch(refused, 'key_id', 'no key is written there');
  t.equal((await refresh(sealPeerToken(client, 0, key))).status, 400, 'a token of a client that was deleted');

  await admin.query('drop table auth.mfa_amr_claims');
  t.match(await move(), { code: 0, err: /no sessions are imported/ });
  t.notOk(existsSync(join(at, 'moving.refused.ndjson')));
  t.match((await move('--no-sessions')).report, { accounts: { skipped: 2 }, sessions: NONE });
  t.match(await users('import', '--help'), { code: 0, out: /--no-sessions/ });
});
