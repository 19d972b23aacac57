/** Every way in which an account comes, changes and goes reaches the application. */
import { adminToken } from '../support/admin.js';
import { readApplication, readRow } from '../support/app-schema.js';
import { openExternalFlow } from '../support/external-flow.js';
import { freshEmail, freshPhone, password } from '../support/server.js';
import { t } from '../support/tap.js';

t.test('the ways of an account', async (t) => {
  const flow = await openExternalFlow(t, ['github'], {
    DB_APP_SCHEMA: 'auth',
    EXTERNAL_ANONYMOUS_USERS_ENABLED: 'true',
    SECURITY_MANUAL_LINKING_ENABLED: 'true',
    MAILER_SECURE_EMAIL_CHANGE_ENABLED: 'false',
  });
  const { call, database, nextMail, post } = flow;
  const sql = database.admin;
  await sql.query(readApplication('starter'));
  const bearer = adminToken();
  const profile = (email: string) => readRow(sql, 'select * from public.profiles where email = $1', [email]);
  const mirrored = (id: string) => readRow(sql, 'select * from auth.users where id = $1', [id]);

  await t.test('by password, confirmed by a link', async (t) => {
    const email = freshEmail();
    t.equal((await post('/signup', { email, password, data: { full_name: 'Ada' } })).status, 200);
    const { id } = await profile(email);
    t.match(await mirrored(id), { email_confirmed_at: null, confirmation_token: '', encrypted_password: '' });
    await flow.follow((await nextMail(email)).link!);
    t.type((await mirrored(id)).email_confirmed_at, Date);
    t.match(await profile(email), { full_name: 'Ada' });
  });

  await t.test('by code', async (t) => {
    const email = freshEmail();
    await post('/otp', { email });
    const { code } = await nextMail(email);
    t.equal((await post('/verify', { type: 'email', email, token: code })).status, 200);
    t.ok(await profile(email));
  });

  await t.test('by a provider, and a further identity', async (t) => {
    const email = freshEmail();
    const as = flow.providers.person('github', { email, subject: 4711 });
    const { fragment } = await flow.signIn('github', { as });
    t.ok(fragment.get('access_token'));
    const { id } = await profile(email);
    t.match(await readRow(sql, 'select * from auth.identities where user_id = $1', [id]), {
      provider: 'github',
      provider_id: '4711',
      email,
    });
    t.match(await mirrored(id), { raw_app_meta_data: { provider: 'github' }, is_anonymous: false });
  });

  await t.test('anonymous, then with an address', async (t) => {
    const { body } = await post('/signup', {});
    t.match(await readRow(sql, 'select * from public.profiles where id = $1', [body.user.id]), {
      is_anonymous: true,
      email: null,
    });
    const email = freshEmail();
    await call('PUT', '/user', { bearer: body.access_token, body: { email } });
    t.match(await mirrored(body.user.id), { email_change: email, email_change_token_new: '' });
    await flow.follow((await nextMail(email)).link!);
    t.match(await mirrored(body.user.id), { email, is_anonymous: false, email_change: '' });
    t.match(await profile(email), { id: body.user.id });
  });

  await t.test('by an invitation, and by an administrator', async (t) => {
    const [invited, made] = [freshEmail(), freshEmail()];
    t.equal(
      (await call('POST', '/invite', { bearer, body: { email: invited, data: { full_name: 'Bea' } } })).status,
      200,
    );
    t.match(await profile(invited), { full_name: 'Bea' });
    t.type((await mirrored((await profile(invited)).id)).invited_at, Date);
    const phone = freshPhone();
    const { body } = await call('POST', '/admin/users', { bearer, body: { email: made, phone, email_confirm: true } });
    t.match(await mirrored(body.id), { email: made, phone, phone_confirmed_at: null, email_confirmed_at: Date });
    const changed = { email: freshEmail(), ban_duration: '1h', app_metadata: { plan: 'gold' } };
    t.equal((await call('PUT', `/admin/users/${body.id}`, { bearer, body: changed })).status, 200);
    t.match(await mirrored(body.id), { email: changed.email, banned_until: Date, raw_app_meta_data: { plan: 'gold' } });
    t.match(await profile(changed.email), { id: body.id });
  });

  await t.test('soft deletion keeps the row', async (t) => {
    const email = freshEmail();
    const { body } = await call('POST', '/admin/users', { bearer, body: { email, email_confirm: true } });
    await call('DELETE', `/admin/users/${body.id}`, { bearer, body: { should_soft_delete: true } });
    const row = await mirrored(body.id);
    t.type(row.deleted_at, Date);
    t.not(row.email, email);
    t.ok(await readRow(sql, 'select 1 from public.profiles where id = $1', [body.id]));
  });
});
