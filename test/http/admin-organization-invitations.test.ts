/** Administrators of the installation invite to organizations: by the rules of members, without permissions and policies. */
import { randomUUID } from 'node:crypto';
import { asAdmin } from '../support/admin.js';
import { openMailFlow } from '../support/mail-flows.js';
import { actWith, readPayload } from '../support/organizations.js';
import { freshEmail } from '../support/server.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

const refusal = (status: number, error_code: string) => ({ status, body: { error_code } });
const notFound = refusal(404, 'invitation_not_found');
const ALL = '/admin/organizations';

t.test('invitations of administrators', async (t) => {
  const flow = await openMailFlow(t, {
    ORGANIZATIONS_ENABLED: 'true',
    ORGANIZATIONS_MAX_PENDING_INVITATIONS: '4',
    ORGANIZATIONS_MAX_OWNED: '2',
    MAILER_AUTOCONFIRM: 'true',
    WEBHOOKS_EVENTS: '*',
  });
  const { as, joinProven: join, found, addMember } = actWith(flow);
  const { database, follow, nextMail } = flow;
  const admin = asAdmin(flow);
  const owner = await join();
  const sent = (id: string) => `${ALL}/${id}/invitations`;
  const invite = (id: string, email: string, more: object = {}) => admin('POST', sent(id), { email, ...more });
  const accept = (person: { access: string }, id: string) => as(person, 'POST', `/invitations/${id}/accept`);

  await t.test('invited, listed, sent again, accepted by the link', async (t) => {
    const id = await found(owner);
    const guest = await join();
    const [stranger, other] = [freshEmail(), freshEmail()];
    const made = await invite(id, guest.email.toUpperCase());
    const unknown = await invite(id, stranger, { redirect_to: 'https://elsewhere.example' });
    t.match(made, {
      status: 201,
      body: { organization_id: id, email: guest.email, roles: ['member'], invited_by: null },
    });
    t.same(Object.keys(made.body), Object.keys(unknown.body), 'known and unknown addresses look alike');
    const listed = await admin('GET', `${sent(id)}?limit=1`);
    t.same(listed.body.invitations, [unknown.body]);
    const rest = await admin('GET', `${sent(id)}?cursor=${listed.body.next_cursor}`);
    t.same(rest.body, { invitations: [made.body], next_cursor: null });
    t.same(
      (await as(owner, 'GET', `/organizations/${id}/invitations`)).body.invitations,
      [unknown.body, made.body],
      'its members see them',
    );

    const mail = await nextMail(stranger);
    t.match(mail.text, /You are invited to join Acme/, 'by no one who is named');
    t.equal(mail.link!.searchParams.get('redirect_to'), 'http://localhost:3000', 'a target must be allowed');
    const again = await admin('POST', `${sent(id)}/${unknown.body.id}/resend`);
    t.match(again, { status: 200, body: { id: unknown.body.id, invited_by: null } });
    const { link } = await nextMail(stranger);
    t.equal((await follow(mail.link!)).fragment.get('error_code'), 'otp_expired', 'the former link is over');
    const followed = await follow(link!);
    t.match(readPayload(followed.fragment.get('access_token')!), {
      email: stranger,
      org_id: id,
      org_roles: ['member'],
    });

    const batch = await admin('POST', sent(id), {
      invitations: [
        { email: other, roles: ['admin'] },
        { email: stranger },
        { email: 'no address' },
        { email: other, roles: ['x'] },
      ],
    });
    t.match(batch, {
      status: 200,
      body: {
        invitations: [
          { email: other, invitation: { roles: ['admin'], invited_by: null } },
          { email: stranger, error_code: 'already_a_member' },
          { error_code: 'validation_failed' },
          { error_code: 'role_not_found' },
        ],
      },
    });
    t.match(await accept(guest, made.body.id), { status: 200, body: { roles: ['member'], via: 'invitation' } });
    t.match(await invite(id, guest.email), refusal(409, 'already_a_member'));
    t.equal((await admin('DELETE', `${sent(id)}/${batch.body.invitations[0].invitation.id}`)).status, 204);
    t.same((await admin('GET', sent(id))).body.invitations, []);
    await admin('DELETE', `${ALL}/${id}`);
  });

  await t.test('limits, and what is not there', async (t) => {
    const [id, elsewhere] = [await found(owner), await found(owner, 'Elsewhere')];
    const [first] = [await invite(id, freshEmail()), await invite(id, freshEmail()), await invite(id, freshEmail())];
    t.match(await admin('DELETE', `${sent(elsewhere)}/${first!.body.id}`), notFound, 'of another organization');
    t.match(await admin('POST', `${sent(elsewhere)}/${first!.body.id}/resend`), notFound);
    t.match(await admin('DELETE', `${sent(id)}/${randomUUID()}`), notFound);
    t.match(await admin('DELETE', `${sent(id)}/x`), notFound);
    t.match(await invite(randomUUID(), freshEmail()), refusal(404, 'organization_not_found'));
    t.match(await admin('GET', sent('x')), refusal(404, 'organization_not_found'));
    t.match(await admin('GET', `${sent(id)}?cursor=x`), refusal(400, 'validation_failed'));
    t.match(await admin('POST', sent(id), { invitations: [] }), refusal(400, 'validation_failed'));
    t.match(await invite(id, ''), refusal(400, 'validation_failed'));
    t.equal((await invite(id, freshEmail())).status, 201);
    t.match(await invite(id, freshEmail()), refusal(422, 'too_many_invitations'), 'the limit holds');
    await admin('DELETE', `${ALL}/${id}`);
    await admin('DELETE', `${ALL}/${elsewhere}`);
  });

  await t.test('an owner, also where there is none any more', async (t) => {
    const id = await found(owner);
    const [heir, rich] = [await join(), await join()];
    await database.admin.query('delete from organization_members where organization_id = $1', [id]);
    const { body } = await invite(id, heir.email, { roles: ['owner'] });
    t.match(await accept(heir, body.id), { status: 200, body: { roles: ['owner'] } });
    await found(rich);
    await found(rich);
    const { body: more } = await invite(id, rich.email, { roles: ['owner'] });
    t.match(await accept(rich, more.id), refusal(422, 'too_many_organizations'), 'as for every owner');
  });

  await t.test('no policy binds administrators, nor whom they invite', async (t) => {
    const id = await found(owner);
    const guest = await join();
    await admin('PUT', `${ALL}/${id}`, { policies: { allowed_domains: ['acme.example'] } });
    const own = `/organizations/${id}/invitations`;
    t.match(await as(owner, 'POST', own, { email: guest.email }), refusal(403, 'organization_address_not_allowed'));
    const { status, body } = await invite(id, guest.email);
    t.equal(status, 201);
    t.match(
      await as(owner, 'POST', `${own}/${body.id}/resend`),
      refusal(403, 'organization_address_not_allowed'),
      'a member who sends it again is bound',
    );
    t.match(await accept(guest, body.id), { status: 200 });
    await admin('DELETE', `${ALL}/${id}`);
  });

  await t.test('who sends it again is who invites', async (t) => {
    const id = await found(owner);
    const [manager, guest, other] = [await join(), await join(), await join()];
    await addMember(id, manager, 'admin');
    const { body } = await as(manager, 'POST', `/organizations/${id}/invitations`, { email: guest.email });
    await as(owner, 'DELETE', `/organizations/${id}/members/${manager.id}`);
    t.match(await accept(guest, body.id), notFound, 'its inviter has left');
    t.match(await admin('POST', `${sent(id)}/${body.id}/resend`), { status: 200, body: { invited_by: null } });
    t.match(await accept(guest, body.id), { status: 200 });

    await admin('POST', '/admin/organization-roles', { name: 'guide' });
    const { body: second } = await invite(id, other.email, { roles: ['guide'] });
    await database.admin.query("delete from organization_roles where name = 'guide'");
    t.match(await accept(other, second.id), notFound, 'its role was removed');
    await admin('DELETE', `${ALL}/${id}`);
  });

  await t.test('audit entries and events', async (t) => {
    const id = await found(owner);
    const { body } = await invite(id, freshEmail());
    await admin('POST', `${sent(id)}/${body.id}/resend`);
    await admin('DELETE', `${sent(id)}/${body.id}`);
    const { rows } = await database.admin.query(
      `select payload ->> 'action' as action, payload ->> 'actor_username' as by from audit_log
       where payload -> 'traits' ->> 'invitation_id' = $1 order by created_at`,
      [body.id],
    );
    const actions = ['created', 'resent', 'revoked'].map((what) => `organization.invitation_${what}`);
    t.same(
      rows,
      actions.map((action) => ({ action, by: 'service_role' })),
    );
    const { entries } = (await as(owner, 'GET', `/organizations/${id}/audit`)).body;
    t.match(entries[0].payload, { action: 'organization.invitation_revoked', actor_username: 'administrator' });
    const read = async () =>
      (await admin('GET', '/admin/events?limit=1000')).body.events.filter(
        ({ data }: { data: { invitation_id?: string } }) => data.invitation_id === body.id,
      );
    await until(async () => (await read()).length === 2);
    t.match(await read(), [
      { type: 'organization.invitation_created', data: { organization_id: id, actor: { type: 'admin' } } },
      { type: 'organization.invitation_revoked', data: { actor: { type: 'admin' } } },
    ]);
  });
});
