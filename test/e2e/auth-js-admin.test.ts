import { AuthAdminApi, AuthClient } from '@supabase/auth-js';
import { adminToken } from '../support/admin.js';
import { openMailFlow } from '../support/mail-flows.js';
import { freshEmail, freshPhone, password } from '../support/server.js';
import { t } from '../support/tap.js';

t.test('@supabase/auth-js, unchanged: auth.admin', async (t) => {
  const flow = await openMailFlow(t, { EXTERNAL_PHONE_ENABLED: 'true' });
  const { url } = flow;
  const admin = new AuthAdminApi({ url, headers: { Authorization: `Bearer ${adminToken()}` } });
  const newClient = () =>
    new AuthClient({ url, autoRefreshToken: false, persistSession: false, detectSessionInUrl: false });
  const create = async (more: object = {}) => {
    const { data, error } = await admin.createUser({ email: freshEmail(), password, email_confirm: true, ...more });
    if (error !== null) throw error;
    return data.user;
  };

  await t.test('createUser, getUserById, updateUserById', async (t) => {
    const phone = freshPhone();
    const user = await create({ phone, phone_confirm: true, user_metadata: { a: 1 }, app_metadata: { b: 2 } });
    t.match(user, { phone, user_metadata: { a: 1 }, app_metadata: { b: 2 } });
    t.equal((await newClient().signInWithPassword({ phone, password })).error, null);
    const read = await admin.getUserById(user.id);
    t.equal(read.error, null);
    t.equal(read.data.user?.email, user.email);
    const email = freshEmail();
    const updated = await admin.updateUserById(user.id, { email, password: 'a new passphrase', ban_duration: '1h' });
    t.equal(updated.error, null);
    t.equal(updated.data.user?.email, email);
    const banned = await newClient().signInWithPassword({ email, password: 'a new passphrase' });
    t.equal(banned.error?.code, 'user_banned');
    await admin.updateUserById(user.id, { ban_duration: 'none' });
    t.equal((await newClient().signInWithPassword({ email, password: 'a new passphrase' })).error, null);
    const duplicate = await admin.createUser({ email });
    t.match(duplicate.error, { name: 'AuthApiError', status: 422, code: 'email_exists' });
    const weak = await admin.updateUserById(user.id, { password: 'x' });
    t.match(weak.error, { name: 'AuthWeakPasswordError', reasons: ['length'] });
    const unknown = await admin.getUserById(crypto.randomUUID());
    t.match(unknown.error, { status: 404, code: 'user_not_found' });
    t.same((await admin.mfa.listFactors({ userId: user.id })).data?.factors, []);
    const factor = await admin.mfa.deleteFactor({ userId: user.id, id: crypto.randomUUID() });
    t.equal(factor.error?.code, 'mfa_factor_not_found');
  });

  await t.test('listUsers reads the pages out of Link', async (t) => {
    for (let i = 0; i < 6; i++) await create();
    const first = await admin.listUsers({ page: 1, perPage: 3 });
    t.equal(first.error, null);
    t.match(first.data, { aud: 'authenticated', nextPage: 2, lastPage: 3, total: 7 });
    t.equal(first.data.users.length, 3);
    const last = await admin.listUsers({ page: 3, perPage: 3 });
    t.match(last.data, { nextPage: null, lastPage: 3, total: 7 });
    t.equal(last.data.users.length, 1);
    const all = await admin.listUsers();
    t.equal(all.data.users.length, 7);
    t.match(all.data, { nextPage: null, lastPage: 1, total: 7 });
    const bad = await admin.listUsers({ perPage: 0 });
    t.match(bad.error, { status: 400, code: 'validation_failed' });
  });

  await t.test('deleteUser, hard and soft', async (t) => {
    const user = await create();
    t.equal((await admin.deleteUser(user.id, true)).error, null);
    t.ok((await admin.getUserById(user.id)).data.user?.deleted_at);
    const again = await create({ email: user.email });
    t.not(again.id, user.id, 'the address is free');
    t.equal((await admin.deleteUser(user.id)).error, null);
    t.equal((await admin.getUserById(user.id)).error?.status, 404);
    t.equal((await admin.deleteUser(user.id)).error?.status, 404);
  });

  await t.test('inviteUserByEmail', async (t) => {
    const email = freshEmail();
    const { data, error } = await admin.inviteUserByEmail(email, {
      data: { team: 'a' },
      redirectTo: 'https://app.example.com/welcome',
    });
    t.equal(error, null);
    t.ok(data.user?.invited_at);
    const mail = await flow.nextMail(email);
    const followed = await flow.follow(mail.link!);
    t.equal(followed.location?.origin, 'https://app.example.com');
    t.equal(followed.fragment.get('type'), 'invite');
    t.match((await admin.inviteUserByEmail(email)).error, { code: 'email_exists' });
  });

  await t.test('signOut ends the sessions of a token', async (t) => {
    const { email } = await create();
    const client = newClient();
    const { data } = await client.signInWithPassword({ email: email!, password });
    t.equal((await admin.signOut(data.session!.access_token)).error, null);
    const refreshed = await newClient().refreshSession({ refresh_token: data.session!.refresh_token });
    t.equal(refreshed.error?.code, 'refresh_token_not_found');
  });

  await t.test('generateLink: what it returns is redeemed at the real endpoints', async (t) => {
    const redirectTo = 'https://app.example.com/in';
    const local = (link: string) => new URL(link.replace(/^https?:\/\/[^/]+/, url));

    await t.test('signup, by link', async (t) => {
      const email = freshEmail();
      const { data, error } = await admin.generateLink({
        type: 'signup',
        email,
        password,
        options: { data: { plan: 'pro' }, redirectTo },
      });
      t.equal(error, null);
      t.equal(data.user?.user_metadata['plan'], 'pro');
      t.match(data.properties, { verification_type: 'signup', redirect_to: redirectTo });
      const followed = await flow.follow(local(data.properties!.action_link));
      t.equal(followed.fragment.get('type'), 'signup');
      t.equal((await newClient().signInWithPassword({ email, password })).error, null);
    });

    await t.test('invite, by token hash', async (t) => {
      const { data } = await admin.generateLink({ type: 'invite', email: freshEmail(), options: { redirectTo } });
      const { hashed_token } = data.properties!;
      const verified = await newClient().verifyOtp({ type: 'invite', token_hash: hashed_token });
      t.equal(verified.error, null);
      t.equal(verified.data.user?.id, data.user?.id);
    });

    await t.test('magiclink and recovery, by code', async (t) => {
      const { email } = await create();
      for (const type of ['magiclink', 'recovery'] as const) {
        const { data } = await admin.generateLink({ type, email: email! });
        const verified = await newClient().verifyOtp({ type, email: email!, token: data.properties!.email_otp });
        t.equal(verified.error, null, type);
        t.ok(verified.data.session);
      }
    });

    await t.test('email_change_current and email_change_new, by link', async (t) => {
      const { id, email } = await create();
      const newEmail = freshEmail();
      for (const type of ['email_change_current', 'email_change_new'] as const) {
        const { data, error } = await admin.generateLink({ type, email: email!, newEmail, options: { redirectTo } });
        t.equal(error, null, type);
        t.equal(data.properties?.verification_type, type);
      }
      const links = [];
      for (const type of ['email_change_current', 'email_change_new'] as const) {
        const { data } = await admin.generateLink({ type, email: email!, newEmail, options: { redirectTo } });
        links.push(local(data.properties!.action_link));
      }
      for (const link of links) t.equal((await flow.follow(link)).status, 303);
      t.equal((await admin.getUserById(id)).data.user?.email, newEmail);
    });
  });

  await t.test('without the role every call fails', async (t) => {
    const { email } = await create();
    const { data } = await newClient().signInWithPassword({ email: email!, password });
    const user = new AuthAdminApi({ url, headers: { Authorization: `Bearer ${data.session!.access_token}` } });
    t.match((await user.listUsers()).error, { status: 403, code: 'not_admin' });
    const anonymous = new AuthAdminApi({ url, headers: {} });
    t.match((await anonymous.createUser({ email: freshEmail() })).error, { status: 401, code: 'no_authorization' });
  });
});
