/** Back-channel logout (OpenID Connect Back-Channel Logout 1.0). */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { asAdmin } from '../support/admin.js';
import { claimsOf } from '../support/authenticator-app.js';
import {
  addClient,
  discover,
  oauthSettings,
  type Person,
  postForm,
  refresh,
  signInToClient,
  signUpPerson,
  type TestClient,
} from '../support/oauth-client.js';
import { openTestServer } from '../support/server.js';
import { type Test, t } from '../support/tap.js';
import { until } from '../support/until.js';

const server = await openTestServer(
  t,
  oauthSettings({
    OUTBOUND_PRIVATE_HOSTS: '127.0.0.1',
    OAUTH_SERVER_PAIRWISE_SALT: 'a salt of more than thirty-two bytes',
  }),
);
const { call, database } = server;
const admin = asAdmin(server);
const keys = createRemoteJWKSet(new URL(`${server.url}/.well-known/jwks.json`));

interface Receiver {
  readonly url: string;
  readonly tokens: string[];
  /** Undefined: no answer at all. */
  status: number | undefined;
}

async function openReceiver(test: Test): Promise<Receiver> {
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const form = new URLSearchParams(await text(request));
    if (request.method === 'POST') receiver.tokens.push(form.get('logout_token') ?? '');
    if (receiver.status !== undefined) response.writeHead(receiver.status).end();
  };
  const listener = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  test.teardown(() => {
    listener.closeAllConnections();
    listener.close();
  });
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/logout?tenant=a`,
    tokens: [],
    status: 200,
  };
  return receiver;
}

interface Given {
  readonly client: TestClient;
  readonly person: Person;
  readonly access: string;
  readonly refresh: string;
  readonly idToken: string;
}

async function signIn(client: TestClient, person: Person): Promise<Given> {
  const { body } = await signInToClient(server, person, client, { parameters: { scope: 'openid' } });
  return { client, person, access: body.access_token, refresh: body.refresh_token, idToken: body.id_token };
}

const waiting = async (): Promise<number> =>
  (await database.admin.query('select count(*)::int as rows from oauth_logouts')).rows[0].rows;
const becomeDue = () => database.admin.query('update oauth_logouts set next_attempt_at = now()');

const ends: Readonly<Record<string, (given: Given) => Promise<unknown>>> = {
  'a logout of the user': ({ person }) => call('POST', '/logout', { bearer: person.token }),
  'a new password': ({ person }) =>
    call('PUT', '/user', { bearer: person.token, body: { password: 'another passphrase' } }),
  'a ban': ({ person }) => admin('PUT', `/admin/users/${person.id}`, { ban_duration: '1h' }),
  'the end of the account': ({ person }) => admin('DELETE', `/admin/users/${person.id}`),
  'a soft end of the account': ({ person }) =>
    admin('DELETE', `/admin/users/${person.id}`, { should_soft_delete: true }),
  'the end of the consent': ({ person, client }) =>
    call('DELETE', `/user/oauth/grants?client_id=${client.id}`, { bearer: person.token }),
  'a revoked refresh token': ({ client, refresh: token }) =>
    postForm(server, '/oauth/revoke', { client_id: client.id, token }),
  'a replayed refresh token': async ({ client, refresh: token }) => {
    const { body } = await refresh(server, client, token);
    await refresh(server, client, body.refresh_token);
    return refresh(server, client, token);
  },
  'a logout by the client': ({ idToken }) => call('GET', `/oauth/logout?id_token_hint=${idToken}`),
};

/** Between two looks of a sender that knows no client to tell. */
const IDLE_POLL_MS = 15_000;

t.test('the first client that asks hears at once, also on a server whose sender has been idle', async (t) => {
  const receiver = await openReceiver(t);
  const [client, person] = [await addClient(server), await signUpPerson(server)];
  await signIn(client, person);
  // Longer than the look at the start. The client is changed by another instance, which tells this one nothing.
  await pause(1500);
  await database.admin.query('update oauth_clients set backchannel_logout_uri = $2 where id = $1', [
    client.id,
    receiver.url,
  ]);
  const endedAt = performance.now();
  await call('POST', '/logout', { bearer: person.token });
  await until(() => receiver.tokens.length > 0);
  t.ok(performance.now() - endedAt < IDLE_POLL_MS, 'before it would have looked by itself');
});

t.test('the client hears of each end once, and can verify it', async (t) => {
  const receiver = await openReceiver(t);
  const fields = { backchannel_logout_uri: receiver.url, backchannel_logout_session_required: true };
  const client = await addClient(server, fields);
  t.match(client.body, fields);
  t.match(await discover(server), { backchannel_logout_supported: true, backchannel_logout_session_supported: true });
  for (const [name, end] of Object.entries(ends)) {
    const given = await signIn(client, await signUpPerson(server));
    receiver.tokens.length = 0;
    await end(given);
    await until(() => receiver.tokens.length > 0);
    const { payload } = await jwtVerify(receiver.tokens[0]!, keys, {
      typ: 'logout+jwt',
      issuer: 'http://localhost:9999',
      audience: client.id,
      requiredClaims: ['iat', 'exp', 'jti'],
    });
    t.match(
      payload,
      {
        sub: given.person.id,
        sid: claimsOf(given.idToken)['sid'],
        events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
      },
      name,
    );
    t.notOk('nonce' in payload);
    t.match(await call('GET', '/user', { bearer: receiver.tokens[0]! }), { status: 403 }, 'it opens nothing');
    await until(async () => (await waiting()) === 0);
    t.equal(receiver.tokens.length, 1, `${name}: once`);
  }
});

t.test('a client with pairwise subjects hears of them only', async (t) => {
  const receiver = await openReceiver(t);
  const fields = { subject_type: 'pairwise', backchannel_logout_uri: receiver.url };
  const given = await signIn(await addClient(server, fields), await signUpPerson(server));
  await call('POST', '/logout', { bearer: given.person.token });
  await until(() => receiver.tokens.length > 0);
  const { sub } = claimsOf(receiver.tokens[0]!);
  t.equal(sub, claimsOf(given.idToken)['sub']);
  t.not(sub, given.person.id);
});

t.test('what is no end of a session of the client sends nothing', async (t) => {
  const receiver = await openReceiver(t);
  const [client, silent] = [await addClient(server, { backchannel_logout_uri: receiver.url }), await addClient(server)];
  const person = await signUpPerson(server);
  const given = await signIn(client, person);
  const { body } = await refresh(server, client, given.refresh);
  await postForm(server, '/oauth/revoke', { client_id: client.id, token: body.access_token });
  await ends['a revoked refresh token']!(await signIn(silent, person));
  await call('POST', '/logout?scope=local', { bearer: person.token });
  await database.admin.query('update sessions set not_after = now() where oauth_client_id = $1', [client.id]);
  await database.admin.query('delete from sessions where oauth_client_id = $1', [client.id]);
  t.equal(await waiting(), 0);
  await admin('PUT', `/admin/oauth/clients/${client.id}`, { backchannel_logout_uri: '' });
  await ends['a revoked refresh token']!(await signIn(client, await signUpPerson(server)));
  t.equal(await waiting(), 0);
  t.same(receiver.tokens, []);
});

t.test('three tries, and a try whose sender died', async (t) => {
  const receiver = await openReceiver(t);
  receiver.status = 500;
  const client = await addClient(server, { backchannel_logout_uri: receiver.url });
  await ends['a revoked refresh token']!(await signIn(client, await signUpPerson(server)));
  for (const tries of [1, 2, 3]) {
    await until(() => receiver.tokens.length === tries);
    if (tries < 3) {
      const delay = tries === 1 ? 10 : 60;
      await until(async () => {
        const { rows } = await database.admin.query(
          'select extract(epoch from next_attempt_at - now()) > $1 as is_put_back from oauth_logouts',
          [delay - 8],
        );
        return rows[0]?.is_put_back;
      });
      await becomeDue();
    }
  }
  await until(async () => (await waiting()) === 0);
  t.equal(new Set(receiver.tokens).size, 3, 'each is a token of its own');

  receiver.status = 200;
  // As a sender leaves it that was killed after its third claim.
  await database.admin.query(
    'insert into oauth_logouts (client_id, user_id, session_id, attempts) values ($1, $1, $1, 3)',
    [client.id],
  );
  await until(() => receiver.tokens.length === 4);
  await until(async () => (await waiting()) === 0);
});

t.test('a client that does not answer delays no other', async (t) => {
  const [dead, alive] = [await openReceiver(t), await openReceiver(t)];
  dead.status = undefined;
  const [slow, quick] = [
    await addClient(server, { backchannel_logout_uri: dead.url }),
    await addClient(server, { backchannel_logout_uri: alive.url }),
  ];
  await database.admin.query(
    'insert into oauth_logouts (client_id, user_id, session_id) select $1, $1, $1 from generate_series(1, 200)',
    [slow.id],
  );
  await until(() => dead.tokens.length === 2);
  const ended = await ends['a revoked refresh token']!(await signIn(quick, await signUpPerson(server)));
  t.match(ended, { status: 200 });
  await until(() => alive.tokens.length === 1);
  t.equal(dead.tokens.length, 2, 'two at a time, and the first calls to the other have not timed out');
  await database.admin.query('delete from oauth_logouts');
});

t.test('where logout tokens may be sent', async (t) => {
  const path = '/admin/oauth/clients';
  const base = { redirect_uris: ['https://client.example.com/'] };
  for (const backchannel_logout_uri of [
    'http://client.example.com/',
    'http://localhost:1/',
    'http://192.168.0.1/',
    'https://client.example.com/#f',
    'https://user:secret@client.example.com/',
    'nonsense',
    `https://client.example.com/${'a'.repeat(2048)}`,
  ]) {
    const answer = await admin('POST', path, { ...base, backchannel_logout_uri });
    t.match(answer, { status: 400, body: { error_code: 'validation_failed' } }, backchannel_logout_uri.slice(0, 60));
  }
  t.equal((await admin('POST', path, { ...base, backchannel_logout_uri: 'https://client.example.com/' })).status, 201);

  // A client that registered itself reaches no private host, not even a listed one.
  const receiver = await openReceiver(t);
  const register = (backchannel_logout_uri: string) =>
    call('POST', '/oauth/clients/register', {
      body: { ...base, token_endpoint_auth_method: 'none', backchannel_logout_uri },
    });
  t.match(await register(receiver.url), { status: 400, body: { error: 'invalid_client_metadata' } });
  // Nor one that came before that was refused.
  const { body } = await register('https://client.example.com/');
  await database.admin.query('update oauth_clients set backchannel_logout_uri = $2 where id = $1', [
    body.client_id,
    receiver.url,
  ]);
  await database.admin.query(
    'insert into oauth_logouts (client_id, user_id, session_id, attempts) values ($1, $1, $1, 2)',
    [body.client_id],
  );
  await until(async () => (await waiting()) === 0);
  t.same(receiver.tokens, []);
});
