import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { createProviderSealer } from '../../src/server/providers/stored/secret-sealer.js';
import { type Moving, openMoving } from '../support/moving.js';
import { authorize, consent, oauthSettings, postForm, refresh } from '../support/oauth-client.js';
import { peerBox, peerKeySettings } from '../support/peer-box.js';
import {
  addPeerClient,
  addPeerConsent,
  addPeerProvider,
  PEER_CLIENT_SECRET,
  peerSecretHash,
} from '../support/peer-oauth.js';
import { addPeerSession, addPeerTokens, addPeerUser, freshTokenKey, sealPeerToken } from '../support/peer-tables.js';
import { freshEmail, JWT_SECRET } from '../support/server.js';
import { t } from '../support/tap.js';

const NONE = { imported: 0, changed: 0, skipped: 0, kept: 0, refused: 0, gone: 0 };
const TIME = '2026-01-01T10:00:00.123456Z';
const settings = oauthSettings({ CUSTOM_OAUTH_ENABLED: 'true', ...peerKeySettings });
const secretless = { client_secret_hash: null, client_type: 'public', token_endpoint_auth_method: 'none' };
const sealer = createProviderSealer({
  jwtSecret: JWT_SECRET,
  jwtPreviousSecrets: [],
  jwtPreviousSecretsValidUntil: null,
});

/** A user there whose session and consent belong to a client. */
async function openClientSession({ database: { admin } }: Moving, clientId: string, columns = {}) {
  const userId = await addPeerUser(admin, freshEmail());
  const consentId = await addPeerConsent(admin, userId, clientId);
  const of = { oauth_client_id: clientId, scopes: 'openid email', ...columns };
  const sessionId = await addPeerSession(admin, userId, of);
  const [token] = await addPeerTokens(admin, sessionId);
  return { userId, consentId, sessionId, token: token! };
}

const verify = ({ users }: Moving) => users('import', '--from-gotrue', 'env:PEER_URL', '--verify');

t.test('clients, consents and sessions of clients work after the import', async (t) => {
  const moving = await openMoving(t, settings);
  const { database, move, call } = moving;
  const { admin } = database;
  const clientId = await addPeerClient(admin);
  const publicId = await addPeerClient(admin, { ...secretless, registration_type: 'dynamic', client_name: null });
  const goneId = await addPeerClient(admin, { deleted_at: TIME });
  const mine = await openClientSession(moving, clientId);
  const unscoped = await openClientSession(moving, publicId, { scopes: null });
  const key = freshTokenKey();
  const counted = await openClientSession(moving, publicId, { refresh_token_hmac_key: key, refresh_token_counter: 2 });
  await openClientSession(moving, goneId);
  await addPeerConsent(admin, mine.userId, publicId, { revoked_at: '2026-02-01T10:00:00Z' });
  const own = await addPeerSession(admin, mine.userId);
  const [ownToken] = await addPeerTokens(admin, own);

  const { report, err } = await move();
  t.match(report, {
    accounts: { imported: 4 },
    clients: { imported: 2, skipped: 1 },
    consents: { imported: 4, skipped: 0 },
    sessions: { imported: 4, skipped: 1 },
  });
  t.equal(err, '');
  const again = (await move()).report;
  t.match(again, {
    clients: { skipped: 3, changed: 0 },
    consents: { skipped: 4 },
    sessions: { skipped: 5, changed: 0 },
  });
  t.match(await verify(moving), { code: 0, err: '' });

  const client = { id: clientId, secret: PEER_CLIENT_SECRET };
  t.match(await refresh(moving, { ...client, secret: 'another' }, mine.token), { status: 401 });
  t.match(await moving.refresh(mine.token), { status: 400, body: { error: 'invalid_client' } });
  t.match(await refresh(moving, { id: publicId, secret: undefined }, mine.token), { status: 400 }, 'of another client');
  t.match(await refresh(moving, client, ownToken!), { status: 400 }, 'of the user');
  const form = { client_id: clientId, client_secret: PEER_CLIENT_SECRET, token: mine.token };
  t.match(await postForm(moving, '/oauth/introspect', form), {
    body: { active: true, client_id: clientId, scope: 'openid email', sub: mine.userId },
  });
  const answer = await refresh(moving, client, mine.token);
  t.match(answer, { status: 200, body: { scope: 'openid email' } });
  t.match(decodeJwt(answer.body.access_token), {
    ...{ sub: mine.userId, session_id: mine.sessionId, client_id: clientId, scope: 'openid email' },
    amr: [{ method: 'password' }],
  });
  const info = await call('GET', '/oauth/userinfo', { bearer: answer.body.access_token });
  t.match(info, { status: 200, body: { sub: mine.userId } });
  t.equal((await refresh(moving, client, answer.body.refresh_token)).status, 200);
  const named = await refresh(moving, { id: publicId, secret: undefined }, sealPeerToken(counted.sessionId, 2, key));
  t.match(named, { status: 200, body: { scope: 'openid email' } });
  const bare = await refresh(moving, { id: publicId, secret: undefined }, unscoped.token);
  t.match(bare, { status: 200, body: { scope: '' } });
  const { body: token } = await moving.refresh(ownToken!);

  // The consent is one of ours.
  const grants = await call('GET', '/user/oauth/grants', { bearer: token.access_token });
  t.match(grants.body, [{ client: { id: clientId, name: 'Example' }, scopes: ['openid', 'email'] }]);
  t.equal(grants.body.length, 1, 'not what was taken back');
  const { location } = await authorize(moving, { clientId, parameters: { redirect_uri: 'http://localhost:3000/cb' } });
  const back = await consent(moving, { token: token.access_token }, location);
  t.match(back.href, /^http:\/\/localhost:3000\/cb\?code=/);

  const other = await openClientSession(moving, clientId);
  await move();
  const revoked = await postForm(moving, '/oauth/revoke', { ...form, token: other.token });
  t.equal(revoked.status, 200);
  t.match(await refresh(moving, client, other.token), { body: { error_code: 'refresh_token_not_found' } });
});

t.test('custom providers move in, with secrets in clear and encrypted', async (t) => {
  const moving = await openMoving(t, settings);
  const { database, move } = moving;
  const { admin } = database;
  const clearId = await addPeerProvider(admin, { identifier: 'custom:clear' });
  const sealedId = await addPeerProvider(admin, {
    ...{
      identifier: 'custom:sealed',
      provider_type: 'oauth2',
      issuer: null,
      pkce_enabled: false,
      email_optional: true,
    },
    ...{ authorization_url: 'https://a.example.com/a', token_url: 'https://a.example.com/t' },
    userinfo_url: 'https://a.example.com/u',
  });
  await admin.query('update auth.custom_oauth_providers set client_secret = $2 where id = $1', [
    sealedId,
    peerBox.seal(sealedId, 'encrypted there'),
  ]);
  const discovery = { issuer: 'https://id.example.com', authorization_endpoint: 'https://id.example.com/a' };
  await admin.query('update auth.custom_oauth_providers set cached_discovery = $2 where id = $1', [clearId, discovery]);
  t.match(await move(), { code: 0, err: '', report: { providers: { ...NONE, imported: 2 } } });
  t.match((await move()).report, { providers: { ...NONE, skipped: 2 } });
  t.match(await verify(moving), { code: 0, err: '' });

  const { rows } = await admin.query('select * from custom_providers order by identifier');
  t.match(rows, [
    {
      id: clearId,
      provider_type: 'oidc',
      discovery_document: discovery,
      settings: {
        ...{ name: 'Example', client_id: 'client at the provider', issuer: 'https://id.example.com', enabled: true },
        ...{ scopes: ['openid', 'email'], acceptable_client_ids: ['ios'], custom_claims_allowlist: ['groups'] },
        ...{ attribute_mapping: { name: 'full_name' }, authorization_params: { prompt: 'login' }, pkce_enabled: true },
      },
    },
    { id: sealedId, settings: { token_url: 'https://a.example.com/t', pkce_enabled: false, email_optional: true } },
  ]);
  t.equal(sealer.open(clearId, rows[0].sealed_secret), 'secret at the provider');
  t.equal(sealer.open(sealedId, rows[1].sealed_secret), 'encrypted there');
  const url = new URL(`${moving.url}/authorize?provider=custom:sealed`);
  const begun = await fetch(url, { redirect: 'manual' });
  t.match(begun.headers.get('location'), /^https:\/\/a\.example\.com\/a\?.*client_id=client\+?(%20)?at/);
});

t.test('a second run brings what has changed there, and not what has changed here', async (t) => {
  const moving = await openMoving(t, settings);
  const { database, move } = moving;
  const { admin } = database;
  const [same, edited, editedHere, gone, erased] = [
    await addPeerClient(admin),
    await addPeerClient(admin),
    await addPeerClient(admin),
    await addPeerClient(admin),
    await addPeerClient(admin),
  ];
  const [kept, ended, renewed, ofGone] = [
    await openClientSession(moving, same),
    await openClientSession(moving, same),
    await openClientSession(moving, same),
    await openClientSession(moving, gone),
  ];
  const [provider, providerHere, lostProvider] = [
    await addPeerProvider(admin),
    await addPeerProvider(admin),
    await addPeerProvider(admin),
  ];
  await move();
  const client = { id: same, secret: PEER_CLIENT_SECRET };
  const { body: used } = await refresh(moving, client, ended.token);

  await admin.query(
    'update auth.oauth_clients set client_secret_hash = $2, client_name = $3, updated_at = now() where id = any($1)',
    [[edited, editedHere, erased], peerSecretHash('a newer secret'), 'Changed there'],
  );
  await admin.query('update auth.oauth_clients set deleted_at = now() where id = $1', [gone]);
  await admin.query(`update auth.oauth_consents set revoked_at = now() where id = $1`, [ended.consentId]);
  await admin.query('delete from auth.sessions where id = $1', [ended.sessionId]);
  await admin.query(`update auth.oauth_consents set scopes = 'openid phone', granted_at = now() where id = any($1)`, [
    [kept.consentId, renewed.consentId],
  ]);
  await admin.query(
    `update auth.custom_oauth_providers set client_secret = 'newer', name = 'Newer' where id = any($1)`,
    [[provider, providerHere]],
  );
  await admin.query('delete from auth.custom_oauth_providers where id = $1', [lostProvider]);
  await admin.query(`update oauth_clients set name = 'Changed here', version = version + 1 where id = $1`, [
    editedHere,
  ]);
  await admin.query('update oauth_clients set deleted_at = now(), version = version + 1 where id = $1', [erased]);
  await admin.query(`update oauth_consents set granted_at = now() where user_id = $1`, [renewed.userId]);
  await admin.query(`update custom_providers set version = version + 1 where id = $1`, [providerHere]);

  const { report, code, err } = await move();
  t.equal(code, 0, err);
  t.same(report.clients, { ...NONE, skipped: 2, changed: 1, kept: 2, gone: 1 });
  t.same(report.consents, { ...NONE, changed: 2, kept: 1 });
  t.same(report.providers, { ...NONE, changed: 1, kept: 1, gone: 1 });
  const { rows: clients } = await admin.query(
    'select id, name, deleted_at is not null as is_deleted from oauth_clients',
  );
  const nameOf = (id: string) => clients.find((one) => one.id === id);
  t.match(nameOf(edited), { name: 'Changed there', is_deleted: false });
  t.match(nameOf(editedHere), { name: 'Changed here' });
  t.match([nameOf(gone), nameOf(erased)], [{ is_deleted: true }, { is_deleted: true }]);
  const { rows: consents } = await admin.query('select user_id, scopes, revoked_at from oauth_consents');
  const consentOf = (userId: string) => consents.find((one) => one.user_id === userId);
  t.match(consentOf(kept.userId), { scopes: ['openid', 'phone'], revoked_at: null });
  t.match(consentOf(renewed.userId), { scopes: ['openid', 'email'] });
  t.ok(consentOf(ended.userId).revoked_at);
  t.equal(consentOf(ofGone.userId), undefined);
  const refused = { status: 400, body: { error_code: 'refresh_token_not_found' } };
  t.match(await refresh(moving, client, used.refresh_token), refused, 'taken back there, refreshed here');
  t.equal((await refresh(moving, client, kept.token)).status, 200);
  t.equal((await refresh(moving, { id: gone, secret: PEER_CLIENT_SECRET }, ofGone.token)).status, 401);
  const { rows: sessions } = await admin.query('select from sessions where oauth_client_id = $1', [gone]);
  t.equal(sessions.length, 0);
  const { rows: providers } = await admin.query('select id, settings, sealed_secret from custom_providers order by id');
  t.equal(providers.length, 2);
  const newer = providers.find(({ id }) => id === provider);
  t.match(newer.settings, { name: 'Newer' });
  t.equal(sealer.open(provider, newer.sealed_secret), 'newer');
});

t.test('what is refused, and what stays there', async (t) => {
  const moving = await openMoving(t, settings);
  const { at, database, move, users } = moving;
  const { admin } = database;
  const old = await addPeerClient(admin, { client_secret_hash: '$2a$10$abcdefghijklmnopqrstuv' });
  const plain = await addPeerClient(admin, { redirect_uris: 'http://client.example.com/callback' });
  await openClientSession(moving, plain);
  const lost = await addPeerProvider(admin);
  await admin.query('update auth.custom_oauth_providers set client_secret = $2 where id = $1', [
    lost,
    peerBox.seal('another id', 'secret'),
  ]);
  const hosted = await addPeerProvider(admin, { identifier: 'custom:hosted' });
  const taken = await addPeerProvider(admin, { identifier: 'custom:taken' });
  await admin.query(
    `insert into custom_providers (identifier, provider_type, settings, sealed_secret) values ('custom:taken', 'oidc', '{}', '')`,
  );
  await admin.query(`
    insert into auth.oauth_client_states (id, provider_type, created_at) values (gen_random_uuid(), 'google', now())`);
  const { code, err, report } = await move();
  t.equal(code, 1);
  t.match(report, {
    clients: { imported: 0, refused: 2 },
    consents: { skipped: 1, refused: 0 },
    sessions: { skipped: 1 },
    providers: { imported: 0, refused: 3 },
    staying: { provider_sign_ins: 1 },
  });
  t.match(err, `client ${old}: client_secret_hash is of release 2.179`);
  t.match(err, `client ${plain}: redirect_uris: an entry must use https`);
  t.match(err, `provider ${lost}: client_secret is encrypted, and no key`);
  t.match(err, `provider ${hosted}: identifier is reserved`);
  t.match(err, `provider ${taken}: another provider has its identifier`);
  const refused = readFileSync(join(at, 'moving.refused.ndjson'), 'utf8');
  t.notMatch(refused, /secret/, 'no secret and no hash of one is written there');
  const { out } = await users('import', '--from-gotrue', 'env:PEER_URL', '--bookmark', join(at, 'text.bookmark'));
  t.match(out, /not imported: 1 sign-ins at identity providers that are under way/);

  await admin.query('drop table auth.oauth_consents, auth.custom_oauth_providers');
  const { err: absent } = await move();
  t.match(absent, /There is no table oauth_consents: no consents are imported/);
  t.match(absent, /There is no table custom_oauth_providers: no custom providers are imported/);
});
