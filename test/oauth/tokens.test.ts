/** What clients get, and for how long. */

import { asAdmin } from '../support/admin.js';
import { claimsOf, enrolTotp, openApp, verifyWith } from '../support/authenticator-app.js';
import { HOOK_SECRET, openHookReceiver } from '../support/hook-receiver.js';
import {
  addClient,
  authorize,
  consent,
  oauthSettings,
  type Person,
  redeem,
  refresh,
  signInToClient,
  signUpPerson,
  type TestClient,
} from '../support/oauth-client.js';
import { type Answer, JWT_SECRET, openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';
import { signTestToken } from '../support/tokens.js';

const server = await openTestServer(
  t,
  oauthSettings({ OAUTH_SERVER_SCOPES: 'files.read=Read,files.write=Write', OAUTH_SERVER_CODE_TTL: '60s' }),
);
const { call } = server;
const someone = async (more: Record<string, unknown> = {}) =>
  [await addClient(server, more), await signUpPerson(server)] as const;

t.test('resource becomes aud (RFC 8707)', async (t) => {
  const [client, person] = await someone();
  const resources = ['https://mcp.example.com/mcp', 'https://api.example.com/'];
  const both = await signInToClient(server, person, client, { resources });
  t.same(claimsOf(both.body.access_token)['aud'], resources);
  t.equal((await call('GET', '/user', { bearer: both.body.access_token })).status, 200);
  const one = await refresh(server, client, both.body.refresh_token, { resource: resources[1]! });
  t.equal(claimsOf(one.body.access_token)['aud'], resources[1]);
  t.match(await refresh(server, client, one.body.refresh_token, { resource: 'https://other.example.com/' }), {
    status: 400,
    body: { error: 'invalid_target' },
  });
  const again = await refresh(server, client, one.body.refresh_token);
  t.same(claimsOf(again.body.access_token)['aud'], resources, 'narrowing is for one token');

  const { location } = await authorize(server, { clientId: client.id, resources: [resources[0]!] });
  const code = (await consent(server, person, location)).searchParams.get('code')!;
  t.match(await redeem(server, client, code, { resource: resources[1]! }), {
    status: 400,
    body: { error: 'invalid_target' },
  });
  t.equal(
    claimsOf((await redeem(server, client, code, { resource: resources[0]! })).body.access_token).aud,
    resources[0],
  );
  for (const bad of [
    'not a uri',
    'https://a.example/?q',
    'https://a.example/#f',
    'http://a.example/',
    'ftp://a.example/',
  ]) {
    const { location: refused } = await authorize(server, { clientId: client.id, resources: [bad] });
    t.equal(refused.searchParams.get('error'), 'invalid_target', bad);
  }
  const plain = await signInToClient(server, person, client);
  t.equal(claimsOf(plain.body.access_token)['aud'], 'authenticated');
});

t.test('scopes: of the client, narrowed by a refresh', async (t) => {
  const [client, person] = await someone({ scope: 'email files.read' });
  const { location } = await authorize(server, { clientId: client.id, parameters: { scope: 'email files.write' } });
  t.equal(location.searchParams.get('error'), 'invalid_scope');
  const { body } = await signInToClient(server, person, client, { parameters: { scope: 'files.read email' } });
  t.equal(body.scope, 'files.read email');
  const narrow = await refresh(server, client, body.refresh_token, { scope: 'email' });
  t.equal(claimsOf(narrow.body.access_token)['scope'], 'email');
  t.match(await refresh(server, client, narrow.body.refresh_token, { scope: 'email files.write' }), {
    status: 400,
    body: { error: 'invalid_scope' },
  });
  const full = await refresh(server, client, narrow.body.refresh_token);
  t.equal(full.body.scope, 'files.read email', 'the refused request has spent nothing');
  const byDefault = await signInToClient(server, person, client, { parameters: { scope: null } });
  t.equal(byDefault.body.scope, 'email');
});

t.test('userinfo by POST, too (OpenID Connect Core 5.3.1)', async (t) => {
  const [client, person] = await someone();
  const { body } = await signInToClient(server, person, client, { parameters: { scope: 'openid email' } });
  const bearer = `Bearer ${body.access_token}`;
  const post = async (headers: Record<string, string>, content?: string) => {
    const answer = await fetch(`${server.url}/oauth/userinfo`, { method: 'POST', headers, body: content ?? null });
    return { status: answer.status, body: await answer.json() };
  };
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const expected = (await call('GET', '/oauth/userinfo', { bearer: body.access_token })).body;
  t.match(expected, { sub: person.id, email: person.email });
  for (const [headers, content] of [[{}], [form, ''], [form, 'a=b'], [{ 'content-type': 'application/json' }, '{}']]) {
    const answer = await post({ authorization: bearer, ...(headers as object) }, content as string | undefined);
    t.same(answer, { status: 200, body: expected }, JSON.stringify([headers, content]));
  }
  t.equal((await post(form, `access_token=${body.access_token}`)).status, 401, 'the token is in the header only');
  t.equal((await post({})).status, 401);
  t.equal((await post({ authorization: `Bearer ${body.id_token}` })).status, 401, 'an ID token');
  await call('DELETE', `/user/oauth/grants?client_id=${client.id}`, { bearer: person.token });
  t.equal((await post({ authorization: bearer })).status, 401, 'the access was taken back');
});

t.test('userinfo refuses with a challenge (RFC 6750 3), so that clients know when to refresh', async (t) => {
  const admin = asAdmin(server);
  const tokenAfter = async (end: (person: Person, client: TestClient) => Promise<unknown>) => {
    const [client, person] = await someone();
    const { body } = await signInToClient(server, person, client);
    await end(person, client);
    return body.access_token as string;
  };
  const expired = Math.floor(Date.now() / 1000) - 60;
  const person = await signUpPerson(server);
  const invalid: Record<string, readonly [token: string, code: string]> = {
    'no token at all': ['x', 'bad_jwt'],
    expired: [signTestToken({ ...claimsOf(person.token), exp: expired }, JWT_SECRET), 'bad_jwt'],
    'another key': [signTestToken({ sub: person.id }, 'another secret of thirty-two bytes or more'), 'bad_jwt'],
    'no subject': [signTestToken({ role: 'service_role' }, JWT_SECRET), 'bad_jwt'],
    'an ended session': [
      await tokenAfter((owner, { id }) =>
        call('DELETE', `/user/oauth/grants?client_id=${id}`, { bearer: owner.token }),
      ),
      'session_not_found',
    ],
    'a banned user': [
      await tokenAfter(({ id }) => admin('PUT', `/admin/users/${id}`, { ban_duration: '1h' })),
      'user_banned',
    ],
    'a deleted user': [await tokenAfter(({ id }) => admin('DELETE', `/admin/users/${id}`, {})), 'user_not_found'],
  };
  const ask = (headers: Record<string, string>, method: 'GET' | 'POST' = 'GET') =>
    call(method, '/oauth/userinfo', { headers: { origin: 'https://app.example', ...headers } });
  const challengeOf = ({ headers }: Answer) => headers.get('www-authenticate') ?? '';
  for (const [name, [token, code]] of Object.entries(invalid)) {
    for (const method of ['GET', 'POST'] as const) {
      const answer = await ask({ authorization: `Bearer ${token}` }, method);
      t.match(
        answer,
        { status: 401, body: { code: 401, error_code: code, error: 'invalid_token' } },
        `${name}: ${method}`,
      );
      t.match(challengeOf(answer), /^Bearer error="invalid_token", error_description="[^"\\]+"$/, name);
      t.match(answer.headers.get('access-control-expose-headers'), /WWW-Authenticate/, name);
    }
    const dpop = challengeOf(await ask({ authorization: `DPoP ${token}` }));
    t.match(dpop, /^DPoP algs="ES256 [^"]+", error="invalid_token", error_description="[^"]+"$/, `${name}: DPoP`);
    const user = await call('GET', '/user', { bearer: token });
    t.match(user, { status: 403, body: { error_code: code } }, `${name}: the account API keeps its status`);
    t.notOk(user.headers.has('www-authenticate'));
  }
  const without = await ask({});
  t.match(without, { status: 401, body: { error_code: 'no_authorization' } });
  t.match(challengeOf(without), /^Bearer realm="oauth", DPoP algs="ES256 [^"]+"$/, 'no error without a token (3.1)');
  t.notOk('error' in without.body);
  const acting = signTestToken({ ...claimsOf(person.token), act: { sub: 'operator' } }, JWT_SECRET);
  const forbidden = await ask({ authorization: `Bearer ${acting}` });
  t.match(forbidden, { status: 403, body: { error_code: 'impersonated', error: 'insufficient_scope' } });
  t.match(challengeOf(forbidden), /^Bearer error="insufficient_scope", error_description="/);
});

t.test('userinfo says what the scopes allow', async (t) => {
  const [client, person] = await someone();
  const ask = async (scope: string) => {
    const { body } = await signInToClient(server, person, client, { parameters: { scope, prompt: 'consent' } });
    return (await call('GET', '/oauth/userinfo', { bearer: body.access_token })).body;
  };
  t.same(await ask('files.read'), { sub: person.id });
  t.same(await ask('email'), { sub: person.id, email: person.email, email_verified: true });
  t.match(await ask('profile'), {
    sub: person.id,
    name: person.email,
    preferred_username: person.email,
    user_metadata: {},
  });
  t.same((await call('GET', '/oauth/userinfo', { bearer: person.token })).body, { sub: person.id });

  const phone = `1555${Math.floor(Math.random() * 1e7)}`;
  const confirm = 'update users set phone = $2, phone_confirmed_at = now() where id = $1';
  await server.database.admin.query(confirm, [person.id, phone]);
  t.match(await ask('phone'), { phone_verified: false, phone_number_verified: false }, 'by autoconfirm');
  await server.database.admin.query('update users set proven_phone = phone where id = $1', [person.id]);
  t.same(await ask('phone'), {
    ...{ sub: person.id, phone, phone_verified: true },
    ...{ phone_number: phone, phone_number_verified: true },
  });
  const parameters = { scope: 'openid phone profile', prompt: 'consent' };
  const { body } = await signInToClient(server, person, client, { parameters });
  const idToken = claimsOf(body.id_token);
  t.match(idToken, { phone_number: phone, phone_number_verified: true, name: person.email, auth_time: Number });
  t.notOk('email' in idToken);
});

t.test('the user object of a client says verified and confirmed only of what was proven', async (t) => {
  const [client, person] = [await addClient(server), await signUpPerson(server, false)];
  const phone = `1555${Math.floor(Math.random() * 1e7)}`;
  const confirm = 'update users set phone = $2, phone_confirmed_at = now() where id = $1';
  await server.database.admin.query(confirm, [person.id, phone]);
  await call('PUT', '/user', { bearer: person.token, body: { data: { phone_verified: true, name: 'A' } } });
  const claim = `update identities set identity_data = identity_data || '{"email_verified":true}' where user_id = $1`;
  await server.database.admin.query(claim, [person.id]);
  const { body: tokens } = await signInToClient(server, person, client);
  const ask = async (bearer: string) => (await call('GET', '/user', { bearer })).body;

  const own = await ask(person.token);
  const verified = { email_verified: true, phone_verified: true };
  const confirmed = { email_confirmed_at: String, phone_confirmed_at: String, confirmed_at: String };
  const identities = [{ provider: 'email', identity_data: { email: person.email, email_verified: true } }];
  t.match(own, { ...confirmed, user_metadata: verified, identities });
  const { email_confirmed_at, phone_confirmed_at, confirmed_at, ...rest } = own;
  const unproven = {
    ...rest,
    user_metadata: { ...own.user_metadata, email_verified: false, phone_verified: false },
    identities: [
      { ...own.identities[0], identity_data: { ...own.identities[0].identity_data, email_verified: false } },
    ],
  };
  t.same(await ask(tokens.access_token), unproven);
  t.same(await ask(tokens.access_token), unproven, 'again');
  t.same(await ask(person.token), own, 'the token of the user');

  await server.database.admin.query('update users set proven_phone = phone where id = $1', [person.id]);
  const withPhone = await ask(tokens.access_token);
  t.match(withPhone, { phone_confirmed_at, confirmed_at: phone_confirmed_at });
  t.match(withPhone.user_metadata, { email_verified: false, phone_verified: true });
  t.notOk('email_confirmed_at' in withPhone);
  await server.database.admin.query('update users set proven_email = email where id = $1', [person.id]);
  t.match(await ask(tokens.access_token), {
    ...{ email_confirmed_at, phone_confirmed_at, confirmed_at },
    ...{ user_metadata: verified, identities },
  });
});

t.test('how long a client may refresh', async (t) => {
  const [client, person] = await someone({ refresh_token_ttl: 3600 });
  const { body } = await signInToClient(server, person, client);
  const next = await refresh(server, client, body.refresh_token);
  t.equal(next.status, 200);
  await server.database.admin.query(
    "update sessions set not_after = not_after - interval '1 hour' where oauth_client_id = $1",
    [client.id],
  );
  t.match(await refresh(server, client, next.body.refresh_token), { status: 400, body: { error: 'invalid_grant' } });

  const strict = await openTestServer(
    t,
    oauthSettings({ OAUTH_SERVER_OFFLINE_ACCESS_REQUIRED: 'true', OAUTH_SERVER_REFRESH_TOKEN_IDLE_TTL: '1h' }),
  );
  const [other, somebody] = [await addClient(strict), await signUpPerson(strict)];
  const without = await signInToClient(strict, somebody, other);
  t.notOk('refresh_token' in without.body);
  const parameters = { scope: 'email offline_access' };
  const offline = await signInToClient(strict, somebody, other, { parameters });
  await strict.database.admin.query("update sessions set created_at = now() - interval '2 hours'");
  t.match(await refresh(strict, other, offline.body.refresh_token), { status: 400, body: { error: 'invalid_grant' } });
});

t.test('a code is valid for a minute, a request for ten', async (t) => {
  const [client, person] = await someone();
  const { location } = await authorize(server, { clientId: client.id });
  const code = (await consent(server, person, location)).searchParams.get('code')!;
  await server.database.admin.query("update oauth_authorizations set approved_at = now() - interval '61 seconds'");
  t.match(await redeem(server, client, code), {
    status: 400,
    body: { error: 'invalid_grant', error_description: 'Authorization code has expired' },
  });
  const late = await authorize(server, { clientId: client.id });
  await server.database.admin.query("update oauth_authorizations set created_at = now() - interval '601 seconds'");
  const path = `/oauth/authorizations/${late.location.searchParams.get('authorization_id')}`;
  t.match(await call('GET', path, { bearer: person.token }), {
    status: 404,
    body: { error_code: 'oauth_authorization_not_found' },
  });
});

t.test('AAL2 approves, and the session of the client has that level', async (t) => {
  const [client, person] = await someone();
  const before = await signInToClient(server, person, client);
  t.equal(claimsOf(before.body.access_token)['aal'], 'aal1');
  const session = { access_token: person.token, user: { id: person.id } } as never;
  const { id, secret } = await enrolTotp(server, session);
  const { body: raised } = await verifyWith(server, session, id, openApp(secret).nextCode());
  const { body: low } = await server.post('/token?grant_type=password', {
    email: person.email,
    password: 'correct horse battery',
  });
  const { location } = await authorize(server, { clientId: client.id });
  const path = `/oauth/authorizations/${location.searchParams.get('authorization_id')}`;
  const details = await call('GET', path, { bearer: low.access_token });
  t.match(details, { status: 200, body: { authorization_id: String } }, 'no remembered consent below AAL2');
  t.match(await call('POST', `${path}/consent`, { bearer: low.access_token, body: { action: 'approve' } }), {
    status: 403,
    body: { error_code: 'insufficient_aal' },
  });
  const back = await consent(server, { token: raised.access_token }, location);
  const { body } = await redeem(server, client, back.searchParams.get('code')!);
  t.equal(claimsOf(body.access_token)['aal'], 'aal2');
});

t.test('a ban and the end of the account end the sessions of clients', async (t) => {
  const [client, person] = await someone();
  const { body } = await signInToClient(server, person, client);
  await server.database.admin.query("update users set banned_until = now() + interval '1 hour' where id = $1", [
    person.id,
  ]);
  t.match(await refresh(server, client, body.refresh_token), { status: 400, body: { error: 'invalid_grant' } });
  t.equal((await call('GET', '/user', { bearer: body.access_token })).status, 403);
});

t.test('the hook custom_access_token decides claims, but not whose token it is', async (t) => {
  const receiver = await openHookReceiver(t, ({ body }) => {
    const { client_id: _gone, ...claims } = body.claims;
    return { claims: { ...claims, tenant: 'a' } };
  });
  const hooked = await openTestServer(
    t,
    oauthSettings({
      HOOK_CUSTOM_ACCESS_TOKEN_ENABLED: 'true',
      HOOK_CUSTOM_ACCESS_TOKEN_URI: receiver.url,
      HOOK_CUSTOM_ACCESS_TOKEN_SECRETS: HOOK_SECRET,
    }),
  );
  const [client, person] = [await addClient(hooked), await signUpPerson(hooked)];
  const { body } = await signInToClient(hooked, person, client);
  t.match(claimsOf(body.access_token), { tenant: 'a', client_id: client.id });
  const next = await refresh(hooked, client, body.refresh_token);
  t.match(claimsOf(next.body.access_token), { tenant: 'a', client_id: client.id });
});
