-- Organizations. What changes one, or its members, runs in a transaction that locks its row first (lock), so that what a
-- rule has been decided by is still so: its owners, the roles of the caller, the number of members.

-- name: lock
-- $1 organization id
select o.id, o.name, o.slug, o.logo_url, o.metadata, o.policies, o.domains, o.max_members, o.created_at, o.updated_at
from /*p*/organizations o
where o.id = $1
for no key update;

-- name: standing
-- What a rule depends on. Call it with the organization locked.
-- $1 organization id
-- $2 user id of the one whose rights count, or null: a banned or deleted account has none
-- $3 user id of the member that is concerned, or null
select
  (select m.roles from /*p*/organization_members m join /*p*/users u on u.id = m.user_id
    where m.organization_id = $1 and m.user_id = $2::uuid
      and u.deleted_at is null and (u.banned_until > now()) is not true) as own_roles,
  (select m.roles from /*p*/organization_members m where m.organization_id = $1 and m.user_id = $3::uuid) as roles,
  exists (
    select from /*p*/organization_members m
    where m.organization_id = $1 and m.roles @> '{owner}' and m.user_id is distinct from $3::uuid) as has_other_owner;

-- name: insert
-- The first of the slugs that is free. No row: none is, or the owner has as many as a user may own. Call it with the account of the
-- owner locked.
-- $1 organization id
-- $2 name
-- $3 slugs
-- $4 logo URL, or null
-- $5 metadata
-- $6 maximum number of members, or null
-- $7 user id of the owner
-- $8 how the owner came
-- $9 how many organizations a user may own
-- $10 audit entries, array
with added as (
  insert into /*p*/organizations (id, name, slug, logo_url, metadata, max_members)
  select $1, $2, s.slug, $4, $5::jsonb, $6
  from unnest($3::text[]) with ordinality as s (slug, position)
  where not exists (select from /*p*/organizations o where o.slug = s.slug)
    and (
      select count(*) from /*p*/organization_members m where m.user_id = $7 and m.roles @> '{owner}') < $9::integer
  order by s.position
  limit 1
  on conflict (slug) do nothing
  returning *
), owner as (
  insert into /*p*/organization_members (organization_id, user_id, roles, via)
  select a.id, $7, '{owner}', $8 from added a
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from added, jsonb_array_elements($10::jsonb) e
)
select a.id, a.name, a.slug, a.logo_url, a.metadata, a.policies, a.domains, a.max_members, a.created_at, a.updated_at
from added a;

-- name: owned
-- How many organizations a user owns.
-- read
-- $1 user id
select count(*)::int as owned from /*p*/organization_members m where m.user_id = $1 and m.roles @> '{owner}';

-- name: of_member
-- An organization and the roles of one of its members. No row: the user is none, or there is no such organization.
-- read
-- $1 organization id
-- $2 user id
select o.id, o.name, o.slug, o.logo_url, o.metadata, o.policies, o.domains, o.max_members, o.created_at, o.updated_at, m.roles
from /*p*/organizations o
join /*p*/organization_members m on m.organization_id = o.id and m.user_id = $2
where o.id = $1;

-- name: by_id
-- read
-- $1 organization id
select o.id, o.name, o.slug, o.logo_url, o.metadata, o.policies, o.domains, o.max_members, o.created_at, o.updated_at
from /*p*/organizations o
where o.id = $1;

-- name: of_user
-- The memberships of a user, newest first.
-- read
-- $1 user id
-- $2 session id, null where no organization is active
-- $3 joined_at of the last one of the page before, or null
-- $4 id of its organization, or null
-- $5 how many at most
select o.id, o.name, o.slug, o.logo_url, o.metadata, o.policies, o.domains, o.max_members, o.created_at, o.updated_at, m.roles,
  m.joined_at, m.via,
  o.id is not distinct from (select s.organization_id from /*p*/sessions s where s.id = $2::uuid and s.user_id = $1)
    as is_active
from (
  select n.organization_id, n.roles, n.joined_at, n.via from /*p*/organization_members n
  where n.user_id = $1
    and ($3::timestamptz is null or (n.joined_at, n.organization_id) < ($3::timestamptz, $4::uuid))
  order by n.joined_at desc, n.organization_id desc
  limit $5::bigint
) m
join /*p*/organizations o on o.id = m.organization_id
order by m.joined_at desc, o.id desc;

-- name: update
-- A null parameter leaves its column unchanged. A slug that another organization has is a unique violation. Call it with the
-- organization locked.
-- $1 organization id
-- $2 name, or null
-- $3 slug, or null
-- $4 whether the logo URL changes
-- $5 logo URL, or null
-- $6 metadata, or null
-- $7 whether the maximum number of members changes
-- $8 maximum number of members, or null
-- $9 whether the policies change
-- $10 policies, or null for none
-- $11 audit entries, array
with changed as (
  update /*p*/organizations o
  set name = coalesce($2, o.name), slug = coalesce($3, o.slug),
    logo_url = case when $4::boolean then $5 else o.logo_url end,
    metadata = coalesce($6::jsonb, o.metadata),
    max_members = case when $7::boolean then $8 else o.max_members end,
    policies = case when $9::boolean then $10::jsonb else o.policies end,
    updated_at = now()
  where o.id = $1
  returning *
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from changed, jsonb_array_elements($11::jsonb) e
)
select c.id, c.name, c.slug, c.logo_url, c.metadata, c.policies, c.domains, c.max_members, c.created_at, c.updated_at
from changed c;

-- name: delete
-- Its identity providers go with it, and the sessions that began there end. Call it with the organization locked.
-- $1 organization id
-- $2 audit entries, array
with deleted as (
  delete from /*p*/organizations o where o.id = $1 returning o.id
), ended as (
  delete from /*p*/sessions s
  using deleted d join /*p*/sso_providers p on p.organization_id = d.id
  where s.sso_provider_id = p.id
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from deleted, jsonb_array_elements($2::jsonb) e
)
select d.id from deleted d;

-- name: lock_owned
-- Those that a user owns. Call it with the account locked.
-- $1 user id
select o.id from /*p*/organizations o
where o.id in (
  select m.organization_id from /*p*/organization_members m where m.user_id = $1 and m.roles @> '{owner}')
order by o.id
for no key update;

-- name: solely_owned
-- Those that have no other owner, and whether they have other members. A change calls it with those that the user owns locked.
-- $1 user id
select o.id, o.name, o.slug, exists (
    select from /*p*/organization_members c where c.organization_id = o.id and c.user_id <> $1) as has_others
from /*p*/organization_members m
join /*p*/organizations o on o.id = m.organization_id
where m.user_id = $1 and m.roles @> '{owner}' and not exists (
  select from /*p*/organization_members c
  where c.organization_id = m.organization_id and c.roles @> '{owner}' and c.user_id <> $1)
order by o.id;

-- name: page
-- For administrators, newest first.
-- read
-- $1 created_at of the last one of the page before, or null
-- $2 its id, or null
-- $3 how many at most
select o.id, o.name, o.slug, o.logo_url, o.metadata, o.policies, o.domains, o.max_members, o.created_at, o.updated_at
from /*p*/organizations o
where $1::timestamptz is null or (o.created_at, o.id) < ($1::timestamptz, $2::uuid)
order by o.created_at desc, o.id desc
limit $3::bigint;

-- name: search
-- Those whose slug or name begins with a text: first by slug, then by name, each by its index in order.
-- read
-- $1 first text, lower case
-- $2 text after the last one
-- $3 part of the last one of the page before: 1 or 2; 0: from the beginning
-- $4 what was found by, of that one
-- $5 its id, or null
-- $6 how many at most
select f.part, f.key, o.id, o.name, o.slug, o.logo_url, o.metadata, o.policies, o.domains, o.max_members, o.created_at,
  o.updated_at
from (
  (
    select 1 as part, n.slug as key, n.id from /*p*/organizations n
    where n.slug ~>=~ $1 and n.slug ~<~ $2 and ($3::integer = 0 or $3::integer = 1 and n.slug ~>~ $4)
    order by n.slug using ~<~
    limit $6::bigint
  )
  union all
  (
    select 2, lower(n.name), n.id from /*p*/organizations n
    where lower(n.name) ~>=~ $1 and lower(n.name) ~<~ $2 and (n.slug ~>=~ $1 and n.slug ~<~ $2) is not true
      and ($3::integer < 2 or lower(n.name) ~>=~ $4 and (lower(n.name) ~>~ $4 or n.id > $5::uuid))
    order by lower(n.name) using ~<~, n.id
    limit $6::bigint
  )
  order by 1, 2 using ~<~, 3
  limit $6::bigint
) f
join /*p*/organizations o on o.id = f.id
order by f.part, f.key using ~<~, f.id;
