-- Import and export of organizations. An import is in batches; what changes a membership runs in a transaction that locks accounts
-- first, then organizations, each in the order of their ids, as every other change does.

-- name: known
-- Organizations that have one of the ids or slugs.
-- $1 ids, array
-- $2 slugs, array
select o.id, o.slug from /*p*/organizations o where o.id = any($1::uuid[])
union
select o.id, o.slug from /*p*/organizations o where o.slug = any($2::text[]);

-- name: insert_organizations
-- Returns those that were added: another one may have taken the id or the slug meanwhile.
-- $1 array of {id, name, slug, logo_url, metadata, policies, max_members, created_at, updated_at}
insert into /*p*/organizations (id, name, slug, logo_url, metadata, policies, max_members, created_at, updated_at)
select g.id, g.name, g.slug, g.logo_url, g.metadata, g.policies, g.max_members, g.created_at, g.updated_at
from jsonb_to_recordset($1::jsonb) as g (id uuid, name text, slug text, logo_url text, metadata jsonb, policies jsonb,
  max_members integer, created_at timestamptz, updated_at timestamptz)
on conflict do nothing
returning id;

-- name: find_members
-- Which organizations and accounts the members of a batch name, whether the account is anonymous, and whether it is a member already.
-- Null: there is none.
-- $1 array of {position, organization_id, slug, user_id, email}
select g.position, f.organization_id, f.user_id,
  exists (select from /*p*/users u where u.id = f.user_id and u.is_anonymous) as is_anonymous, exists (
    select from /*p*/organization_members m where m.organization_id = f.organization_id and m.user_id = f.user_id) as is_member
from jsonb_to_recordset($1::jsonb) as g (position int, organization_id uuid, slug text, user_id uuid, email text)
-- Look-ups by index, however many rows there are.
cross join lateral (
  select coalesce(
      (select o.id from /*p*/organizations o where o.id = g.organization_id),
      (select o.id from /*p*/organizations o where o.slug = g.slug)) as organization_id,
    coalesce(
      (select u.id from /*p*/users u where u.id = g.user_id and u.deleted_at is null),
      (select u.id from /*p*/users u where u.email = g.email and not u.is_sso_user and u.deleted_at is null)) as user_id
  offset 0
) f;

-- name: lock_accounts
-- $1 ids, array
select u.id from /*p*/users u where u.id = any($1::uuid[]) order by u.id for no key update;

-- name: lock_organizations
-- $1 ids, array
select o.id from /*p*/organizations o where o.id = any($1::uuid[]) order by o.id for no key update;

-- name: insert_members
-- Returns those that were added. Call it with accounts, organizations and roles locked.
-- $1 array of {organization_id, user_id, roles, via, joined_at}
insert into /*p*/organization_members (organization_id, user_id, roles, via, joined_at)
select g.organization_id, g.user_id, g.roles, g.via, g.joined_at
from jsonb_to_recordset($1::jsonb) as g (organization_id uuid, user_id uuid, roles text[], via text, joined_at timestamptz)
where (select u.id from /*p*/users u where u.id = g.user_id and u.deleted_at is null and not u.is_anonymous) is not null
  and (select o.id from /*p*/organizations o where o.id = g.organization_id) is not null
on conflict do nothing
returning organization_id, user_id;

-- name: without_owner
-- How many organizations have no owner.
-- read
select count(*)::int as count from /*p*/organizations o
where not exists (
  select from /*p*/organization_members m where m.organization_id = o.id and m.roles @> '{owner}');

-- name: count
-- For the progress.
-- read
select (select count(*) from /*p*/organizations)::int as organizations,
  (select count(*) from /*p*/organization_members)::int as members;

-- name: organizations
-- The next organizations by id.
-- read
-- $1 id after which to begin, null: from the beginning
-- $2 limit
select o.id, o.name, o.slug, o.logo_url, o.metadata, o.policies, o.max_members, o.created_at, o.updated_at
from /*p*/organizations o
where o.id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000')
order by o.id
limit $2::bigint;

-- name: members
-- The next members by organization and account.
-- read
-- $1 organization id after which to begin, null: from the beginning
-- $2 user id after which to begin, of the same one
-- $3 limit
select m.organization_id, m.user_id, m.roles, m.via, m.joined_at
from /*p*/organization_members m
where (m.organization_id, m.user_id)
  > (coalesce($1::uuid, '00000000-0000-0000-0000-000000000000'), coalesce($2::uuid, '00000000-0000-0000-0000-000000000000'))
order by m.organization_id, m.user_id
limit $3::bigint;
