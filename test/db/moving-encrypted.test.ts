import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openMoving } from '../support/moving.js';
import { peerBox, peerEncryption, peerKeySettings } from '../support/peer-box.js';
import { addPeerSession, addPeerUser, freshTokenKey, sealPeerToken } from '../support/peer-tables.js';
import { freshEmail, password } from '../support/server.js';
import { t } from '../support/tap.js';

t.test('what supabase/auth has encrypted moves in with its keys, and back', async (t) => {
  const { at, database, move, refresh, users, post } = await openMoving(t, peerEncryption);
  const { admin } = database;
  const example = freshEmail();
  await post('/signup', { email: example, password });
  const { rows: hashes } = await admin.query('delete from users where email = $1 returning password_hash', [example]);
  const hash: string = hashes[0].password_hash;
  const [email, lostEmail] = [freshEmail(), freshEmail()];
  const [userId, lostId] = [await addPeerUser(admin, email), await addPeerUser(admin, lostEmail)];
  const encrypt = (id: string, stored: string) =>
    admin.query('update auth.users set encrypted_password = $2 where id = $1', [id, stored]);
  await encrypt(userId, peerBox.seal(userId, hash));
  await encrypt(lostId, peerBox.seal(userId, hash));
  const key = freshTokenKey();
  const sessionId = await addPeerSession(admin, userId, { refresh_token_counter: 3 });
  await admin.query('update auth.sessions set refresh_token_hmac_key = $2 where id = $1', [
    sessionId,
    peerBox.seal(sessionId, key),
  ]);

  const { report, err } = await move();
  t.match(report, { accounts: { imported: 1, refused: 1 }, sessions: { imported: 1, refused: 0 } }, err);
  t.match(err, /password_hash is encrypted, and no key of AUTH_SECURITY_DB_ENCRYPTION_DECRYPTION_KEYS opens it/);
  t.match((await move()).report, { accounts: { skipped: 1, changed: 0 }, sessions: { skipped: 1, changed: 0 } });
  await admin.query('delete from auth.users where id = $1', [lostId]);
  t.match(await users('import', '--from-gotrue', 'env:PEER_URL', '--verify'), { code: 0, err: '' });

  const file = join(at, 'back.sql');
  t.equal((await users('export', '--to-gotrue', file)).code, 0);
  const script = readFileSync(file, 'utf8');
  t.notMatch(script, hash);
  t.notMatch(script, key);
  await admin.query('delete from auth.users');
  await admin.query(script);
  const { rows } = await admin.query('select encrypted_password as hash from auth.users where id = $1', [userId]);
  t.equal(peerBox.open(userId, rows[0].hash), hash);
  const { rows: keys } = await admin.query('select refresh_token_hmac_key as key from auth.sessions');
  t.equal(peerBox.open(sessionId, keys[0].key), key);
  t.match((await move()).report, { accounts: { skipped: 1, changed: 0 }, sessions: { skipped: 1, changed: 0 } });

  t.equal((await post('/token?grant_type=password', { email, password })).status, 200);
  t.equal((await refresh(sealPeerToken(sessionId, 3, key))).status, 200);
});

t.test('without encryption here, the way back is in clear', async (t) => {
  const { database, move, users, post } = await openMoving(t, peerKeySettings);
  const { admin } = database;
  const example = freshEmail();
  await post('/signup', { email: example, password });
  const { rows } = await admin.query('delete from users where email = $1 returning password_hash', [example]);
  const userId = await addPeerUser(admin, freshEmail());
  const sealed = peerBox.seal(userId, rows[0].password_hash);
  await admin.query('update auth.users set encrypted_password = $2 where id = $1', [userId, sealed]);
  t.match(await move(), { code: 0, report: { accounts: { imported: 1 } } });
  t.match((await users('export', '--to-gotrue', '-', '--format', 'ndjson')).out, rows[0].password_hash);
});
