import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openMoving } from '../support/moving.js';
import { addClient, oauthSettings, refresh, signInToClient, signUpPerson } from '../support/oauth-client.js';
import { peerBox, peerEncryption } from '../support/peer-box.js';
import { addPeerClient, addPeerConsent, addPeerProvider, PEER_CLIENT_SECRET } from '../support/peer-oauth.js';
import { addPeerSession, addPeerUser, freshTokenKey, sealPeerToken } from '../support/peer-tables.js';
import { freshEmail } from '../support/server.js';
import { t } from '../support/tap.js';

const settings = oauthSettings({
  CUSTOM_OAUTH_ENABLED: 'true',
  OAUTH_SERVER_CLIENT_CREDENTIALS_ENABLED: 'true',
  ...peerEncryption,
});

t.test('clients, consents, their sessions and providers: export, load, import again', async (t) => {
  const moving = await openMoving(t, settings);
  const { at, database, move, users } = moving;
  const { admin } = database;
  const movedId = await addPeerClient(admin);
  const erasedId = await addPeerClient(admin);
  const providerId = await addPeerProvider(admin);
  const erasedProvider = await addPeerProvider(admin);
  const ofOrganization = await addPeerProvider(admin);
  const userId = await addPeerUser(admin, freshEmail());
  await addPeerConsent(admin, userId, movedId);
  const key = freshTokenKey();
  const counted = { refresh_token_hmac_key: key, refresh_token_counter: 5 };
  const sessionId = await addPeerSession(admin, userId, {
    ...counted,
    oauth_client_id: movedId,
    scopes: 'openid email',
  });
  t.equal((await move()).code, 0);

  const person = await signUpPerson(moving);
  const client = await addClient(moving, { client_name: `it's a $latchkey$ client` });
  const { body: own } = await signInToClient(moving, person, client);
  const fields = { token_endpoint_auth_method: 'client_secret_post', client_type: 'confidential' };
  const limited = await addClient(moving, { scope: 'email' });
  const { body: ofLimited } = await signInToClient(moving, person, limited);
  const machine = await addClient(moving, { ...fields, grant_types: ['client_credentials'], redirect_uris: undefined });
  const bound = await addClient(moving, { dpop_bound_access_tokens: true });
  await admin.query('update oauth_clients set deleted_at = now(), version = version + 1 where id = $1', [erasedId]);
  await admin.query('delete from custom_providers where id = $1', [erasedProvider]);
  await admin.query(
    `with o as (insert into organizations (name, slug) values ('Acme', 'acme') returning id)
     update custom_providers p set organization_id = o.id from o where p.id = $1`,
    [ofOrganization],
  );

  const read = async (text: string) => (await admin.query(text)).rows;
  const here = async () => ({
    clients: await read(
      'select id, name, secret_hash, redirect_uris, grant_types, registration, created_at, updated_at from oauth_clients order by id',
    ),
    consents: await read('select * from oauth_consents order by user_id, client_id'),
    sessions: await read('select * from sessions order by id'),
    providers: await read('select id, identifier, settings, created_at, updated_at from custom_providers order by id'),
  });
  const file = join(at, 'back.sql');
  const { code, err } = await users('export', '--to-gotrue', file);
  t.equal(code, 0, err);
  t.match(err, /exported 2 accounts, 2 OAuth clients, 1 custom providers, 0 SSO providers/);
  t.match(err, `client ${limited.id} is left out: it may ask for some scopes only`);
  t.match(err, `client ${machine.id} is left out: none of its grant types is there`);
  t.match(err, `client ${bound.id} is left out: its tokens are bound to a key`);
  t.match(err, `provider ${ofOrganization} is left out: it belongs to an organization`);
  const script = readFileSync(file, 'utf8');
  t.notMatch(script, 'secret at the provider', 'encrypted');
  await admin.query(script);
  await admin.query(script);
  t.same(
    await read('select id from auth.oauth_clients order by id'),
    [movedId, client.id].sort().map((id) => ({ id })),
  );
  const providers = await read(
    'select id, client_secret, custom_claims_allowlist as claims from auth.custom_oauth_providers',
  );
  t.match(providers, [{ id: providerId, claims: ['groups'] }]);
  t.equal(peerBox.open(providerId, providers[0].client_secret), 'secret at the provider');
  t.match(
    await read(
      'select id, oauth_client_id, scopes from auth.sessions where oauth_client_id is not null order by scopes',
    ),
    [
      { oauth_client_id: client.id, scopes: 'email' },
      { id: sessionId, oauth_client_id: movedId, scopes: 'openid email' },
    ],
  );
  t.equal((await read('select from auth.sessions where oauth_client_id is null')).length, 1, 'that of the person');
  t.match((await move()).report, { clients: { skipped: 2, changed: 0 }, consents: { skipped: 2 } });

  const isOf = (ids: string[]) => (row: Record<string, string>) => !ids.some((id) => Object.values(row).includes(id));
  const left = isOf([limited.id, machine.id, bound.id, erasedId]);
  const before = await here();
  await admin.query(`
    delete from users; delete from oauth_clients; delete from custom_providers; delete from moved_accounts;
    delete from moved_sessions; delete from moved_clients; delete from moved_consents; delete from moved_providers`);
  t.match(await move(), {
    code: 0,
    report: { clients: { imported: 2 }, consents: { imported: 2 }, sessions: { imported: 3 } },
  });
  t.same(await here(), {
    clients: before.clients.filter(left),
    consents: before.consents.filter(left),
    sessions: before.sessions.filter(left),
    providers: before.providers,
  });
  t.match(await users('import', '--from-gotrue', 'env:PEER_URL', '--verify'), { code: 0, err: '' });
  t.match(await refresh(moving, client, own.refresh_token), { status: 200, body: { scope: 'email' } });
  t.equal((await refresh(moving, limited, ofLimited.refresh_token)).status, 401);
  const moved = { id: movedId, secret: PEER_CLIENT_SECRET };
  t.equal((await refresh(moving, moved, sealPeerToken(sessionId, 5, key))).status, 200);
});

t.test('an older release gets no session of a client as one of the user', async (t) => {
  const moving = await openMoving(t, settings);
  const { at, database, users } = moving;
  const { admin } = database;
  const person = await signUpPerson(moving);
  await signInToClient(moving, person, await addClient(moving));
  const file = join(at, 'old.sql');
  await users('export', '--to-gotrue', file);
  await admin.query(`
    alter table auth.sessions drop column oauth_client_id, drop column scopes;
    drop table auth.oauth_consents, auth.oauth_clients, auth.custom_oauth_providers`);
  await admin.query(readFileSync(file, 'utf8'));
  const { rows } = await admin.query('select user_id from auth.sessions');
  t.same(rows, [{ user_id: person.id }]);
  const { rows: tokens } = await admin.query('select from auth.refresh_tokens');
  t.equal(tokens.length, 1);
});
