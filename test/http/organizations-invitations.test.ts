import { asAdmin } from '../support/admin.js';
import { openOrganizationServer, type Person } from '../support/organizations.js';
import { freshEmail } from '../support/server.js';
import { t } from '../support/tap.js';

const refusal = (status: number, error_code: string, msg: RegExp = /./) => ({ status, body: { error_code, msg } });
const notFound = refusal(404, 'invitation_not_found');

t.test('invitations to an organization', async (t) => {
  const server = await openOrganizationServer(t, {
    ORGANIZATIONS_MAX_PENDING_INVITATIONS: '4',
    ORGANIZATIONS_MAX_OWNED: '2',
    RATE_LIMIT_ORGANIZATIONS: '1000',
  });
  const { as, joinProven: join, found, addMember, database } = server;
  const owner = await join();
  const invite = (sender: Person, id: string, email: string, ...roles: string[]) =>
    as(sender, 'POST', `/organizations/${id}/invitations`, { email, ...(roles.length > 0 && { roles }) });
  const accept = (person: Person, id: string) => as(person, 'POST', `/invitations/${id}/accept`);
  const countMembers = async (id: string) =>
    (await database.admin.query('select count(*)::int as n from organization_members where organization_id = $1', [id]))
      .rows[0].n;

  await t.test('invited, seen, accepted', async (t) => {
    const id = await found(owner, '<b>Acme</b>');
    const guest = await join();
    const made = await invite(owner, id, guest.email.toUpperCase());
    const unknown = await invite(owner, id, freshEmail());
    t.match(made, { status: 201, body: { email: guest.email, roles: ['member'], invited_by: owner.id } });
    t.same(Object.keys(made.body), Object.keys(unknown.body), 'known and unknown addresses look alike');
    const hours = (Date.parse(made.body.expires_at) - Date.parse(made.body.created_at)) / 3_600_000;
    t.equal(Math.round(hours), 168);
    const listed = await as(owner, 'GET', `/organizations/${id}/invitations?limit=1`);
    t.same(listed.body.invitations, [unknown.body]);
    const rest = `/organizations/${id}/invitations?cursor=${listed.body.next_cursor}`;
    t.same((await as(owner, 'GET', rest)).body, { invitations: [made.body], next_cursor: null });
    const { body: own } = await as(guest, 'GET', '/invitations');
    t.match(own.invitations, [{ id: made.body.id, organization: { id, name: '<b>Acme</b>' } }]);

    const answers = await Promise.all([accept(guest, made.body.id), accept(guest, made.body.id)]);
    for (const answer of answers) {
      t.match(answer, { status: 200, body: { user: { id: guest.id }, roles: ['member'], via: 'invitation' } });
    }
    t.equal(await countMembers(id), 2);
    t.same((await as(guest, 'GET', '/invitations')).body.invitations, []);
    t.match(await invite(owner, id, guest.email), refusal(409, 'already_a_member'));
    const { rows } = await database.admin.query(
      `select payload ->> 'action' as action from audit_log
       where payload -> 'traits' ->> 'organization_id' = $1 and payload ->> 'actor_id' = $2 order by 1`,
      [id, guest.id],
    );
    t.same(
      rows.map(({ action }) => action),
      ['organization.invitation_accepted', 'organization.member_added'],
      'once, though accepted twice',
    );
    await as(owner, 'DELETE', `/organizations/${id}/members/${guest.id}`);
    t.match(await accept(guest, made.body.id), notFound, 'it does not bring back who was removed');
    await as(owner, 'DELETE', `/organizations/${id}`, {
      slug: (await as(owner, 'GET', `/organizations/${id}`)).body.slug,
    });
  });

  await t.test('what ends an invitation', async (t) => {
    const id = await found(owner, 'Ends');
    const [admin, guest, other] = [await join(), await join(), await join()];
    await addMember(id, admin, 'admin');
    const fresh = async (sender = admin) => (await invite(sender, id, guest.email)).body.id;

    const first = await fresh();
    t.match(await accept(other, first), refusal(403, 'invitation_for_other_address'));
    await database.admin.query('update users set email_confirmed_at = null where id = $1', [guest.id]);
    t.match(await accept(guest, first), refusal(403, 'invitation_for_other_address'), 'not confirmed');
    t.same((await as(guest, 'GET', '/invitations')).body.invitations, []);
    await database.admin.query('update users set email_confirmed_at = now(), proven_email = null where id = $1', [
      guest.id,
    ]);
    t.match(await accept(guest, first), refusal(403, 'invitation_for_other_address'), 'confirmed by no proof');
    t.match(await as(guest, 'POST', `/invitations/${first}/decline`), refusal(403, 'invitation_for_other_address'));
    t.same((await as(guest, 'GET', '/invitations')).body.invitations, []);
    await database.admin.query('update users set proven_email = email where id = $1', [guest.id]);

    const second = await fresh();
    t.match(await accept(guest, first), notFound, 'replaced');
    t.equal((await as(admin, 'DELETE', `/organizations/${id}/invitations/${second}`)).status, 204);
    t.match(await as(admin, 'DELETE', `/organizations/${id}/invitations/${second}`), notFound);
    t.match(await accept(guest, second), notFound, 'revoked');

    const third = await fresh();
    t.equal((await as(guest, 'POST', `/invitations/${third}/decline`)).status, 200);
    t.match(await accept(guest, third), notFound, 'declined');

    const fourth = await fresh();
    await database.admin.query('update organization_invitations set expires_at = now() where id = $1', [fourth]);
    t.match(await accept(guest, fourth), notFound, 'expired');

    const elsewhere = await join();
    const foreign = await found(elsewhere, 'Foreign');
    const fifth = await fresh();
    t.match(await as(elsewhere, 'DELETE', `/organizations/${foreign}/invitations/${fifth}`), notFound, 'of another');

    await database.admin.query("insert into organization_roles (name) values ('guide')");
    await database.admin.query("update organization_invitations set roles = '{guide}' where id = $1", [fifth]);
    await database.admin.query("delete from organization_roles where name = 'guide'");
    t.match(await accept(guest, fifth), notFound, 'its role was removed');

    const sixth = await fresh();
    await as(owner, 'PATCH', `/organizations/${id}/members/${admin.id}`, { roles: ['member'] });
    t.match(await accept(guest, sixth), notFound, 'the inviter may not invite any more');
    await as(owner, 'DELETE', `/organizations/${id}/members/${admin.id}`);
    t.match(await accept(guest, sixth), notFound, 'the inviter has left');
    t.equal(await countMembers(id), 1);
  });

  await t.test('a banned inviter gives nothing, and what gives nothing is not offered', async (t) => {
    const id = await found(await join(), 'Banned');
    const [admin, second, guest] = [await join(), await join(), await join()];
    await addMember(id, admin, 'admin');
    await addMember(id, second, 'admin');
    const invitation = (await invite(admin, id, guest.email, 'admin')).body.id;
    const ban = (until: string) =>
      database.admin.query(`update users set banned_until = ${until} where id = $1`, [admin.id]);
    const offered = async () => ({
      own: (await as(guest, 'GET', '/invitations')).body.invitations.map((one: { id: string }) => one.id),
      acceptable: (await as(second, 'GET', `/organizations/${id}/invitations`)).body.invitations[0].acceptable,
    });
    const dead = { own: [], acceptable: false };
    const alive = { own: [invitation], acceptable: true };
    t.same(await offered(), alive);
    await ban("now() + interval '1 hour'");
    t.match(await accept(guest, invitation), notFound, 'banned');
    t.same(await offered(), dead);
    await ban("now() - interval '1 hour'");
    t.same(await offered(), alive, 'the ban is over');
    await database.admin.query('update users set deleted_at = now() where id = $1', [admin.id]);
    t.match(await accept(guest, invitation), notFound, 'deleted');
    t.same(await offered(), dead);
    await database.admin.query('update users set deleted_at = null where id = $1', [admin.id]);

    for (const roles of ['{member}', '{}']) {
      await database.admin.query('update organization_members set roles = $2 where user_id = $1', [admin.id, roles]);
      t.same(await offered(), dead, `the inviter has ${roles}`);
    }
    await database.admin.query('delete from organization_members where user_id = $1', [admin.id]);
    t.same(await offered(), dead, 'the inviter has left');
    t.match(await as(second, 'POST', `/organizations/${id}/invitations/${invitation}/resend`), { status: 200 });
    t.same(await offered(), alive, 'sent again by one who may');

    await database.admin.query("update organization_invitations set roles = '{gone}' where id = $1", [invitation]);
    t.same(await offered(), dead, 'its role is gone');
    await database.admin.query("update organization_invitations set roles = '{member}' where id = $1", [invitation]);
    await database.admin.query(
      `insert into organizations (id, name, slug) select gen_random_uuid(), 'Dead', 'dead-' || n from generate_series(1, 120) n`,
    );
    await database.admin.query(
      `insert into organization_invitations (id, organization_id, email, roles, invited_by, expires_at)
       select gen_random_uuid(), o.id, $1, '{member}', $2, now() + interval '1 hour'
       from organizations o where o.slug like 'dead-%'`,
      [guest.email, admin.id],
    );
    const { body: page } = await as(guest, 'GET', '/invitations?limit=1');
    t.match(page, { invitations: [{ id: invitation }], next_cursor: null }, 'behind many that are dead');
    await addMember(id, guest);
    t.same((await as(guest, 'GET', '/invitations')).body.invitations, [], 'a member is not invited');
  });

  await t.test('who invites with which roles, and how many', async (t) => {
    const rich = await join();
    const id = await found(rich, 'Roles');
    const [admin, guest] = [await join(), await join()];
    await addMember(id, admin, 'admin');
    t.match(await invite(admin, id, guest.email, 'owner'), refusal(403, 'organization_permission_missing'));
    t.match(await invite(admin, id, guest.email, 'nothing'), refusal(404, 'role_not_found'));
    t.match(await invite(admin, id, 'no address'), refusal(400, 'validation_failed'));
    t.match(
      await as(admin, 'POST', `/organizations/${id}/invitations`, { invitations: [] }),
      refusal(400, 'validation_failed'),
    );

    await found(guest);
    await found(guest);
    const { body } = await invite(rich, id, guest.email, 'owner');
    t.match(await accept(guest, body.id), refusal(422, 'too_many_organizations'));

    const invitations = [freshEmail(), admin.email, 'no address', freshEmail(), freshEmail(), freshEmail()];
    const batch = await as(admin, 'POST', `/organizations/${id}/invitations`, {
      invitations: invitations.map((email) => ({ email })),
    });
    t.match(batch, { status: 200 });
    const results = batch.body.invitations as { invitation?: object; error_code?: string }[];
    t.same(
      results.map(({ invitation, error_code: code }) => (invitation ? 'invited' : code)),
      ['invited', 'already_a_member', 'validation_failed', 'invited', 'invited', 'too_many_invitations'],
    );
    t.match(await invite(rich, id, guest.email), { status: 201 }, 'again: one is replaced');

    const permissions = ['invitations:manage', 'members:read', 'organization:read'];
    await asAdmin(server)('POST', '/admin/organization-roles', { name: 'inviter', permissions });
    const inviter = await join();
    await addMember(id, inviter, 'inviter');
    const missing = (permission: string) => refusal(403, 'organization_permission_missing', new RegExp(permission));
    t.match(await invite(inviter, id, guest.email), missing('members:manage'), 'who makes members manages them');
    const again = await as(inviter, 'POST', `/organizations/${id}/invitations/${body.id}/resend`, {});
    t.equal(again.status, 404, 'it was replaced');
    const pending = (await as(inviter, 'GET', `/organizations/${id}/invitations`)).body.invitations[0];
    const resent = await as(inviter, 'POST', `/organizations/${id}/invitations/${pending.id}/resend`, {});
    t.match(resent, missing('members:manage'));
    await asAdmin(server)('PUT', '/admin/organization-roles/inviter', {
      permissions: [...permissions, 'members:manage'],
    });
    t.match(
      await invite(inviter, id, guest.email, 'admin'),
      missing('audit:read'),
      'only what the inviter has is given',
    );
    const { body: last } = await invite(inviter, id, guest.email);
    t.match(await accept(guest, last.id), { status: 200, body: { roles: ['member'] } });
  });

  await t.test('each entry of a call counts for the client', async (t) => {
    const limited = await openOrganizationServer(t, { RATE_LIMIT_HEADER: 'X-Client', RATE_LIMIT_ORGANIZATIONS: '0' });
    const person = await limited.join();
    const id = await limited.found(person);
    const call = (client: string, count: number) =>
      limited.call('POST', `/organizations/${id}/invitations`, {
        bearer: person.access,
        headers: { 'X-Client': client },
        body: { invitations: Array.from({ length: count }, () => ({ email: freshEmail() })) },
      });
    const first = await call('192.0.2.1', 20);
    t.equal(first.body.invitations.filter((one: { invitation?: object }) => one.invitation).length, 20);
    const second = await call('192.0.2.1', 12);
    t.same(
      second.body.invitations.map((one: { error_code?: string }) => one.error_code),
      [...Array.from({ length: 10 }), 'over_request_rate_limit', 'over_request_rate_limit'],
    );
    t.match(await call('192.0.2.1', 1), refusal(429, 'over_request_rate_limit'));
    t.equal((await call('192.0.2.2', 1)).body.invitations[0].error_code, undefined, 'another client');
  });

  await t.test('mails to one address have an interval, whoever causes them', async (t) => {
    const timed = await openOrganizationServer(t, { SMTP_MAX_FREQUENCY: '60s' });
    const [one, other] = [await timed.join(), await timed.join()];
    const [first, second] = [await timed.found(one), await timed.found(other)];
    const email = freshEmail();
    const send = (sender: Person, id: string, path = '', body: object = { email }) =>
      timed.as(sender, 'POST', `/organizations/${id}/invitations${path}`, body);
    const made = await send(one, first);
    t.equal(made.status, 201);
    const tooSoon = refusal(429, 'over_email_send_rate_limit');
    t.match(await send(one, first, `/${made.body.id}/resend`, {}), tooSoon);
    t.match(await send(one, first), tooSoon);
    t.match(await send(other, second), tooSoon, 'of another organization, too');
    t.equal((await send(one, first, '', { email: freshEmail() })).status, 201);
  });

  await t.test('off', async (t) => {
    const off = await openOrganizationServer(t, { ORGANIZATIONS_ENABLED: 'false' });
    const person = await off.join();
    t.match(await off.as(person, 'GET', '/invitations'), refusal(404, 'feature_disabled'));
  });
});
