import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { Authenticator } from '../support/authenticator.js';
import { codeOf, verifyWith } from '../support/authenticator-app.js';
import { type Moving, openMoving } from '../support/moving.js';
import { passkeySettings, RP_ID, trySignIn } from '../support/passkeys.js';
import { peerBox, peerEncryption, peerKeySettings } from '../support/peer-box.js';
import { addPeerCodes, addPeerFactor, addPeerPasskey, peerCredential } from '../support/peer-factors.js';
import { addPeerSession, addPeerTokens, addPeerUser } from '../support/peer-tables.js';
import { freshEmail } from '../support/server.js';
import { t } from '../support/tap.js';

const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const CODE = 'abcdefgh23456723';
const NONE = { imported: 0, changed: 0, skipped: 0, kept: 0, refused: 0, gone: 0 };
const settings = {
  ...passkeySettings,
  MFA_RECOVERY_CODES_ENROLL_ENABLED: 'true',
  MFA_RECOVERY_CODES_VERIFY_ENABLED: 'true',
  MFA_WEB_AUTHN_ENROLL_ENABLED: 'true',
  MFA_WEB_AUTHN_VERIFY_ENABLED: 'true',
  ...peerKeySettings,
};

/** An account there with a session. */
async function openAccount({ database: { admin } }: Moving, columns: Record<string, unknown> = {}) {
  const userId = await addPeerUser(admin, freshEmail());
  const sessionId = await addPeerSession(admin, userId, columns);
  const [token] = await addPeerTokens(admin, sessionId);
  return { userId, sessionId, token: token! };
}

/** An Argon2id hash, from the server itself. */
async function hashOf({ post, database: { admin } }: Moving, text: string): Promise<string> {
  const email = freshEmail();
  await post('/signup', { email, password: text });
  const { rows } = await admin.query('select password_hash from users where email = $1', [email]);
  return rows[0].password_hash;
}

t.test('factors of supabase/auth work after the import', async (t) => {
  const moving = await openMoving(t, settings);
  const { database, move, refresh, call, users } = moving;
  const { admin } = database;
  const [clear, sealed, device, keyed] = [
    await openAccount(moving),
    await openAccount(moving),
    await openAccount(moving),
    await openAccount(moving),
  ];
  const clearId = await addPeerFactor(admin, clear.userId, { secret: SECRET });
  const sealedId = await addPeerFactor(admin, sealed.userId);
  const encrypted = peerBox.seal(sealedId, SECRET);
  await admin.query('update auth.mfa_factors set secret = $2 where id = $1', [sealedId, encrypted]);
  await addPeerFactor(admin, clear.userId, { friendly_name: 'begun', status: 'unverified', secret: SECRET });
  const phoneId = await addPeerFactor(admin, clear.userId, {
    ...{ factor_type: 'phone', friendly_name: 'Phone', phone: '15555550100' },
  });
  const hash = await hashOf(moving, CODE);
  const codesId = await addPeerCodes(admin, sealed.userId, [
    { code_hash: hash },
    { code_hash: hash, consumed_at: '2026-02-01T10:00:00Z' },
  ]);
  const authenticator = new Authenticator();
  authenticator.userHandle = Buffer.from(device.userId).toString('base64url');
  await addPeerPasskey(admin, device.userId, authenticator.credentialId, authenticator.publicKey);
  const securityKey = new Authenticator();
  const securityKeyId = await addPeerFactor(admin, keyed.userId, {
    factor_type: 'webauthn',
    web_authn_credential: peerCredential(Buffer.from(securityKey.credentialId, 'base64url'), securityKey.publicKey),
  });
  const raised = await addPeerSession(admin, clear.userId, { aal: 'aal2', factor_id: clearId });
  await admin.query(
    `insert into auth.mfa_amr_claims (session_id, created_at, updated_at, authentication_method, id)
     values ($1, '2026-01-01T11:00:00Z', '2026-01-01T12:00:00Z', 'totp', gen_random_uuid())`,
    [raised],
  );
  const [raisedToken] = await addPeerTokens(admin, raised);
  const { report, err, code } = await move();
  t.equal(code, 0, err);
  t.same(report.factors, { ...NONE, imported: 5 });
  t.same(report.passkeys, { ...NONE, imported: 1 });

  await t.test('rows keep ids and times, and no secret is there in clear', async (t) => {
    const { rows } = await admin.query('select * from mfa_factors');
    t.same(rows.map(({ id }) => id).sort(), [clearId, sealedId, phoneId, codesId, securityKeyId].sort());
    const totp = rows.find(({ id }) => id === clearId);
    t.match(totp, { user_id: clear.userId, status: 'verified', friendly_name: 'App' });
    t.equal(totp.created_at.toISOString(), '2026-01-01T10:00:00.123Z');
    t.notOk(JSON.stringify(rows).includes(SECRET));
    t.match(
      rows.find(({ id }) => id === phoneId),
      { kind: 'phone', phone: '15555550100' },
    );
  });

  await t.test('a session at aal2 stays there, with the time of the factor', async (t) => {
    const answer = await refresh(raisedToken!);
    t.equal(answer.status, 200);
    const { aal, amr } = decodeJwt(answer.body.access_token);
    t.equal(aal, 'aal2');
    t.same(amr, [
      { method: 'totp', timestamp: Date.parse('2026-01-01T12:00:00Z') / 1000 },
      { method: 'password', timestamp: Date.parse('2026-01-01T10:00:00Z') / 1000 },
    ]);
    const removed = await call('DELETE', `/factors/${clearId}`, { bearer: answer.body.access_token });
    t.equal(removed.status, 200);
    const { rows } = await admin.query('select aal, second_factors from sessions where id = $1', [raised]);
    t.same(rows, [{ aal: 'aal1', second_factors: null }], 'it was this factor that had raised it');
  });

  await t.test('codes of the app, of an encrypted secret', async (t) => {
    const { body } = await refresh(sealed.token);
    t.match(decodeJwt(body.access_token), { aal: 'aal1' });
    const answer = await verifyWith(moving, body, sealedId, codeOf(SECRET));
    t.equal(answer.status, 200);
    t.match(decodeJwt(answer.body.access_token), { aal: 'aal2' });
  });

  await t.test('recovery codes, each once', async (t) => {
    const { userId } = sealed;
    const sessionId = await addPeerSession(admin, userId);
    const [token] = await addPeerTokens(admin, sessionId);
    t.match((await move()).report, { sessions: { imported: 1 } });
    const { body } = await refresh(token!);
    const use = () =>
      call('POST', '/factors/recovery-codes/verify', {
        bearer: body.access_token,
        body: { code: 'ABCD-EFGH 23456723' },
      });
    const first = await use();
    t.equal(first.status, 200);
    t.match(decodeJwt(first.body.access_token), { aal: 'aal2' });
    t.equal((await use()).status, 422, 'the other one was spent there');
  });

  await t.test('passkeys and security keys', async (t) => {
    const signedIn = await trySignIn(moving, authenticator);
    t.match(signedIn, { status: 200, body: { user: { id: device.userId } } });
    const { body } = await refresh(keyed.token);
    const bearer = body.access_token;
    const challenge = await call('POST', `/factors/${securityKeyId}/challenge`, { bearer, body: {} });
    const { publicKey } = challenge.body.webauthn.credential_options;
    t.equal(publicKey.rpId, RP_ID);
    const answer = await call('POST', `/factors/${securityKeyId}/verify`, {
      bearer,
      body: {
        challenge_id: challenge.body.id,
        webauthn: { type: 'request', credential_response: securityKey.get(publicKey) },
      },
    });
    t.equal(answer.status, 200);
  });

  await t.test('a second run: what was removed here stays so, what changed there comes', async (t) => {
    await admin.query(`update auth.mfa_factors set friendly_name = 'New' where id = any($1)`, [[clearId, sealedId]]);
    await admin.query(`update auth.mfa_recovery_codes set consumed_at = '2026-03-01'`);
    await admin.query('delete from auth.mfa_factors where id = $1', [phoneId]);
    await admin.query(`update mfa_factors set friendly_name = 'Mine', updated_at = now() where id = $1`, [
      securityKeyId,
    ]);
    await admin.query(`update auth.mfa_factors set friendly_name = 'Theirs' where id = $1`, [securityKeyId]);
    const { report, err } = await move();
    t.same(report.factors, { ...NONE, changed: 2, kept: 2, gone: 1 }, err);
    t.same(report.passkeys, { ...NONE, skipped: 1 });
    const { rows } = await admin.query('select id, friendly_name from mfa_factors');
    t.same(
      new Map(rows.map(({ id, friendly_name }) => [id, friendly_name])),
      new Map([
        [sealedId, 'New'],
        [codesId, 'Recovery codes'],
        [securityKeyId, 'Mine'],
      ]),
    );
    const { rows: codes } = await admin.query('select from mfa_recovery_codes where consumed_at is null');
    t.equal(codes.length, 0);
  });

  await t.test('--verify names what differs', async (t) => {
    await admin.query(`update passkeys set friendly_name = 'Other'`);
    const { out, err, code } = await users('import', '--from-gotrue', 'env:PEER_URL', '--verify');
    t.equal(code, 1);
    t.match(out, /passkeys +1 +1\n/);
    t.match(err, /passkey \S+ differs in friendly_name/);
  });
});

t.test('damaged rows are counted and named, the others come', async (t) => {
  const moving = await openMoving(t, settings);
  const { at, database, move } = moving;
  const { admin } = database;
  const { userId } = await openAccount(moving);
  const name = (n: number) => ({ friendly_name: `app ${n}` });
  const unknownKey = await addPeerFactor(admin, userId, {
    ...name(1),
    secret: '{"key_id":"lost","alg":"aes-gcm-hkdf","data":"AAAAAAAAAAAAAAAAAAAAAAAAAAAA","nonce":"AAAAAAAAAAAAAAAA"}',
  });
  const noBase32 = await addPeerFactor(admin, userId, { ...name(2), secret: 'not base32!' });
  await admin.query('alter table auth.mfa_factors drop constraint mfa_factors_user_id_fkey');
  const orphan = await addPeerFactor(admin, '6b1c1a86-30a2-4a7e-9d57-3f1f3c1c9b10', { secret: SECRET });
  const { credentialId, publicKey } = new Authenticator();
  const credential = peerCredential(Buffer.from(credentialId, 'base64url'), publicKey);
  const webauthn = { factor_type: 'webauthn', web_authn_credential: credential };
  const twins = [
    await addPeerFactor(admin, userId, { ...name(3), ...webauthn }),
    await addPeerFactor(admin, userId, { ...name(4), ...webauthn }),
  ].sort();
  const good = await addPeerFactor(admin, userId, { ...name(5), secret: SECRET });
  const badKey = await addPeerPasskey(admin, userId, credentialId, Buffer.of(1, 2));
  const { code, err, report } = await move();
  t.equal(code, 1);
  t.match(report, { factors: { imported: 2, refused: 4 }, passkeys: { refused: 1 } });
  t.match(err, `factor ${unknownKey}: secret is encrypted, and no key`);
  t.match(err, `factor ${noBase32}: secret is not base32`);
  t.match(err, `factor ${orphan}: its account`);
  t.match(err, `factor ${twins[1]}: its id, one of its identities or its credential is there twice`);
  t.match(err, `passkey ${badKey}: the public key of the credential is no COSE key`);
  const { rows } = await admin.query('select id from mfa_factors');
  t.same(rows.map(({ id }) => id).sort(), [twins[0]!, good].sort());
  const refused = readFileSync(join(at, 'moving.refused.ndjson'), 'utf8');
  t.match(refused, unknownKey);
  t.notMatch(refused + err, /base32!|AAAAAAAA/);
});

t.test('older releases, another database, and the first proof of an address', async (t) => {
  const moving = await openMoving(t, settings);
  const { database, move } = moving;
  const { admin } = database;
  const { userId } = await openAccount(moving);
  const factorId = await addPeerFactor(admin, userId, { secret: SECRET });
  await admin.query('update auth.users set email_confirmed_at = null');
  await admin.query('drop table auth.mfa_recovery_codes, auth.mfa_recovery_code_sets, auth.webauthn_credentials');
  const first = await move();
  t.match(first, { code: 0, report: { factors: { imported: 1 }, passkeys: NONE } });
  t.match(first.err, 'There is no table webauthn_credentials: no passkeys are imported.');
  t.match(first.err, 'no recovery codes');
  const operatorSet = async () =>
    (await admin.query('select operator_set from account_origins where user_id = $1', [userId])).rows[0].operator_set;
  t.ok((await operatorSet()).includes('factors'));
  await admin.query(`update auth.users set raw_user_meta_data = '{"a":1}'`);
  t.match((await move()).report, { accounts: { changed: 1 }, factors: { skipped: 1 } });
  t.ok((await operatorSet()).includes('factors'), 'also after a change of the account');

  await admin.query('delete from auth.mfa_factors');
  t.match(await move(), { code: 1, err: /1 second factors that were imported earlier are here, and only 0 are there/ });
  t.match((await move('--end-missing')).report, { factors: { gone: 1 } });
  const { rows } = await admin.query('select from mfa_factors where id = $1', [factorId]);
  t.equal(rows.length, 0);
});

for (const encrypts of [false, true]) {
  t.test(`export, load, import again: secrets ${encrypts ? 'encrypted' : 'in clear'}`, async (t) => {
    const moving = await openMoving(t, {
      ...settings,
      ...(encrypts && {
        ...peerEncryption,
      }),
    });
    const { at, database, move, users, refresh } = moving;
    const { admin } = database;
    const { userId, sessionId, token } = await openAccount(moving, { aal: 'aal2' });
    const factorId = await addPeerFactor(admin, userId, { friendly_name: `it's a $latchkey$ app`, secret: SECRET });
    await admin.query('update auth.sessions set factor_id = $1', [factorId]);
    await admin.query(`update auth.mfa_amr_claims set authentication_method = 'totp'`);
    const { credentialId, publicKey } = new Authenticator();
    await addPeerFactor(admin, userId, {
      ...{ factor_type: 'webauthn', friendly_name: 'Key' },
      web_authn_credential: peerCredential(Buffer.from(credentialId, 'base64url'), publicKey),
    });
    await addPeerPasskey(admin, userId, credentialId, publicKey, { friendly_name: '$latchkey$' });
    await addPeerCodes(admin, userId, [{ code_hash: await hashOf(moving, CODE) }]);
    const removed = await addPeerFactor(admin, userId, { friendly_name: 'removed here', secret: SECRET });
    t.equal((await move()).code, 0);
    await admin.query('delete from mfa_factors where id = $1', [removed]);
    const here = async () => {
      const { rows: factors } = await admin.query('select * from mfa_factors order by id');
      const { rows: passkeys } = await admin.query('select * from passkeys order by id');
      const { rows: codes } = await admin.query('select * from mfa_recovery_codes order by id');
      const { rows: sessions } = await admin.query('select * from sessions where id = $1', [sessionId]);
      // Sealed with fresh randomness each time.
      return { factors: factors.map(({ secret, ...factor }) => factor), passkeys, codes, sessions };
    };
    const before = await here();
    const file = join(at, 'back.sql');
    const exported = await users('export', '--to-gotrue', file);
    t.equal(exported.code, 0, exported.err);
    await addPeerFactor(admin, userId, { friendly_name: 'begun', status: 'unverified' });
    const script = readFileSync(file, 'utf8');
    await admin.query(script);
    t.equal(script.includes(SECRET), !encrypts);
    const { rows } = await admin.query('select id, secret, friendly_name from auth.mfa_factors');
    t.equal(rows.length, 3, 'what was removed here, and what was only begun there, is gone');
    const { secret } = rows.find(({ id }) => id === factorId);
    t.equal(encrypts ? peerBox.open(factorId, secret) : secret, SECRET);

    await admin.query('delete from auth.users');
    await admin.query(script);
    await admin.query(
      `delete from users; delete from moved_accounts; delete from moved_sessions; delete from moved_factors;
       delete from moved_passkeys`,
    );
    const again = await move();
    t.equal(again.code, 0, again.err);
    t.same(await here(), before);
    t.match(await users('import', '--from-gotrue', 'env:PEER_URL', '--verify'), { code: 0, err: '' });
    t.equal((await refresh(token)).status, 400, 'an opaque token is known to the database it came from only');

    await admin.query('drop table auth.mfa_recovery_codes, auth.mfa_recovery_code_sets, auth.webauthn_credentials');
    await admin.query(script);
  });
}
