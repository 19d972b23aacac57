import pg from 'pg';
import { openAdminServer } from '../support/admin.js';
import { startLeakService } from '../support/leaked-passwords.js';
import { untilBlocked } from '../support/lock-waits.js';
import { freshEmail, password } from '../support/server.js';
import { t } from '../support/tap.js';

const grant = '/token?grant_type=password';

t.test('a new password needs the current one', async (t) => {
  const settings = { SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD: 'true', MAILER_AUTOCONFIRM: 'true' };
  const { admin, call, database, post } = await openAdminServer(t, settings);
  const put = (bearer: string, body: object) => call('PUT', '/user', { bearer, body });
  const message = 'Current password required when setting new password.';

  await t.test('missing, wrong, right', async (t) => {
    const email = freshEmail();
    const bearer = (await post('/signup', { email, password })).body.access_token;
    const missing = { status: 400, body: { error_code: 'current_password_required', msg: message } };
    t.match(await put(bearer, { password: 'another one 1' }), missing);
    t.match(await put(bearer, { password: 'another one 1', current_password: '' }), missing);
    const wrong = { status: 400, body: { error_code: 'current_password_invalid', msg: message } };
    t.match(await put(bearer, { password: 'another one 1', current_password: 'wrong' }), wrong);
    t.match(await put(bearer, { password: 'another one 1', current_password: 'x'.repeat(2000) }), wrong);
    const same = await put(bearer, { password, current_password: password });
    t.match(same, { status: 422, body: { error_code: 'same_password' } });
    t.equal((await put(bearer, { data: { a: 1 } })).status, 200, 'other changes need none');
    t.equal((await put(bearer, { password: 'another one 1', current_password: password })).status, 200);
    t.equal((await post(grant, { email, password: 'another one 1' })).status, 200);
  });

  await t.test('in another Unicode form', async (t) => {
    const email = freshEmail();
    const [composed, decomposed] = ['Zürich 1234', 'Zürich 1234'.normalize('NFD')];
    const bearer = (await post('/signup', { email, password: decomposed })).body.access_token;
    t.equal((await post(grant, { email, password: composed })).status, 200);
    const same = await put(bearer, { password: decomposed, current_password: composed });
    t.match(same, { status: 422, body: { error_code: 'same_password' } });
    t.equal((await put(bearer, { password: 'another one 1', current_password: composed })).status, 200);
  });

  await t.test('wrong ones are counted together with those of sign-ins', async (t) => {
    const email = freshEmail();
    const bearer = (await post('/signup', { email, password })).body.access_token;
    for (let i = 0; i < 5; i++) await post(grant, { email, password: `wrong ${i}` });
    for (let i = 0; i < 5; i++) await put(bearer, { password: 'another one 1', current_password: `wrong ${i}` });
    const right = await put(bearer, { password: 'another one 1', current_password: password });
    t.match(right, { status: 429, body: { error_code: 'over_request_rate_limit' } });
    t.ok(Number(right.headers.get('retry-after')) > 0);
    t.equal((await post(grant, { email, password })).status, 429);
  });

  await t.test('not where a code opened the session, and not for a first password', async (t) => {
    const email = freshEmail();
    await post('/signup', { email, password });
    const link = await admin('POST', '/admin/generate_link', { type: 'recovery', email });
    const session = await post('/verify', { type: 'recovery', token_hash: link.body.hashed_token });
    t.equal((await put(session.body.access_token, { password: 'after recovery 1' })).status, 200);

    const other = freshEmail();
    const bearer = (await post('/signup', { email: other, password })).body.access_token;
    await database.admin.query('update users set password_hash = null where email = $1', [other]);
    t.equal((await put(bearer, { password: 'the first one 1' })).status, 200);
  });
});

t.test('two requests at once', async (t) => {
  const settings = { SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD: 'true', MAILER_AUTOCONFIRM: 'true' };
  const { call, database, post } = await openAdminServer(t, settings);

  /** Sends both with the account locked, so that each has checked the current password before the other sets its own. */
  async function putTogether(passwords: readonly string[]) {
    const email = freshEmail();
    const { body: session } = await post('/signup', { email, password });
    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    await holder.query('begin');
    await holder.query('select from users where id = $1 for update', [session.user.id]);
    const answers = passwords.map((next) =>
      call('PUT', '/user', { bearer: session.access_token, body: { password: next, current_password: password } }),
    );
    await untilBlocked(database, passwords.length);
    await holder.query('commit');
    await holder.end();
    const statuses = (await Promise.all(answers)).map(({ status, body }) => body.error_code ?? status);
    const grants = passwords.map(async (next) => (await post(grant, { email, password: next })).status);
    return { statuses, grants: await Promise.all(grants) };
  }

  await t.test('the same password twice: a double click', async (t) => {
    const { statuses, grants } = await putTogether(['another one 1', 'another one 1']);
    t.same(
      [statuses, grants],
      [
        [200, 200],
        [200, 200],
      ],
    );
  });

  await t.test('different ones: the current password of the second is the former one', async (t) => {
    const { statuses, grants } = await putTogether(['another one 1', 'another one 2']);
    const isFirstSet = statuses[0] === 200;
    t.same(statuses, isFirstSet ? [200, 'current_password_invalid'] : ['current_password_invalid', 200]);
    t.same(grants, isFirstSet ? [200, 400] : [400, 200], 'and only the one that was set opens the account');
  });
});

t.test('the first password creates the email identity where that is on', async (t) => {
  for (const isOn of [true, false]) {
    const setting = String(isOn);
    const { admin, call, database, post } = await openAdminServer(t, {
      EXPERIMENTAL_CREATE_EMAIL_IDENTITY_ON_PASSWORD_SET_ENABLED: setting,
    });
    /** An account as a provider creates it. */
    const create = async () => {
      const email = freshEmail();
      const { body } = await post('/signup', { email, password });
      const { id } = body.user;
      await database.admin.query(`update users set password_hash = null, app_metadata = $2 where id = $1`, [
        id,
        { provider: 'github', providers: ['github'] },
      ]);
      await database.admin.query(`update identities set provider = 'github', provider_id = $1 where user_id = $1`, [
        id,
      ]);
      return { id, email, bearer: body.access_token as string };
    };
    const providersOf = async (id: string) => {
      const { body } = await admin('GET', `/admin/users/${id}`);
      const identities = body.identities.map(({ provider }: { provider: string }) => provider).sort();
      return { identities, providers: body.app_metadata.providers };
    };
    const expected = isOn
      ? { identities: ['email', 'github'], providers: ['github', 'email'] }
      : { identities: ['github'], providers: ['github'] };

    const own = await create();
    t.equal((await call('PUT', '/user', { bearer: own.bearer, body: { password: 'a first one 1' } })).status, 200);
    t.same(await providersOf(own.id), expected, `by the user, ${setting}`);
    const others = await create();
    t.equal((await admin('PUT', `/admin/users/${others.id}`, { password: 'a first one 1' })).status, 200);
    t.same(await providersOf(others.id), expected, `by an administrator, ${setting}`);
    const unconfirmed = await create();
    await database.admin.query('update users set email_confirmed_at = null where id = $1', [unconfirmed.id]);
    await admin('PUT', `/admin/users/${unconfirmed.id}`, { password: 'a first one 1' });
    t.same((await providersOf(unconfirmed.id)).identities, ['github'], 'not for an unconfirmed address');
  }
});

t.test('a leaked password opens a session that can only set a new one', async (t) => {
  const service = await startLeakService(t);
  service.leaked.add('trustno1!');
  const { admin, call, post } = await openAdminServer(t, {
    PASSWORD_HIBP_ENABLED: 'true',
    PASSWORD_HIBP_API_URL: service.url,
    PASSWORD_LEAKED_ACTION: 'require_reset',
  });
  const email = freshEmail();
  const account = { email, password: 'trustno1!', email_confirm: true, role: 'service_role' };
  await admin('POST', '/admin/users', account);
  const session = await post(grant, { email, password: 'trustno1!' });
  const bearer = session.body.access_token;
  t.equal(session.status, 200);
  t.match(session.body.weak_password, { reasons: ['pwned'] });

  const refused = { status: 403, body: { error_code: 'password_reset_required' } };
  const put = (body: object) => call('PUT', '/user', { bearer, body });
  t.match(await call('GET', '/user', { bearer }), refused);
  t.match(await put({ data: { a: 1 } }), refused);
  t.match(await put({ password: 'a new one 1', email: freshEmail() }), refused);
  t.match(await put({ password: 'a new one 1', app_metadata: { a: 1 } }), { status: 403 });
  t.match(await put({ password: 'trustno1!' }), { status: 422, body: { error_code: 'weak_password' } });
  t.match(await call('GET', '/admin/users', { bearer }), { status: 403, body: { error_code: 'not_admin' } });

  const refresh = async (from: { body: { refresh_token: string } }) =>
    post('/token?grant_type=refresh_token', { refresh_token: from.body.refresh_token });
  const limited = await refresh(session);
  t.match(await call('GET', '/user', { bearer: limited.body.access_token }), refused, 'a refresh lifts nothing');
  t.equal((await put({ password: 'a new one 1' })).status, 200);
  const free = await refresh(limited);
  t.equal((await call('GET', '/user', { bearer: free.body.access_token })).status, 200);
  t.equal((await call('GET', '/admin/users', { bearer: free.body.access_token })).status, 200);
  const next = await post(grant, { email, password: 'a new one 1' });
  t.match(next.body, { weak_password: null });
  t.equal((await call('GET', '/user', { bearer: next.body.access_token })).status, 200);

  const other = freshEmail();
  await admin('POST', '/admin/users', { ...account, email: other });
  const leaving = await post(grant, { email: other, password: 'trustno1!' });
  t.equal((await call('POST', '/logout', { bearer: leaving.body.access_token })).status, 204);
  t.equal((await refresh(leaving)).status, 400);

  service.fault = 'status';
  const late = freshEmail();
  service.leaked.add('another leaked 1');
  await admin('POST', '/admin/users', { ...account, email: late, password: 'another leaked 1' });
  const unchecked = await post(grant, { email: late, password: 'another leaked 1' });
  t.equal((await call('GET', '/user', { bearer: unchecked.body.access_token })).status, 200, 'without an answer');
});
