import { openExternalFlow } from '../support/external-flow.js';
import { freshEmail, freshPhone, JWT_SECRET, password } from '../support/server.js';
import { t } from '../support/tap.js';
import { signTestToken } from '../support/tokens.js';

const ended = { status: 403, body: { error_code: 'session_not_found' } };

t.test('SEC-81: the access token of an ended session changes no credentials', async (t) => {
  const flow = await openExternalFlow(t, ['github'], {
    MAILER_AUTOCONFIRM: 'true',
    SECURITY_MANUAL_LINKING_ENABLED: 'true',
    EXTERNAL_PHONE_ENABLED: 'true',
    SMS_AUTOCONFIRM: 'true',
  });
  const { call, post, database } = flow;
  const signIn = async (email: string) => (await post('/token?grant_type=password', { email, password })).body;

  const ends: [string, string][] = [
    ['logout of the others', '/logout?scope=others'],
    ['global logout', '/logout'],
  ];
  for (const [name, path] of ends) {
    const email = freshEmail();
    await post('/signup', { email, password });
    const stolen = await signIn(email);
    const { access_token: own } = await signIn(email);
    await flow.database.admin.query(
      `insert into identities (user_id, provider, provider_id, identity_data)
        values ($1, 'github', $2, '{"email_verified": true}')`,
      [stolen.user.id, email],
    );
    const { identities } = (await call('GET', '/user', { bearer: own })).body;
    t.equal((await call('POST', path, { bearer: own })).status, 204);

    const bearer = stolen.access_token;
    const put = (body: object) => call('PUT', '/user', { bearer, body });
    const before = (await database.admin.query('select to_jsonb(u) as row from users u where email = $1', [email]))
      .rows;
    t.match(await put({ password: 'another passphrase' }), ended, `${name}: password`);
    t.match(await put({ email: freshEmail() }), ended, `${name}: email`);
    t.match(await put({ phone: freshPhone() }), ended, `${name}: phone`);
    t.match(await put({ phone: freshPhone(), data: { a: 1 } }), ended, `${name}: phone beside metadata`);
    for (const { identity_id } of identities) {
      t.match(await call('DELETE', `/user/identities/${identity_id}`, { bearer }), ended, `${name}: unlinking`);
    }
    t.match(await call('GET', '/reauthenticate', { bearer }), ended, `${name}: reauthentication`);
    const after = (await database.admin.query('select to_jsonb(u) as row from users u where email = $1', [email])).rows;
    t.same(after, before, `${name}: nothing has changed`);
    t.equal((await call('GET', '/user', { bearer })).status, 200, `${name}: reading goes on until the token expires`);
    t.equal((await put({ data: { name: 'Ann' } })).status, 200, `${name}: and so do metadata`);
  }
});

t.test('SEC-81: an unknown session does not count; a hand-made token needs none', async (t) => {
  const flow = await openExternalFlow(t, [], { MAILER_AUTOCONFIRM: 'true' });
  const { body } = await flow.post('/signup', { email: freshEmail(), password });
  const { sub, aud } = { sub: body.user.id, aud: 'authenticated' };
  const put = (claims: object) =>
    flow.call('PUT', '/user', {
      bearer: signTestToken({ sub, aud, ...claims }, JWT_SECRET),
      body: { password: 'x'.repeat(12) },
    });
  t.match(await put({ session_id: '2f7c1a7e-0d1b-4d38-9a55-0c6f4f8d6a11' }), ended);
  t.equal((await put({})).status, 200);
});
