/** Who may call which endpoint of organizations. The rows come from the list of endpoints, so that none is forgotten. */

import { randomUUID } from 'node:crypto';
import { endpoints } from '../../src/server/endpoints/index.js';
import { adminToken } from '../support/admin.js';
import { openDns } from '../support/dns-server.js';
import { openFakeIdp } from '../support/fake-saml-idp.js';
import { sameInFull } from '../support/long-form.js';
import { openOrganizationServer, readPayload } from '../support/organizations.js';
import { cross, pickRows } from '../support/rows.js';
import { JWT_SECRET } from '../support/server.js';
import { t } from '../support/tap.js';
import { signTestToken } from '../support/tokens.js';

/** `low` is an owner at AAL1, in an organization whose policies want more. */
const callers = ['stranger', 'member', 'admin', 'owner', 'low', 'removed', 'banned', 'client', 'anonymous'] as const;
type Caller = (typeof callers)[number];

/** What a row needs: `{id}` is the organization, `{user_id}` another member. */
interface Row {
  readonly body?: Readonly<Record<string, unknown>>;
  /** Status by caller. The token of a client, a banned user and one without a token are refused everywhere. */
  readonly answers: Readonly<Record<Exclude<Caller, 'client' | 'banned'>, number>>;
}

/** What a call finds. */
interface Arranged {
  readonly id: string;
  readonly slug: string;
  readonly invitationId: string;
  readonly clientId: string;
  readonly providerId: string;
}

const insiders = (member: number, admin: number, owner: number): Row['answers'] => ({
  stranger: 404,
  member,
  admin,
  owner,
  low: 403,
  removed: 404,
  anonymous: 404,
});
const everybody = (status: number, anonymous = status): Row['answers'] => ({
  stranger: status,
  member: status,
  admin: status,
  owner: status,
  low: status,
  removed: status,
  anonymous,
});

const rows: Readonly<Record<string, Row>> = {
  createOrganization: { body: { name: 'New' }, answers: everybody(201, 403) },
  listOrganizations: { answers: everybody(200) },
  getOrganization: { answers: insiders(200, 200, 200) },
  updateOrganization: { body: { name: 'Other' }, answers: insiders(403, 200, 200) },
  deleteOrganization: { body: { slug: '{slug}' }, answers: insiders(403, 403, 204) },
  activateOrganization: { answers: insiders(200, 200, 200) },
  deactivateOrganization: { answers: everybody(200) },
  listOrganizationMembers: { answers: insiders(200, 200, 200) },
  listOrganizationRoles: { answers: insiders(200, 200, 200) },
  updateOrganizationMember: { body: { roles: ['admin'] }, answers: insiders(403, 200, 200) },
  listOrganizationDomains: { answers: insiders(403, 200, 200) },
  addOrganizationDomain: { body: { domain: 'new.example' }, answers: insiders(403, 201, 201) },
  updateOrganizationDomain: { body: { auto_join: true }, answers: insiders(403, 200, 200) },
  // The record is not there.
  verifyOrganizationDomain: { answers: insiders(403, 422, 422) },
  removeOrganizationDomain: { answers: insiders(403, 204, 204) },
  listOrganizationSsoProviders: { answers: insiders(403, 200, 200) },
  createOrganizationSsoProvider: {
    body: { type: 'saml', metadata_xml: openFakeIdp().metadata() },
    answers: insiders(403, 201, 201),
  },
  getOrganizationSsoProvider: { answers: insiders(403, 200, 200) },
  updateOrganizationSsoProvider: { body: { disabled: true }, answers: insiders(403, 200, 200) },
  deleteOrganizationSsoProvider: { answers: insiders(403, 200, 200) },
  createOrganizationScimToken: { answers: insiders(403, 201, 201) },
  listOrganizationScimTokens: { answers: insiders(403, 200, 200) },
  listOrganizationScimGroupRoles: { answers: insiders(403, 200, 200) },
  putOrganizationScimGroupRoles: { body: { group: 'Engineers', roles: ['member'] }, answers: insiders(403, 200, 200) },
  // There are none for that group.
  deleteOrganizationScimGroupRoles: { answers: insiders(403, 404, 404) },
  // There is no token with that id.
  deleteOrganizationScimToken: { answers: insiders(403, 404, 404) },
  // It has no address.
  refreshOrganizationSsoProvider: { answers: insiders(403, 400, 400) },
  removeOrganizationMember: { answers: insiders(403, 204, 204) },
  listOrganizationAudit: { answers: insiders(403, 200, 200) },
  inviteOrganizationMembers: { body: { email: 'new@example.com' }, answers: insiders(403, 201, 201) },
  listOrganizationInvitations: { answers: insiders(403, 200, 200) },
  resendOrganizationInvitation: { body: {}, answers: insiders(403, 200, 200) },
  revokeOrganizationInvitation: { answers: insiders(403, 204, 204) },
  listInvitations: { answers: everybody(200) },
  addOrganizationClient: {
    body: { client_name: 'Key', grant_types: ['client_credentials'] },
    answers: insiders(403, 201, 201),
  },
  listOrganizationClients: { answers: insiders(403, 200, 200) },
  getOrganizationClient: { answers: insiders(403, 200, 200) },
  updateOrganizationClient: { body: { client_name: 'Other' }, answers: insiders(403, 200, 200) },
  removeOrganizationClient: { answers: insiders(403, 204, 204) },
  regenerateOrganizationClientSecret: { answers: insiders(403, 200, 200) },
  // It is for the stranger.
  acceptInvitation: { answers: { ...everybody(403), stranger: 200 } },
  declineInvitation: { answers: { ...everybody(403), stranger: 200 } },
};

const ofOrganizations = endpoints.filter(({ tag }) => tag === 'Organizations');

t.test('every endpoint has a row', sameInFull, async (t) => {
  t.same(ofOrganizations.map(({ id }) => id).sort(), Object.keys(rows).sort());
  t.same(
    endpoints
      .filter(({ path, tag }) => /^\/(organizations|invitations)/.test(path) && tag !== 'Organizations')
      .map(({ id }) => id),
    [],
  );
});

t.test('caller and endpoint', async (t) => {
  const server = await openOrganizationServer(t, {
    EXTERNAL_ANONYMOUS_USERS_ENABLED: 'true',
    ORGANIZATIONS_MAX_OWNED: '1000',
    OAUTH_SERVER_ENABLED: 'true',
    SCIM_ENABLED: 'true',
    OAUTH_SERVER_AUTHORIZATION_PATH: '/oauth/consent',
    DNS_SERVERS: await openDns(t, {}),
  });
  const { call, join, joinProven, post, database } = server;
  const people = {
    stranger: await joinProven(),
    member: await join(),
    admin: await join(),
    owner: await join(),
    low: await join(),
    removed: await join(),
    banned: await join(),
  };
  const target = await join();
  const { body: nameless } = await post('/signup', {});
  await database.admin.query("update users set banned_until = now() + interval '1 day' where id = $1", [
    people.banned.id,
  ]);
  const { session_id } = readPayload(people.owner.access);
  const client = {
    sub: people.owner.id,
    aud: 'authenticated',
    role: 'authenticated',
    session_id,
    client_id: randomUUID(),
  };
  const tokens: Readonly<Record<Caller, string>> = {
    ...(Object.fromEntries(Object.entries(people).map(([name, { access }]) => [name, access])) as Record<
      keyof typeof people,
      string
    >),
    client: signTestToken(client, JWT_SECRET),
    anonymous: nameless.access_token,
  };

  /** A new organization for each call, so that no call changes what the next one finds. */
  async function arrange(caller?: Caller): Promise<Arranged> {
    const slug = `s-${randomUUID()}`;
    const { rows } = await database.admin.query(
      `insert into organizations (name, slug, policies)
       values ('Secret name', $1, case when $2::text = 'low' then '{"require_aal2": true}'::jsonb end) returning id`,
      [slug, caller],
    );
    const { id } = rows[0];
    const roles = {
      member: 'member',
      admin: 'admin',
      owner: 'owner',
      low: 'owner',
      removed: 'owner',
      banned: 'owner',
    } as const;
    for (const [name, role] of Object.entries(roles)) {
      await server.addMember(id, people[name as keyof typeof people], role);
    }
    await server.addMember(id, target);
    await database.admin.query(
      "insert into organization_domains (organization_id, domain) values ($1, 'old.example')",
      [id],
    );
    await database.admin.query('delete from organization_members where organization_id = $1 and user_id = $2', [
      id,
      people.removed.id,
    ]);
    const { rows: invitations } = await database.admin.query(
      `insert into organization_invitations (id, organization_id, email, roles, invited_by, expires_at)
       values (gen_random_uuid(), $1, $2, '{member}', $3, now() + interval '1 hour') returning id`,
      [id, people.stranger.email, people.owner.id],
    );
    const { rows: clients } = await database.admin.query(
      `insert into oauth_clients (name, client_type, auth_method, redirect_uris, grant_types, registration, organization_id)
       values ('Secret name', 'confidential', 'client_secret_basic', '{}', '{client_credentials}', 'manual', $1) returning id`,
      [id],
    );
    // An entity id is that of one provider.
    await database.admin.query('delete from sso_providers');
    const { rows: providers } = await database.admin.query(
      `insert into sso_providers (organization_id, entity_id, metadata_xml, metadata)
       values ($1, $2, '', '{"certificates": []}') returning id`,
      [id, `https://${slug}.example`],
    );
    return { id, slug, invitationId: invitations[0].id, clientId: clients[0].id, providerId: providers[0].id };
  }

  await t.test('what administrators do is refused to all of them', sameInFull, async (t) => {
    const ofAdministrators = endpoints.filter(({ path }) => /^\/admin\/.*organization/.test(path));
    t.ok(ofAdministrators.length > 10);
    const { id, invitationId } = await arrange();
    for (const { method, path, caller } of ofAdministrators) {
      t.equal(caller, 'admin', path);
      const filled = path
        .replace('{id}', id)
        .replace('{user_id}', target.id)
        .replace('{name}', 'member')
        .replace('{invitation_id}', invitationId)
        .replace('{domain}', 'old.example');
      for (const name of callers) {
        t.equal(
          (await call(method, filled, { bearer: tokens[name], ...(method !== 'GET' && { body: {} }) })).status,
          403,
          `${name} ${filled}`,
        );
      }
    }
  });
  const fill = (path: string, { id, invitationId, clientId, providerId }: Omit<Arranged, 'slug'>) =>
    path
      .replace('{id}', id)
      .replace('{client_id}', clientId)
      .replace('{user_id}', target.id)
      .replace('{token_id}', target.id)
      .replace('{group}', 'Nobody')
      .replace('{domain}', 'old.example')
      .replace('{invitation_id}', invitationId)
      .replace('{provider_id}', providerId);

  const expectedOf = (name: string, caller: Caller): number =>
    caller === 'client' || caller === 'banned' ? 403 : rows[name]!.answers[caller];
  // `npm test` has each endpoint with each of its answers, refused by each kind of caller that is no member as well.
  const calls = pickRows(cross(Object.keys(rows), callers), [
    ([name, caller]) => `${name} ${expectedOf(name, caller)}`,
    ([name, caller]) => ['stranger', 'low'].includes(caller) && `${name} ${caller}`,
    ([, caller]) => caller,
  ]);
  for (const { id: name, method, path } of ofOrganizations) {
    await t.test(name, async (t) => {
      const { body } = rows[name]!;
      for (const [, caller] of calls.filter(([called]) => called === name)) {
        const arranged = await arrange(caller);
        const { id, slug } = arranged;
        const filled = fill(path, arranged);
        const sent = body && JSON.parse(JSON.stringify(body).replace('{slug}', slug));
        const answer = await call(method, filled, { bearer: tokens[caller], ...(sent && { body: sent }) });
        const expected = expectedOf(name, caller);
        t.equal(answer.status, expected, `${caller}: ${JSON.stringify(answer.body)?.slice(0, 200)}`);
        if (expected < 400) continue;
        t.notMatch(JSON.stringify(answer.body), /Secret name/, `${caller} learns nothing`);
        const { rows: left } = await database.admin.query(
          `select o.name, count(m)::int as members, count(m) filter (where m.roles = '{member}')::int as plain,
             (select array_agg(d.domain || (d.verified_at is null)) from organization_domains d where d.organization_id = o.id) as domains,
             (select array_agg(c.version || c.name) from oauth_clients c
               where c.organization_id = o.id and c.deleted_at is null) as clients,
             (select array_agg(s.disabled is null) from sso_providers s where s.organization_id = o.id) as providers
           from organizations o join organization_members m on m.organization_id = o.id
           where o.id = $1 group by o.id`,
          [id],
        );
        t.same(
          left,
          [
            {
              ...{ name: 'Secret name', members: 6, plain: 2, domains: ['old.exampletrue'] },
              ...{ clients: ['1Secret name'], providers: [true] },
            },
          ],
          `${caller} changes nothing`,
        );
      }
      const unknown = {
        id: randomUUID(),
        invitationId: randomUUID(),
        clientId: randomUUID(),
        providerId: randomUUID(),
      };
      t.equal((await call(method, fill(path, unknown))).status, 401);
      t.equal((await call(method, path, { bearer: adminToken() })).status, 403, 'a service token is no user');
    });
  }
});
