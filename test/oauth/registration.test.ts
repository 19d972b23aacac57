/** Registration that cannot be abused: initial tokens, management by the client itself, and the end of unused clients. */
import { randomUUID } from 'node:crypto';
import { asAdmin } from '../support/admin.js';
import { openClientHost } from '../support/client-host.js';
import {
  addClient,
  authorize,
  consent,
  oauthSettings,
  REDIRECT_URI,
  redeem,
  refresh,
  signInToClient,
  signUpPerson,
} from '../support/oauth-client.js';
import { runCommand } from '../support/run-command.js';
import { openTestServer, testEnvironment } from '../support/server.js';
import { t } from '../support/tap.js';

const host = await openClientHost(t);
const server = await openTestServer(t, oauthSettings(), (databaseUrl) => databaseUrl, host.internet);
const admin = asAdmin(server);
const REGISTER = '/oauth/clients/register';
const REFUSED = { status: 401, body: { error: 'invalid_token', error_code: 'no_authorization' } };

async function register(more: Record<string, unknown> = {}) {
  const { status, body } = await server.post(REGISTER, { redirect_uris: [REDIRECT_URI], ...more });
  if (status !== 201) throw new Error(JSON.stringify(body));
  const path = new URL(body.registration_client_uri).pathname;
  return { body, path, bearer: body.registration_access_token as string };
}

t.test('with OAUTH_SERVER_REGISTRATION_TOKEN nobody registers without one of the tokens', async (t) => {
  const settings = oauthSettings({ OAUTH_SERVER_REGISTRATION_TOKEN: 'first-token-of-an-operator,second-token-of-it' });
  const closed = await openTestServer(t, settings);
  const body = { redirect_uris: [REDIRECT_URI] };
  for (const bearer of [
    undefined,
    'first',
    'first-token-of-an-operator,second-token-of-it',
    'first-token-of-an-operatoR',
  ]) {
    const answer = await closed.call('POST', REGISTER, { body, bearer });
    t.match(answer, REFUSED, bearer ?? 'none');
    t.equal(answer.headers.get('www-authenticate'), 'Bearer error="invalid_token"');
    t.equal(answer.headers.get('cache-control'), 'no-store');
  }
  t.equal((await asAdmin(closed)('GET', '/admin/oauth/clients')).body.clients.length, 0);
  for (const bearer of ['first-token-of-an-operator', 'second-token-of-it']) {
    t.equal((await closed.call('POST', REGISTER, { body, bearer })).status, 201, bearer);
  }
});

t.test('a client reads, changes and deletes its registration (RFC 7592)', async (t) => {
  const made = await register({ client_name: 'Notes', client_uri: 'https://notes.example', scope: 'email' });
  const { path, bearer } = made;
  const { client_id, client_secret } = made.body;
  t.equal(made.body.registration_client_uri, `http://localhost:9999${REGISTER}/${client_id}`);
  t.match(bearer, /^[\w-]{43}$/);
  const read = await server.call('GET', path, { bearer });
  const { client_secret: _shown, client_secret_expires_at: _once, ...others } = made.body;
  t.match(read, { status: 200, body: others });
  t.same(Object.keys(read.body).sort(), Object.keys(others).sort(), 'without its secret');

  const changed = await server.call('PUT', path, {
    bearer,
    body: { client_id, client_secret, redirect_uris: ['https://new.example/cb'], client_name: 'Notes 2' },
  });
  t.match(changed, {
    status: 200,
    body: {
      client_id,
      client_name: 'Notes 2',
      redirect_uris: ['https://new.example/cb'],
      token_endpoint_auth_method: 'client_secret_basic',
      registration_access_token: bearer,
      scope: 'email',
    },
  });
  t.notOk('client_uri' in changed.body, 'what is left out has its default');
  const { rows } = await server.database.admin.query('select registration_hash from oauth_clients where id = $1', [
    client_id,
  ]);
  t.notOk(JSON.stringify(rows).includes(bearer), 'only a hash is stored');

  for (const logoutFields of [
    { post_logout_redirect_uris: 5 },
    { backchannel_logout_uri: 5 },
    { backchannel_logout_session_required: 'yes' },
  ]) {
    const wrong = { client_id, redirect_uris: ['https://new.example/cb'], ...logoutFields };
    t.equal((await server.call('PUT', path, { bearer, body: wrong })).status, 400, JSON.stringify(logoutFields));
  }
  const body = { client_id, redirect_uris: ['https://new.example/cb'] };
  for (const [name, more, error] of [
    ['another client_id', { client_id: randomUUID() }, 'invalid_client_metadata'],
    ['no client_id', { client_id: undefined }, 'invalid_client_metadata'],
    ['another secret', { client_secret: 'x' }, 'invalid_client_metadata'],
    ['another type', { client_type: 'public' }, 'invalid_client_metadata'],
    ['a method of another type', { token_endpoint_auth_method: 'none' }, 'invalid_client_metadata'],
    ['no redirect_uris', { redirect_uris: undefined }, 'invalid_redirect_uri'],
    ['a script', { redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
  ] as const) {
    const answer = await server.call('PUT', path, { bearer, body: { ...body, ...more } });
    t.match(answer, { status: 400, body: { error } }, name);
  }
  t.same((await server.call('GET', path, { bearer })).body, changed.body, 'a refusal changes nothing');

  t.equal((await server.call('DELETE', path, { bearer })).status, 204);
  t.match(await server.call('GET', path, { bearer }), REFUSED);
  t.equal((await admin('GET', `/admin/oauth/clients/${client_id}`)).status, 404);
  const { rows: audit } = await server.database.admin.query(
    "select payload ->> 'action' as action from audit_log where payload -> 'traits' ->> 'client_id' = $1 order by created_at",
    [client_id],
  );
  t.same(
    audit.map(({ action }) => action),
    ['oauth_client_registered', 'oauth_client_updated', 'oauth_client_deleted'],
  );
});

t.test('nobody else manages a registration', async (t) => {
  const [one, other] = [await register(), await register()];
  const manual = await addClient(server);
  const document = host.publishClient('/agent.json');
  await authorize(server, { clientId: document });
  const { rows } = await server.database.admin.query('select id from oauth_clients where url = $1', [document]);
  const body = { client_id: one.body.client_id, redirect_uris: ['https://thief.example/cb'] };
  for (const [name, path, bearer] of [
    ['without a token', one.path, undefined],
    ['the token of another client', one.path, other.bearer],
    ['the secret of the client', one.path, one.body.client_secret],
    ['the stored hash', one.path, rows[0].registration_hash],
    ['an unknown client', `${REGISTER}/${randomUUID()}`, one.bearer],
    ['no UUID', `${REGISTER}/x`, one.bearer],
    ['a client of an administrator', `${REGISTER}/${manual.id}`, one.bearer],
    ['a client with a document', `${REGISTER}/${rows[0].id}`, one.bearer],
  ] as const) {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const answer = await server.call(method, path, { bearer, ...(method === 'PUT' && { body }) });
      t.match(answer, REFUSED, `${name}: ${method}`);
    }
  }
  t.equal((await server.call('GET', one.path, { bearer: one.bearer })).body.redirect_uris[0], REDIRECT_URI);
});

t.test('clients that registered themselves end when nobody uses them', async (t) => {
  const { admin: database, url } = server.database;
  const person = await signUpPerson(server);
  const made = async (more = {}) => {
    const { body } = await register({ token_endpoint_auth_method: 'none', ...more });
    return { id: body.client_id as string, secret: undefined, body };
  };
  const [unused, refreshed, asked, approved, manual, young] = [
    await made(),
    await made(),
    await made(),
    await made(),
    await addClient(server),
    await made(),
  ];
  const document = host.publishClient('/unused.json');
  await authorize(server, { clientId: document });
  const old = await signInToClient(server, person, unused);
  const lasting = await signInToClient(server, person, refreshed);
  await authorize(server, { clientId: asked.id });
  await consent(server, person, (await authorize(server, { clientId: approved.id })).location);
  const ids = [unused, refreshed, asked, approved, manual].map(({ id }) => id);
  // Half a year passes for all but the young client, the request of `asked` and what is refreshed below.
  await database.query(
    "update oauth_clients set used_at = now() - interval '180 days' where id = any ($1) or url = $2",
    [ids, document],
  );
  await database.query(
    "update sessions set created_at = now() - interval '180 days' where oauth_client_id = any ($1)",
    [ids],
  );
  await database
    .query(
      "update oauth_authorizations set created_at = now() - interval '180 days' where client_id = any ($1) and client_id <> $2",
      [
        [...ids, (await database.query('select id from oauth_clients where url = $1', [document])).rows[0].id],
        asked.id,
      ],
    )
    .catch((error: unknown) => t.fail(String(error)));
  const again = await refresh(server, refreshed, lasting.body.refresh_token);
  t.equal(again.status, 200);
  const usedAt = async (id: string) =>
    (await database.query('select used_at from oauth_clients where id = $1', [id])).rows[0]?.used_at as
      | Date
      | undefined;
  t.ok((await usedAt(refreshed.id))!.getTime() < Date.now() - 86_400_000, 'the refresh did not write to the client');

  const environment = testEnvironment(url, oauthSettings());
  const forever = await runCommand(
    ['prune', '--json'],
    { ...environment, AUTH_OAUTH_SERVER_DYNAMIC_CLIENT_TTL: '0' },
    '/dev/null',
  );
  t.equal(JSON.parse(forever.out).oauth_clients, 0, forever.err);
  const dry = await runCommand(['prune', '--json', '--dry-run'], environment, '/dev/null');
  t.equal(JSON.parse(dry.out).oauth_clients, 3, dry.err);
  const run = await runCommand(['prune', '--json'], environment, '/dev/null');
  t.equal(JSON.parse(run.out).oauth_clients, 3, run.err);

  const left = async (id: string) => (await admin('GET', `/admin/oauth/clients/${id}`)).status;
  t.same(
    await Promise.all([unused, approved, refreshed, asked, manual, young].map(({ id }) => left(id))),
    [404, 404, 200, 200, 200, 200],
  );
  t.same((await database.query('select from oauth_clients where url = $1', [document])).rows.length, 0);
  t.ok((await usedAt(refreshed.id))!.getTime() > Date.now() - 86_400_000, 'its use is known from now on');
  t.equal((await refresh(server, refreshed, again.body.refresh_token)).status, 200);
  t.match(await refresh(server, unused, old.body.refresh_token), { status: 401, body: { error: 'invalid_client' } });
  t.same(
    (await database.query('select from sessions where oauth_client_id = $1', [unused.id])).rows.length,
    0,
    'its sessions ended',
  );
  const grants = await server.call('GET', '/user/oauth/grants', { bearer: person.token });
  t.same(
    grants.body.map(({ client }: { client: { id: string } }) => client.id),
    [refreshed.id],
  );
  const returning = await authorize(server, { clientId: document });
  t.equal(returning.answer.status, 302, 'a client with a document comes back by itself');
});

t.test('a code of a client that housekeeping has removed is worth nothing', async (t) => {
  const person = await signUpPerson(server);
  const { body } = await register({ token_endpoint_auth_method: 'none' });
  const client = { id: body.client_id, secret: undefined };
  const back = await consent(server, person, (await authorize(server, { clientId: client.id })).location);
  const { admin: database, url } = server.database;
  await database.query("update oauth_clients set used_at = now() - interval '180 days' where id = $1", [client.id]);
  await database.query("update oauth_authorizations set created_at = now() - interval '91 days' where client_id = $1", [
    client.id,
  ]);
  await runCommand(['prune', '--json'], testEnvironment(url, oauthSettings()), '/dev/null');
  t.match(await redeem(server, client, back.searchParams.get('code')!), {
    status: 401,
    body: { error: 'invalid_client' },
  });
});

t.test('a client with very many sessions loses them first', async (t) => {
  const [person, { body }] = [await signUpPerson(server), await register({ token_endpoint_auth_method: 'none' })];
  const { admin: database, url } = server.database;
  const count = async () =>
    (await database.query('select count(*)::int from sessions where oauth_client_id = $1', [body.client_id])).rows[0]
      .count;
  await database.query(
    `insert into sessions (user_id, aal, amr, oauth_client_id, created_at)
     select $1, 'aal1', '[]', $2, now() - interval '180 days' from generate_series(1, 10001)`,
    [person.id, body.client_id],
  );
  await database.query("update oauth_clients set used_at = now() - interval '180 days' where id = $1", [
    body.client_id,
  ]);
  for (const [clients, sessions] of [
    [0, 1],
    [1, 0],
  ]) {
    const { out, err } = await runCommand(['prune', '--json'], testEnvironment(url, oauthSettings()), '/dev/null');
    t.equal(JSON.parse(out).oauth_clients, clients, err);
    t.equal(await count(), sessions);
  }
  t.equal((await server.call('GET', '/user', { bearer: person.token })).status, 200, 'the person stays signed in');
});
