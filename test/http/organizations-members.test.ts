import { randomUUID } from 'node:crypto';
import { asAdmin } from '../support/admin.js';
import { awaitLockWaiters } from '../support/lock-waiters.js';
import { openOrganizationServer, type Person } from '../support/organizations.js';
import { t } from '../support/tap.js';

const refusal = (status: number, error_code: string, msg: RegExp = /./) => ({ status, body: { error_code, msg } });
const missing = (permission: string) => refusal(403, 'organization_permission_missing', new RegExp(permission));
const lastOwner = refusal(409, 'last_owner');

t.test('an organization and its members', async (t) => {
  const server = await openOrganizationServer(t, { ORGANIZATIONS_MAX_OWNED: '30' });
  const { as, join, found, addMember, refresh, activate, database } = server;
  const owner = await join();
  const member = await join();
  const rolesOf = async (id: string, person: Person) =>
    (
      await database.admin.query('select roles from organization_members where organization_id = $1 and user_id = $2', [
        id,
        person.id,
      ])
    ).rows[0]?.roles;
  const of = (id: string, person: Person) => `/organizations/${id}/members/${person.id}`;

  await t.test('fields', async (t) => {
    const post = (body: object) => as(owner, 'POST', '/organizations', body);
    const invalid = refusal(400, 'validation_failed');
    for (const body of [
      {},
      { name: ' ' },
      { name: 'a'.repeat(101) },
      { name: 'a\u202eb' },
      { name: '\u200b' },
      { name: '\u3164 \u00ad' },
      { name: 'a', slug: 'ab' },
      { name: 'a', slug: 'Abc' },
      { name: 'a', slug: '-abc' },
      { name: 'a', slug: 'admin' },
      { name: 'a', slug: randomUUID() },
      { name: 'a', slug: randomUUID().replaceAll('-', '') },
      { name: 'a', logo_url: 'http://example.com/logo.png' },
      { name: 'a', logo_url: 'https://user:word@example.com/' },
      { name: 'a', logo_url: 'javascript:alert(1)' },
      { name: 'a', metadata: { text: 'x'.repeat(8192) } },
    ]) {
      t.match(await post(body), invalid, JSON.stringify(body).slice(0, 60));
    }
    const slugs: string[] = [];
    for (let i = 0; i < 3; i++) slugs.push((await post({ name: 'Ätna & Co.' })).body.slug);
    t.same(slugs, ['atna-co', 'atna-co-2', 'atna-co-3']);
    const founders = await Promise.all(Array.from({ length: 6 }, () => join()));
    const made = await Promise.all(founders.map((founder) => as(founder, 'POST', '/organizations', { name: 'Same' })));
    t.same(new Set(made.map(({ body }) => body.slug)).size, 6, 'at once, too');
    t.match(await post({ name: 'a', slug: 'atna-co' }), refusal(409, 'organization_slug_taken'));
    const long = await post({ name: 'Long', logo_url: `https://example.com/${'a'.repeat(2048)}` });
    t.match(long.body.msg, 'logo_url may have 2048 characters');
    t.match((await post({ name: 'Admin' })).body, { slug: 'admin-2' }, 'reserved');
    const likeId = randomUUID();
    t.match((await post({ name: likeId })).body, { slug: `${likeId}-2` }, 'not the form of an id');
    t.match((await post({ name: '株式会社' })).body, { slug: /^organization/ });
    const whole = { name: 'Whole', slug: 'whole', logo_url: 'https://example.com/a.png', metadata: { plan: 'x' } };
    t.match(await post(whole), { status: 201, body: { ...whole, id: /^[0-9a-f-]{36}$/ } });
  });

  await t.test('PATCH and DELETE', async (t) => {
    const id = await found(owner, 'Changing');
    const path = `/organizations/${id}`;
    const changed = await as(owner, 'PATCH', path, { logo_url: 'https://example.com/b.png', metadata: { a: 1 } });
    t.match(changed, { status: 200, body: { name: 'Changing', logo_url: 'https://example.com/b.png' } });
    t.same((await as(owner, 'PATCH', path, { logo_url: '', slug: 'changed' })).body.logo_url, null);
    t.match((await as(owner, 'GET', path)).body, { name: 'Changing', slug: 'changed', metadata: { a: 1 } });
    t.match(await as(owner, 'PATCH', path, { slug: 'whole' }), refusal(409, 'organization_slug_taken'));
    for (const slug of ['x', randomUUID()]) {
      t.match(await as(owner, 'PATCH', path, { slug }), refusal(400, 'validation_failed'), slug);
    }
    await activate(owner, id);
    t.match(await as(owner, 'DELETE', path, { slug: 'changing' }), refusal(400, 'validation_failed'));
    t.equal((await as(owner, 'DELETE', path, { slug: 'changed' })).status, 204);
    t.match(await as(owner, 'GET', path), refusal(404, 'organization_not_found'));
    t.notOk('org_id' in (await refresh(owner)));
  });

  await t.test('roles: nobody gives what he does not have', async (t) => {
    const id = await found(owner, 'Roles');
    const [admin, other] = [await join(), await join()];
    await addMember(id, admin, 'admin');
    await addMember(id, member);
    await addMember(id, other);
    t.match(await as(member, 'PATCH', of(id, other), { roles: ['admin'] }), missing('members:manage'));
    t.match(await as(member, 'PATCH', of(id, member), { roles: ['owner'] }), missing('members:manage'));
    t.match(await as(admin, 'PATCH', of(id, other), { roles: ['owner'] }), missing('owner'));
    t.match(await as(admin, 'PATCH', of(id, admin), { roles: ['owner'] }), missing('owner'));
    t.match(await as(admin, 'PATCH', of(id, owner), { roles: ['member'] }), missing('owner'));
    t.match(await as(admin, 'DELETE', of(id, owner)), missing('owner'));
    t.match(await as(admin, 'PATCH', of(id, other), { roles: ['none'] }), refusal(404, 'role_not_found'));
    t.match(await as(admin, 'PATCH', of(id, other), { roles: [] }), refusal(400, 'validation_failed'));
    const changed = await as(admin, 'PATCH', of(id, other), { roles: ['member', 'admin', 'member'] });
    t.match(changed, { status: 200, body: { user: { id: other.id }, roles: ['admin', 'member'], via: 'admin' } });
    t.match(await as(admin, 'PATCH', of(id, await join()), { roles: ['member'] }), refusal(404, 'member_not_found'));
    t.match(await as(owner, 'PATCH', `/organizations/${id}/members/x`, { roles: ['member'] }), { status: 404 });
    t.match(await as(owner, 'PATCH', of(id, other), { roles: ['owner'] }), { status: 200, body: { roles: ['owner'] } });
    t.equal((await as(other, 'DELETE', of(id, owner))).status, 204, 'an owner removes another');
    t.equal((await as(owner, 'GET', `/organizations/${id}`)).status, 404);
  });

  await t.test('there is always an owner', async (t) => {
    const id = await found(owner, 'Last');
    const admin = await join();
    await addMember(id, admin, 'admin');
    t.match(await as(owner, 'DELETE', of(id, owner)), lastOwner);
    t.match(await as(owner, 'PATCH', of(id, owner), { roles: ['admin'] }), lastOwner);
    t.equal((await as(admin, 'DELETE', of(id, admin))).status, 204, 'others leave');
    for (let round = 0; round < 10; round++) {
      const [a, b] = [await join(), await join()];
      const both = await found(a, 'Two owners');
      await addMember(both, b, 'owner');
      const [path, body] = round % 2 === 0 ? ['PATCH', { roles: ['member'] }] : ['DELETE', undefined];
      const own = round % 4 < 2;
      // Both have begun when the first one changes something.
      const { admin } = database;
      await admin.query('begin');
      await admin.query('select from organizations where id = $1 for update', [both]);
      const asked = [
        as(a, path as string, of(both, own ? a : b), body),
        as(b, path as string, of(both, own ? b : a), body),
      ];
      await awaitLockWaiters(admin, asked.length);
      await admin.query('commit');
      const answers = await Promise.all(asked);
      const statuses = answers.map(({ status }) => status).sort();
      const slower = own || path === 'PATCH' ? 409 : 404;
      t.same(
        statuses,
        [path === 'PATCH' ? 200 : 204, slower].sort(),
        `${path} ${own ? 'of oneself' : 'of each other'}`,
      );
      const owners = [await rolesOf(both, a), await rolesOf(both, b)].filter((roles) => roles?.includes('owner'));
      t.equal(owners.length, 1, 'one is left');
    }
  });

  await t.test('who owns as many as a user may becomes no owner of another', async (t) => {
    const full = await join();
    const before = await as(full, 'POST', '/organizations', { name: 'First' });
    t.equal(before.status, 201);
    const many = await Promise.all(
      Array.from({ length: 35 }, () => as(full, 'POST', '/organizations', { name: 'Many' })),
    );
    t.equal(many.filter(({ status }) => status === 201).length, 29, 'also at once');
    t.match(
      many.find(({ status }) => status !== 201),
      refusal(422, 'too_many_organizations', /30/),
    );
    const id = await found(owner, 'One more');
    await addMember(id, full);
    t.match(await as(owner, 'PATCH', of(id, full), { roles: ['owner'] }), refusal(422, 'too_many_organizations'));
  });

  await t.test('the list and the search', async (t) => {
    const id = await found(owner, 'Large');
    await database.admin.query(
      `with added as (
         insert into users (id, aud, email, phone, user_metadata)
         select gen_random_uuid(), 'authenticated', 'Find' || lpad(n::text, 3, '0') || '@Example.com',
           case when n < 3 then '1999000' || n end,
           jsonb_build_object('full_name', case when n % 2 = 0 then 'Ada ' || n else 'find ' || n end)
         from generate_series(1, 30) n returning id)
       insert into organization_members (organization_id, user_id, roles, via)
       select $1, a.id, '{member}', 'admin' from added a`,
      [id],
    );
    const list = async (query: string) => (await as(owner, 'GET', `/organizations/${id}/members?${query}`)).body;
    /** All pages. */
    const collect = async (query: string) => {
      const found: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: { members: { user: { id: string } }[]; next_cursor: string | null } = await list(
          `${query}&limit=7&cursor=${cursor}`,
        );
        t.ok(page.members.length > 0 && page.members.length <= 7);
        found.push(...page.members.map(({ user }) => user.id));
        cursor = page.next_cursor;
      }
      t.equal(new Set(found).size, found.length, 'each once');
      return found.length;
    };
    t.equal(await collect(''), 31);
    t.equal(await collect('search=find'), 30, 'by address or name');
    t.equal(await collect('search=ADA'), 15, 'by name');
    t.equal(await collect('search=%2B1999'), 2, 'by number');
    t.equal(await collect('search=find0&role=member'), 30 - 0);
    t.same((await list('search=%25')).members, []);
    t.same((await list('search=nobody')).members, []);
    t.match((await list('role=owner')).members, [{ user: { id: owner.id }, roles: ['owner'], via: 'creation' }]);
    t.equal((await list('')).members.length, 31);
    t.match((await list('search=find001')).members, [
      { user: { phone: '19990001', name: 'find 1', avatar_url: null }, joined_at: /Z$/ },
    ]);
    const impossible = ['2026-02-30T00:00:00Z', '0000-01-01T00:00:00Z', '2026-01-01T24:61:00Z'].map(
      (time) => `cursor=${Buffer.from(JSON.stringify([time, id])).toString('base64url')}`,
    );
    for (const query of ['limit=0', 'limit=x', 'cursor=x', 'cursor=WzFd', 'search=a&cursor=WyJhIl0', ...impossible]) {
      t.match(
        await as(owner, 'GET', `/organizations/${id}/members?${query}`),
        refusal(400, 'validation_failed'),
        query,
      );
    }
    const renamed = { data: { full_name: 'Zoe' } };
    await addMember(id, member);
    await as(member, 'PUT', '/user', renamed);
    t.match((await list('search=zoe')).members, [{ user: { id: member.id } }], 'a new name is found');
  });

  await t.test('the last owner of others keeps the account', async (t) => {
    const admin = asAdmin(server);
    const remove = (person: Person, query = '', body?: object) =>
      admin('DELETE', `/admin/users/${person.id}${query}`, body);
    const there = async (id: string) =>
      (await database.admin.query('select 1 from organizations where id = $1', [id])).rowCount === 1;
    const make = async (isAlone: boolean) => {
      const person = await join();
      const id = await found(person, 'Of one');
      if (!isAlone) await addMember(id, await join());
      return { person, id };
    };
    const [lone, kept, deleted, soft] = [await make(true), await make(false), await make(false), await make(false)];
    t.match(await remove(kept.person), lastOwner);
    t.match(await remove(soft.person, '', { should_soft_delete: true }), lastOwner);
    t.match(await remove(kept.person, '?organizations=x'), refusal(400, 'validation_failed'));
    t.equal((await remove(lone.person)).status, 200, 'nobody else is in it');
    t.equal(await there(lone.id), false);
    t.equal((await remove(kept.person, '?organizations=keep')).status, 200);
    t.equal(await there(kept.id), true);
    t.equal((await remove(deleted.person, '?organizations=delete')).status, 200);
    t.equal(await there(deleted.id), false);
    t.equal((await remove(soft.person, '?organizations=keep', { should_soft_delete: true })).status, 200);
    t.equal(await rolesOf(soft.id, soft.person), undefined, 'no member any more');
  });
});
