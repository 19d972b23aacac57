/** The mails of invitations to organizations and their links. */
import { randomUUID } from 'node:crypto';
import { asAdmin } from '../support/admin.js';
import { enrolTotp, openApp, verifyWith } from '../support/authenticator-app.js';
import { HOOK_SECRET, openHookReceiver } from '../support/hook-receiver.js';
import { openMailFlow } from '../support/mail-flows.js';
import { actWith, type Person, readPayload } from '../support/organizations.js';
import { freshEmail, password } from '../support/server.js';
import { type Test, t } from '../support/tap.js';

const KIND = 'organization_invite';
const used = { error: 'access_denied', error_code: 'otp_expired' };
const refusal = (status: number, error_code: string) => ({ status, body: { error_code } });

const oauth = { OAUTH_SERVER_ENABLED: 'true', OAUTH_SERVER_AUTHORIZATION_PATH: '/consent' };

/** Sign-ups are off: accounts are made by an operator, or by invitations. */
async function openInvitations(t: Test, settings: Record<string, string> = {}) {
  const flow = await openMailFlow(t, { ORGANIZATIONS_ENABLED: 'true', DISABLE_SIGNUP: 'true', ...oauth, ...settings });
  const server = actWith(flow);
  const admin = asAdmin(flow);
  const { query } = flow.database.admin;
  const sql = query.bind(flow.database.admin);
  const signIn = async (email: string): Promise<Person> => {
    const { body } = await flow.post('/token?grant_type=password', { email, password });
    return { id: body.user.id, email, access: body.access_token, refresh: body.refresh_token };
  };
  const make = async (email = freshEmail()) => {
    await admin('POST', '/admin/users', { email, password, email_confirm: true });
    return signIn(email);
  };
  const invite = (sender: Person, id: string, email: string, more: object = {}) =>
    server.as(sender, 'POST', `/organizations/${id}/invitations`, { email, ...more });
  const linkFor = async (sender: Person, id: string, email: string, more: object = {}) => {
    const { status, body } = await invite(sender, id, email, more);
    if (status !== 201) throw new Error(JSON.stringify(body));
    return { id: body.id as string, link: (await flow.nextMail(email)).link! };
  };
  return { ...flow, ...server, admin, sql, signIn, make, invite, linkFor };
}

t.test('links of invitations', async (t) => {
  const server = await openInvitations(t);
  const { as, post, follow, found, addMember, sql, signIn, make, invite, linkFor, nextMail } = server;
  const owner = await make();
  const id = await found(owner, '<b>Acme</b> & Söhne');
  const tokenOf = (link: URL) => link.searchParams.get('token')!;
  const membersOf = async (organization: string) =>
    (await sql('select user_id, via, roles from organization_members where organization_id = $1', [organization])).rows;

  await t.test('an address without an account gets one, and is a member', async (t) => {
    const email = freshEmail();
    const { body: made } = await invite(owner, id, email.toUpperCase());
    const mail = await nextMail(email);
    t.equal(mail.subject, 'You have been invited to an organization');
    t.notMatch(mail.html, /<b>Acme/, 'a name is text');
    t.ok(mail.text.includes('<b>Acme</b> & Söhne'), 'and says what it is');
    t.ok(mail.text.includes(owner.email), 'the inviter');
    t.equal(mail.code, '', 'no code');
    t.match(Object.fromEntries(mail.link!.searchParams), {
      type: KIND,
      token: /^[0-9a-f]{56}$/,
      redirect_to: 'http://localhost:3000',
    });
    t.equal(mail.link!.pathname, '/verify');
    const { rows } = await sql('select i::text as row from organization_invitations i where id = $1', [made.id]);
    t.notMatch(rows[0].row, tokenOf(mail.link!), 'only a hash is stored');
    t.match(rows[0].row, /[0-9a-f]{64}|[\w-]{43}/);

    const prefetched = await follow(mail.link!, { headers: { 'sec-purpose': 'prefetch' } });
    t.match(
      prefetched,
      { status: 200, text: /Join the organization/ },
      'a program that looks at the mail joins nothing',
    );
    const followed = await follow(mail.link!);
    t.equal(followed.status, 303);
    t.equal(followed.fragment.get('type'), KIND);
    const access = followed.fragment.get('access_token')!;
    t.match(readPayload(access), { email, org_id: id, org_roles: ['member'], amr: [{ method: 'otp' }] });
    const { body: user } = await as({ access }, 'GET', '/user');
    t.match(user, { email, email_confirmed_at: String, identities: [{ provider: 'email' }] });
    t.match(await membersOf(id), [{}, { user_id: user.id, via: 'invitation', roles: ['member'] }]);
    const { rows: audit } = await sql(
      "select payload ->> 'action' as action from audit_log where payload ->> 'actor_id' = $1 order by 1",
      [user.id],
    );
    t.same(
      audit.map(({ action }) => action),
      ['organization.invitation_accepted', 'organization.member_added', 'user_signedup'],
    );

    t.match(Object.fromEntries((await follow(mail.link!)).fragment), used, 'once');
    const again = await post('/verify', { type: KIND, token_hash: tokenOf(mail.link!) });
    t.match(again, refusal(403, 'otp_expired'), 'by POST as well');
    t.match(await as({ access }, 'POST', `/invitations/${made.id}/accept`), { status: 200 }, 'by id: the membership');
    t.match(await post('/verify', { type: 'invite', token_hash: tokenOf(mail.link!) }), refusal(403, 'otp_expired'));
  });

  await t.test('an account goes on as it is, but what was added before the first proof goes', async (t) => {
    const guest = await make();
    await sql('update users set proven_email = email where id = $1', [guest.id]);
    const first = await linkFor(owner, id, guest.email);
    const verified = await post('/verify', { type: KIND, token: tokenOf(first.link), password: 'another password 17' });
    t.match(verified, { status: 200, body: { type: KIND, user: { id: guest.id } } });
    t.match(readPayload(verified.body.access_token), { org_id: id });
    t.equal((await as(guest, 'GET', '/user')).status, 200);
    t.match(await signIn(guest.email), { id: guest.id }, 'the password is as before');

    const squatter = await make();
    await sql('update users set vouched_email = null, proven_email = null where id = $1', [squatter.id]);
    await sql('delete from account_origins where user_id = $1', [squatter.id]);
    const second = await linkFor(owner, id, squatter.email);
    const fresh = 'a password of the owner 42';
    const proven = await post('/verify', { type: KIND, token_hash: tokenOf(second.link), password: fresh });
    t.match(proven, { status: 200, body: { user: { id: squatter.id } } });
    t.equal((await post('/token?grant_type=password', { email: squatter.email, password })).status, 400);
    t.equal((await post('/token?grant_type=password', { email: squatter.email, password: fresh })).status, 200);
    const { refresh: refresh_token } = squatter;
    t.equal((await post('/token?grant_type=refresh_token', { refresh_token })).status, 400, 'its session has ended');

    const email = freshEmail();
    const third = await linkFor(owner, id, email);
    const weak = await post('/verify', { type: KIND, token_hash: tokenOf(third.link), password: 'x' });
    t.match(weak, refusal(422, 'weak_password'));
    await post('/verify', { type: KIND, token_hash: tokenOf(third.link), password: fresh });
    t.equal((await post('/token?grant_type=password', { email, password: fresh })).status, 200, 'of a new account');
  });

  await t.test('what ends a link', async (t) => {
    const [admin, guest] = [await make(), await make()];
    const other = await found(owner, 'Ends');
    await addMember(other, admin, 'admin');
    const path = `/organizations/${other}/invitations`;
    const fresh = () => linkFor(admin, other, guest.email);
    const follows = async (link: URL) => Object.fromEntries((await follow(link)).fragment);

    const first = await fresh();
    const second = await fresh();
    t.match(await follows(first.link), used, 'invited again');
    const resent = await as(owner, 'POST', `${path}/${second.id}/resend`);
    t.match(resent, { status: 200, body: { id: second.id, email: guest.email, invited_by: owner.id } });
    t.match(await follows(second.link), used, 'sent again');
    const third = (await nextMail(guest.email)).link!;
    t.not(tokenOf(third), tokenOf(second.link));
    t.equal((await as(admin, 'DELETE', `${path}/${second.id}`)).status, 204);
    t.match(await follows(third), used, 'revoked');
    t.match(await as(admin, 'POST', `${path}/${second.id}/resend`), refusal(404, 'invitation_not_found'));
    t.match(
      await as(admin, 'POST', `/organizations/${id}/invitations/${first.id}/resend`),
      refusal(404, 'organization_not_found'),
    );

    const declined = await fresh();
    await as(guest, 'POST', `/invitations/${declined.id}/decline`);
    t.match(await follows(declined.link), used, 'declined');

    const expired = await fresh();
    await sql('update organization_invitations set expires_at = now() where id = $1', [expired.id]);
    t.match(await follows(expired.link), used, 'expired');
    t.match(await as(admin, 'POST', `${path}/${expired.id}/resend`), refusal(404, 'invitation_not_found'));

    const roleless = await fresh();
    await sql("insert into organization_roles (name) values ('guide')");
    await sql("update organization_invitations set roles = '{guide}' where id = $1", [roleless.id]);
    await sql("delete from organization_roles where name = 'guide'");
    t.match(await follows(roleless.link), used, 'its role was removed');

    const banned = await fresh();
    await sql("update users set banned_until = now() + interval '1 day' where id = $1", [guest.id]);
    t.match(await follows(banned.link), { error_code: 'user_banned' });
    await sql('update users set banned_until = null where id = $1', [guest.id]);
    await as(owner, 'PATCH', `/organizations/${other}/members/${admin.id}`, { roles: ['member'] });
    t.match(await follows(banned.link), used, 'the inviter may not invite any more');
    await as(owner, 'POST', `${path}/${banned.id}/resend`);
    const rescued = (await nextMail(guest.email)).link!;
    await addMember(other, guest);
    t.match(await follows(rescued), { error_code: 'already_a_member' }, 'joined in another way');
    t.match(await as(owner, 'POST', `${path}/${banned.id}/resend`), refusal(409, 'already_a_member'));
    await as(owner, 'DELETE', `/organizations/${other}/members/${guest.id}`);

    const sessions = async () =>
      (await sql('select count(*)::int as n from sessions where user_id = $1', [guest.id])).rows[0].n;
    t.equal(await sessions(), 1, 'none of them has signed in');
    await as(owner, 'DELETE', `/organizations/${other}`, { slug: 'ends' });
    t.match(await follows(rescued), used, 'the organization was deleted');
    t.match(await post('/verify', { type: KIND, token_hash: 'f'.repeat(56) }), refusal(403, 'otp_expired'));
    t.match(await post('/verify', { type: KIND, email: guest.email, token: '123456' }), refusal(403, 'otp_expired'));
  });

  await t.test('one of two at once wins, with and without an account', async (t) => {
    const guest = await make();
    await sql('update users set proven_email = email where id = $1', [guest.id]);
    for (const email of [freshEmail(), guest.email]) {
      const { link } = await linkFor(owner, id, email);
      const answers = await Promise.all(Array.from({ length: 4 }, () => follow(link)));
      t.equal(answers.filter(({ fragment }) => fragment.has('access_token')).length, 1, email);
      for (const { fragment } of answers.filter(({ fragment }) => !fragment.has('access_token'))) {
        t.match(Object.fromEntries(fragment), used);
      }
    }
  });

  await t.test('it names the organization of the session, whatever else is asked for', async (t) => {
    const guest = await make();
    const another = await found(guest, 'Own');
    const { link } = await linkFor(owner, id, guest.email, { roles: ['admin'] });
    const answer = await post('/verify', { type: KIND, token_hash: tokenOf(link), organization_id: another });
    t.match(readPayload(answer.body.access_token), { org_id: id, org_roles: ['admin'] });
  });

  await t.test('an organization that wants a second factor is joined, and not active before it', async (t) => {
    const strict = await found(owner, 'Strict');
    const email = freshEmail();
    const { link } = await linkFor(owner, strict, email);
    // The owner of this test has none either, and could not invite any more.
    await sql(`update organizations set policies = '{"require_aal2": true}' where id = $1`, [strict]);
    const { status, body } = await post('/verify', { type: KIND, token_hash: tokenOf(link) });
    t.equal(status, 200);
    t.equal(readPayload(body.access_token)['org_id'], undefined);
    t.equal((await membersOf(strict)).length, 2);
  });

  await t.test('an account with a second factor keeps it: the link stands for the first one only', async (t) => {
    const guest = await make();
    const session = { access_token: guest.access, refresh_token: guest.refresh, user: null };
    const { id: factorId, secret } = await enrolTotp(server, session);
    const { nextCode } = openApp(secret);
    t.equal((await verifyWith(server, session, factorId, nextCode())).status, 200);
    const { link } = await linkFor(owner, id, guest.email, { roles: ['admin'] });
    const { status, body } = await post('/verify', {
      type: KIND,
      token_hash: tokenOf(link),
      password: 'another one 42',
    });
    t.equal(status, 200);
    t.match(readPayload(body.access_token), { sub: guest.id, aal: 'aal1', org_id: id, org_roles: ['admin'] });
    t.match(body.user.factors, [{ id: factorId, status: 'verified' }]);
    t.ok((await signIn(guest.email)).access, 'the password stays');
    const key = { client_name: 'Key', grant_types: ['client_credentials'] };
    const entered = { access: body.access_token as string };
    const path = `/organizations/${id}/clients`;
    t.match(await as(entered, 'POST', path, key), refusal(403, 'insufficient_aal'), 'nothing that lasts without it');
    const raised = await verifyWith(server, { ...session, ...body }, factorId, nextCode());
    t.match(readPayload(raised.body.access_token), { aal: 'aal2', org_id: id });
    t.equal((await as({ access: raised.body.access_token }, 'POST', path, key)).status, 201);
  });

  await t.test('where it leads', async (t) => {
    const target = 'https://app.example.com/team';
    const list = [freshEmail(), freshEmail(), freshEmail()];
    const invitations = list.map((email, at) => ({ email, ...(at === 1 && { redirect_to: `${target}/b` }) }));
    const path = `/organizations/${id}/invitations`;
    const { body } = await as(owner, 'POST', path, { invitations, redirect_to: target });
    const targetOf = async (email: string) => (await nextMail(email)).link!.searchParams.get('redirect_to');
    t.same(await Promise.all(list.map(targetOf)), [target, `${target}/b`, target]);
    await as(owner, 'POST', `${path}/${body.invitations[1].invitation.id}/resend`);
    t.equal(await targetOf(list[1]!), `${target}/b`, 'as before');
    const evil = freshEmail();
    await invite(owner, id, evil, { redirect_to: 'https://evil.example/' });
    const { link } = await nextMail(evil);
    t.equal(link!.searchParams.get('redirect_to'), 'http://localhost:3000', 'not allowed');
    link!.searchParams.set('redirect_to', 'https://evil.example/');
    t.equal((await follow(link!)).location!.host, 'localhost:3000');
  });

  await t.test('a mail that waits is replaced by one of the same organization only', async (t) => {
    const email = freshEmail();
    const other = await found(owner, 'Waits');
    server.smtp.react = () => ({ code: 451, text: '4.3.0 later' });
    const waiting = async () => (await sql('select count(*)::int as n from outbox where kind = $1', [KIND])).rows[0].n;
    await invite(owner, id, email);
    await invite(owner, other, email);
    t.equal(await waiting(), 2);
    const { body } = await invite(owner, id, email);
    t.equal(await waiting(), 2);
    await as(owner, 'POST', `/organizations/${id}/invitations/${body.id}/resend`);
    t.equal(await waiting(), 2);
    await sql('delete from outbox');
    server.smtp.react = () => 'accept';
  });
});

t.test('the quota of mails, and the hook in place of a mail server', async (t) => {
  const hook = await openHookReceiver(t, () => ({}));
  const { as, found, make, invite, admin, post } = await openInvitations(t, {
    RATE_LIMIT_EMAIL_SENT: '2',
    HOOK_SEND_EMAIL_ENABLED: 'true',
    HOOK_SEND_EMAIL_URI: hook.url,
    HOOK_SEND_EMAIL_SECRETS: HOOK_SECRET,
  });
  const owner = await make();
  const stranger = await make();
  const id = await found(owner, '"Acme"');
  for (const email of [stranger.email, 'not an address']) {
    t.match(await invite(stranger, id, email), refusal(404, 'organization_not_found'), 'counts nothing');
  }
  const email = freshEmail();
  t.equal((await invite(owner, id, email)).status, 201);
  const [call] = hook.calls;
  t.match(call!.body, {
    user: { email },
    email_data: {
      email_action_type: KIND,
      token: '',
      organization: '"Acme"',
      organization_id: id,
      inviter: owner.email,
      roles: 'member',
    },
  });
  const { token_hash } = call!.body.email_data;
  t.match(await post('/verify', { type: KIND, token_hash }), { status: 200 });

  const invitations = [{ email: owner.email }, { email: stranger.email }, { email: freshEmail() }];
  const batch = await as(owner, 'POST', `/organizations/${id}/invitations`, { invitations });
  t.same(
    batch.body.invitations.map((one: { error_code?: string }) => one.error_code),
    ['already_a_member', undefined, 'over_email_send_rate_limit'],
  );
  t.equal(hook.calls.length, 2);
  const { body: users } = await admin('GET', '/admin/users');
  t.equal(users.users.length, 3, 'an invitation makes no account');
  t.match(hook.calls[1]!.body.user.id, /./);
  t.not(hook.calls[1]!.body.user.id, stranger.id, 'no account is looked up');

  hook.answer = () => ({ error: { http_code: 400, message: 'no' } });
  const { body } = await as(owner, 'GET', `/organizations/${id}/invitations`);
  const again = `/organizations/${id}/invitations/${body.invitations[0].id}/resend`;
  t.match(await as(owner, 'POST', again), refusal(429, 'over_email_send_rate_limit'));
  t.match(
    await as(owner, 'POST', again.replace(body.invitations[0].id, randomUUID())),
    refusal(404, 'invitation_not_found'),
  );
});
