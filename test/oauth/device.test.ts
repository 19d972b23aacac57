/** The device grant (RFC 8628), with a client that others have written, and what can go wrong. */
import * as oauth from 'oauth4webapi';
import { readUserCode } from '../../src/server/oauth/user-code.js';
import { asAdmin } from '../support/admin.js';
import { oauthSettings, postForm, redeem, refresh, signInToClient, signUpPerson } from '../support/oauth-client.js';
import {
  addDeviceClient,
  beginDevice,
  decideDevice,
  deviceSettings,
  letDevicesPoll,
  pollDevice,
} from '../support/oauth-device.js';
import { openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';

const server = await openTestServer(t, deviceSettings());
const as: oauth.AuthorizationServer = {
  issuer: 'http://localhost:9999',
  token_endpoint: `${server.url}/oauth/token`,
  device_authorization_endpoint: `${server.url}/oauth/device_authorization`,
  id_token_signing_alg_values_supported: ['ES256'],
};
const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );
const insecure = { [oauth.allowInsecureRequests]: true };

t.test('oauth4webapi gets codes, waits, and gets tokens', async (t) => {
  const person = await signUpPerson(server);
  const { id, secret } = await addDeviceClient(server, { token_endpoint_auth_method: 'client_secret_basic' });
  const client: oauth.Client = { client_id: id };
  const authentication = oauth.ClientSecretBasic(secret!);
  const begun = await oauth.processDeviceAuthorizationResponse(
    as,
    client,
    await oauth.deviceAuthorizationRequest(as, client, authentication, { scope: 'openid email' }, insecure),
  );
  t.match(begun.user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
  t.equal(begun.verification_uri, 'http://localhost:3000/device');
  t.equal(begun.verification_uri_complete, `http://localhost:3000/device?user_code=${begun.user_code}`);
  t.match(begun, { expires_in: 900, interval: 5 });
  const poll = async () =>
    oauth.processDeviceCodeResponse(
      as,
      client,
      await oauth.deviceCodeGrantRequest(as, client, authentication, begun.device_code, insecure),
    );
  t.match(await failureOf(poll()), { error: 'authorization_pending', status: 400 });
  t.match(await failureOf(poll()), { error: 'slow_down', status: 400 }, 'at once');

  const { status, body } = await server.call('GET', `/oauth/device/${begun.user_code}`, { bearer: person.token });
  t.equal(status, 200);
  t.match(body, {
    user_code: begun.user_code,
    client: { id, name: 'Living room' },
    user: { id: person.id, email: person.email },
    scope: 'openid email',
    ip: '127.0.0.1',
    user_agent: /oauth4webapi|node/i,
  });
  t.match(await decideDevice(server, person, begun.user_code.toLowerCase()), {
    status: 200,
    body: { status: 'approved' },
  });
  const tokens = await poll();
  t.match(tokens, { token_type: 'bearer', scope: 'openid email', refresh_token: String });
  const claims = oauth.getValidatedIdTokenClaims(tokens)!;
  t.match(claims, { sub: person.id, aud: id, amr: ['password'], acr: 'aal1' });
  const access = JSON.parse(Buffer.from(tokens.access_token.split('.')[1]!, 'base64url').toString());
  t.match(access, { client_id: id, scope: 'openid email', amr: [{ method: 'oauth_provider/device_code' }] });

  const renewed = await refresh(server, { id, secret: undefined }, tokens.refresh_token!);
  t.match(renewed, { status: 401, body: { error: 'invalid_client' } }, 'another way than the registered one');
  t.match(await failureOf(poll()), { error: 'invalid_grant' }, 'the code works once');
  const refreshed = await oauth.refreshTokenGrantRequest(as, client, authentication, tokens.refresh_token!, insecure);
  t.match(
    await failureOf(oauth.processRefreshTokenResponse(as, client, refreshed)),
    { error: 'invalid_grant' },
    'the session of a code that comes twice has ended',
  );
});

t.test('each question that comes too early makes the device wait five seconds longer', async (t) => {
  const client = await addDeviceClient(server);
  const { device_code } = await beginDevice(server, client);
  const ago = (seconds: number) =>
    server.database.admin.query('update oauth_authorizations set polled_at = now() - make_interval(secs => $1)', [
      seconds,
    ]);
  const poll = async () => (await pollDevice(server, client, device_code!)).body.error;
  t.equal(await poll(), 'authorization_pending');
  await ago(4);
  t.equal(await poll(), 'slow_down');
  await ago(9);
  t.equal(await poll(), 'slow_down', 'ten seconds by now');
  await ago(16);
  t.equal(await poll(), 'authorization_pending', 'fifteen');
});

t.test('one of many parallel questions gets the tokens', async (t) => {
  const [client, person] = [await addDeviceClient(server), await signUpPerson(server)];
  const { device_code, user_code } = await beginDevice(server, client);
  await decideDevice(server, person, user_code!);
  const answers = await Promise.all(Array.from({ length: 12 }, () => pollDevice(server, client, device_code!)));
  t.same(answers.map(({ status }) => status).sort(), [200, ...Array(11).fill(400)]);
  const { rows } = await server.database.admin.query('select id from sessions where oauth_client_id = $1', [client.id]);
  t.equal(rows.length, 0, 'and its session ends, since the code came twice');
});

t.test('one of two users decides', async (t) => {
  const [client, first, second] = [
    await addDeviceClient(server),
    await signUpPerson(server),
    await signUpPerson(server),
  ];
  const { device_code, user_code } = await beginDevice(server, client);
  const answers = await Promise.all([
    decideDevice(server, first, user_code!),
    decideDevice(server, second, user_code!),
  ]);
  t.same(answers.map(({ status }) => status === 200).sort(), [false, true]);
  const winner = answers[0]!.status === 200 ? first : second;
  const loser = winner === first ? second : first;
  const { body } = await pollDevice(server, client, device_code!);
  t.equal((await server.call('GET', '/user', { bearer: body.access_token })).body.id, winner.id);
  t.match(await decideDevice(server, winner, user_code!), { status: 400, body: { error_code: 'validation_failed' } });
  t.match(await decideDevice(server, loser, user_code!), { status: 404 }, 'nothing tells that the code was right');
});

t.test('deny, expire, unknown', async (t) => {
  const [client, other, person] = [
    await addDeviceClient(server),
    await addDeviceClient(server),
    await signUpPerson(server),
  ];
  const denied = await beginDevice(server, client);
  t.match(await decideDevice(server, person, denied['user_code']!, 'deny'), {
    status: 200,
    body: { status: 'denied' },
  });
  t.match(await pollDevice(server, client, denied['device_code']!), { status: 400, body: { error: 'access_denied' } });
  t.match(await decideDevice(server, person, denied['user_code']!), { status: 400 }, 'decided');

  const { device_code, user_code } = await beginDevice(server, client);
  t.match(await pollDevice(server, other, device_code!), { body: { error: 'invalid_grant' } }, 'of another client');
  t.match(await decideDevice(server, person, user_code!, 'perhaps'), { status: 400 });
  await server.database.admin.query("update oauth_authorizations set created_at = now() - interval '901 seconds'");
  t.match(await pollDevice(server, client, device_code!), { status: 400, body: { error: 'expired_token' } });
  t.match(await decideDevice(server, person, user_code!), {
    status: 404,
    body: { error_code: 'oauth_authorization_not_found' },
  });
  t.match(await pollDevice(server, client, 'unknown'), { status: 400, body: { error: 'invalid_grant' } });
  const { status, body } = await postForm(server, '/oauth/token', {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    client_id: client.id,
  });
  t.match({ status, body }, { status: 400, body: { error: 'invalid_request' } });
});

t.test('codes of devices and of browsers are not interchangeable', async (t) => {
  const person = await signUpPerson(server);
  const client = await addDeviceClient(server, {
    redirect_uris: ['https://client.example.com/callback'],
    grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
  });
  const { device_code, user_code } = await beginDevice(server, client);
  await decideDevice(server, person, user_code!);
  const asCode = await postForm(server, '/oauth/token', {
    grant_type: 'authorization_code',
    client_id: client.id,
    code: device_code!,
  });
  t.match(asCode, { status: 400, body: { error: 'invalid_grant' } });
  t.equal((await pollDevice(server, client, device_code!)).status, 200);
  const tokens = await signInToClient(server, person, client);
  t.equal(tokens.status, 200);
  t.match(await redeem(server, client, 'x'), { status: 400 });
});

t.test('the approval of a banned user, and of a changed password', async (t) => {
  const client = await addDeviceClient(server);
  const [banned, changed] = [await signUpPerson(server), await signUpPerson(server)];
  const [first, second] = [await beginDevice(server, client), await beginDevice(server, client)];
  await decideDevice(server, banned, first['user_code']!);
  await decideDevice(server, changed, second['user_code']!);
  const ban = await asAdmin(server)('PUT', `/admin/users/${banned.id}`, { ban_duration: '1h' });
  t.equal(ban.status, 200);
  t.equal(
    (await server.call('PUT', '/user', { bearer: changed.token, body: { password: 'another long password' } })).status,
    200,
  );
  for (const { device_code } of [first, second]) {
    t.match(await pollDevice(server, client, device_code!), {
      status: 400,
      body: { error: /invalid_grant|access_denied/ },
    });
  }
});

t.test('who may begin, look and decide', async (t) => {
  const [client, person] = [await addDeviceClient(server), await signUpPerson(server)];
  const plain = await addDeviceClient(server, {
    redirect_uris: ['https://client.example.com/callback'],
    grant_types: ['authorization_code'],
  });
  const begin = (fields: Record<string, string>) => postForm(server, '/oauth/device_authorization', fields);
  t.match(await begin({ client_id: plain.id }), { status: 400, body: { error: 'unauthorized_client' } });
  t.match(await pollDevice(server, plain, 'x'), { status: 400, body: { error: 'unsupported_grant_type' } });
  t.match(await begin({}), { status: 401, body: { error: 'invalid_client' } });
  t.match(await begin({ client_id: client.id, scope: 'all' }), { status: 400, body: { error: 'invalid_scope' } });
  t.match(await begin({ client_id: client.id, resource: 'x' }), { status: 400, body: { error: 'invalid_target' } });

  const { user_code } = await beginDevice(server, client);
  const path = `/oauth/device/${user_code}`;
  t.equal((await server.call('GET', path)).status, 401, 'a stranger');
  const origin = { origin: 'https://evil.example' };
  const bearer = person.token;
  t.match(await server.call('GET', path, { bearer, headers: origin }), {
    status: 400,
    body: { msg: 'unauthorized request origin' },
  });
  t.match(await server.call('POST', `${path}/consent`, { bearer, headers: origin, body: { action: 'approve' } }), {
    status: 400,
  });
  const other = await addDeviceClient(server);
  const begun = await beginDevice(server, other);
  await decideDevice(server, person, begun['user_code']!);
  const { body } = await pollDevice(server, other, begun['device_code']!);
  t.match(await decideDevice(server, { token: body.access_token }, user_code!), {
    status: 403,
    body: { error_code: 'no_authorization' },
  });
  await asAdmin(server)('DELETE', `/admin/oauth/clients/${client.id}`);
  t.equal((await server.call('GET', path, { bearer })).status, 404, 'its client was deleted');
});

t.test('ten wrong codes a minute, by account and by client', async (t) => {
  const limited = await openTestServer(t, deviceSettings({ RATE_LIMIT_HEADER: 'X-Forwarded-For' }));
  const client = await addDeviceClient(limited);
  const people = await Promise.all(Array.from({ length: 4 }, () => signUpPerson(limited)));
  const { user_code } = await beginDevice(limited, client);
  const look = (person: { token: string }, code: string, address: string) =>
    limited.call('GET', `/oauth/device/${code}`, { bearer: person.token, headers: { 'x-forwarded-for': address } });
  for (let n = 0; n < 15; n++)
    t.equal((await look(people[0]!, user_code!, '192.0.2.1')).status, 200, 'right ones do not count');
  const wrong = await Promise.all(Array.from({ length: 12 }, () => look(people[0]!, 'BBBBBBBB', '192.0.2.1')));
  t.same(wrong.map(({ status }) => status).sort(), [...Array(10).fill(404), 429, 429]);
  const refused = await look(people[0]!, user_code!, '192.0.2.9');
  t.equal(refused.status, 429, 'the account, at another address');
  t.ok(Number(refused.headers.get('retry-after')) <= 60);
  t.equal((await look(people[1]!, user_code!, '192.0.2.1')).status, 429, 'the address, with another account');
  t.equal((await look(people[1]!, user_code!, '192.0.2.2')).status, 200);
  for (let n = 0; n < 12; n++)
    t.equal((await look(people[2]!, 'not a code', '192.0.2.3')).status, 404, 'cannot be one');
});

t.test('clients of devices need no redirect URI; others do', async (t) => {
  const admin = asAdmin(server);
  const { body } = await addDeviceClient(server);
  t.match(body, { redirect_uris: [], response_types: [] });
  const more = { grant_types: ['authorization_code'] };
  const changed = await admin('PUT', `/admin/oauth/clients/${body['client_id']}`, more);
  t.match(changed, { status: 400, body: { msg: 'redirect_uris is required' } });
  t.match(await admin('POST', '/admin/oauth/clients', { client_name: 'x' }), { status: 400 });
  const discovery = await server.call('GET', '/.well-known/oauth-authorization-server');
  t.equal(discovery.body.device_authorization_endpoint, 'http://localhost:9999/oauth/device_authorization');
  t.ok(discovery.body.grant_types_supported.includes('urn:ietf:params:oauth:grant-type:device_code'));
});

t.test('off', async (t) => {
  const off = await openTestServer(t, oauthSettings());
  const client = await addDeviceClient(off);
  const answer = await postForm(off, '/oauth/device_authorization', { client_id: client.id });
  t.match(answer, { status: 404, body: { error_code: 'feature_disabled' } });
  t.match(await pollDevice(off, client, 'x'), { status: 400, body: { error: 'unsupported_grant_type' } });
  const discovery = await off.call('GET', '/.well-known/oauth-authorization-server');
  t.notOk('device_authorization_endpoint' in discovery.body);
});

t.test('codes are read as people type them', async (t) => {
  t.equal(readUserCode('wdjb mjht'), 'WDJBMJHT');
  t.equal(readUserCode(' WDJB–MJHT\t'), 'WDJBMJHT');
  for (const text of ['', 'WDJBMJH', 'WDJBMJHTT', 'ADJBMJHT', 'WDJB1JHT', 'ẄDJBMJHT'])
    t.equal(readUserCode(text), null);
  await letDevicesPoll(server);
});
