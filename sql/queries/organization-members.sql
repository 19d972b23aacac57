-- Members of organizations. What writes them has locked the organization (organizations.lock).

-- name: page
-- Members in the order in which they joined.
-- read
-- $1 organization id
-- $2 role, or null
-- $3 joined_at of the last one of the page before, or null
-- $4 its user id, or null
-- $5 how many at most
select m.user_id, m.roles, m.via, m.joined_at, u.email, u.phone, u.user_metadata
from (
  select n.* from /*p*/organization_members n
  where n.organization_id = $1 and ($2::text is null or n.roles @> array[$2::text])
    and ($3::timestamptz is null or (n.joined_at, n.user_id) > ($3::timestamptz, $4::uuid))
  order by n.joined_at, n.user_id
  limit $5::bigint
) m
join /*p*/users u on u.id = m.user_id
order by m.joined_at, m.user_id;

-- name: search
-- Members whose address, number or name begins with a text: first those by address, then by number, then by name. Who has been found
-- by one is not found by the next. Each part reads its index in order, and no more of it than the page has.
-- read
-- $1 organization id
-- $2 first text, lower case
-- $3 text after the last one
-- $4 role, or null
-- $5 part of the last one of the page before: 1, 2 or 3; 0: from the beginning
-- $6 what was found by, of that one
-- $7 its user id, or null
-- $8 how many at most
select f.part, f.key, m.user_id, m.roles, m.via, m.joined_at, u.email, u.phone, u.user_metadata
from (
  (
    select 1 as part, n.email_key as key, n.user_id from /*p*/organization_members n
    where n.organization_id = $1 and n.email_key ~>=~ $2 and n.email_key ~<~ $3
      and ($4::text is null or n.roles @> array[$4::text])
      and ($5::integer = 0 or $5::integer = 1 and n.email_key ~>=~ $6
        and (n.email_key ~>~ $6 or n.user_id > $7::uuid))
    order by n.email_key using ~<~, n.user_id
    limit $8::bigint
  )
  union all
  (
    select 2, n.phone_key, n.user_id from /*p*/organization_members n
    where n.organization_id = $1 and n.phone_key ~>=~ $2 and n.phone_key ~<~ $3
      and ($4::text is null or n.roles @> array[$4::text])
      and (n.email_key ~>=~ $2 and n.email_key ~<~ $3) is not true
      and ($5::integer < 2 or $5::integer = 2 and n.phone_key ~>=~ $6
        and (n.phone_key ~>~ $6 or n.user_id > $7::uuid))
    order by n.phone_key using ~<~, n.user_id
    limit $8::bigint
  )
  union all
  (
    select 3, n.name_key, n.user_id from /*p*/organization_members n
    where n.organization_id = $1 and n.name_key ~>=~ $2 and n.name_key ~<~ $3
      and ($4::text is null or n.roles @> array[$4::text])
      and (n.email_key ~>=~ $2 and n.email_key ~<~ $3) is not true
      and (n.phone_key ~>=~ $2 and n.phone_key ~<~ $3) is not true
      and ($5::integer < 3 or n.name_key ~>=~ $6 and (n.name_key ~>~ $6 or n.user_id > $7::uuid))
    order by n.name_key using ~<~, n.user_id
    limit $8::bigint
  )
  order by 1, 2 using ~<~, 3
  limit $8::bigint
) f
join /*p*/organization_members m on m.organization_id = $1 and m.user_id = f.user_id
join /*p*/users u on u.id = f.user_id
order by f.part, f.key using ~<~, f.user_id;

-- name: by_id
-- read
-- $1 organization id
-- $2 user id
select m.user_id, m.roles, m.via, m.joined_at, u.email, u.phone, u.user_metadata
from /*p*/organization_members m
join /*p*/users u on u.id = m.user_id
where m.organization_id = $1 and m.user_id = $2;

-- name: lock_roles
-- Own roles that are given stay until the end of the transaction.
-- $1 names
select r.name from /*p*/organization_roles r where r.name = any($1::text[]) order by r.name for key share;

-- name: insert
-- No row: the organization has as many members as it may have, the user is one already, or there is no such user. Call it with the
-- account locked, too.
-- $1 organization id
-- $2 user id
-- $3 roles, sorted
-- $4 how the member comes
-- $5 how many members the organization may have, null for no limit
-- $6 audit entries, array
with added as (
  insert into /*p*/organization_members (organization_id, user_id, roles, via)
  select $1, u.id, $3::text[], $4
  from /*p*/users u
  where u.id = $2 and u.deleted_at is null
    and ($5::integer is null
      or (select count(*) from /*p*/organization_members m where m.organization_id = $1) < $5::integer)
  on conflict do nothing
  returning user_id
), welcome as (
  delete from /*p*/organization_former_members f using added a where f.organization_id = $1 and f.user_id = a.user_id
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from added, jsonb_array_elements($6::jsonb) e
)
select a.user_id from added a;

-- name: change_roles
-- $1 organization id
-- $2 user id
-- $3 roles, sorted
-- $4 audit entries, array
with changed as (
  update /*p*/organization_members m set roles = $3::text[], updated_at = now()
  where m.organization_id = $1 and m.user_id = $2
  returning m.user_id
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from changed, jsonb_array_elements($4::jsonb) e
)
select c.user_id from changed c;

-- name: delete
-- Who was removed or has left does not join again by a sign-in.
-- $1 organization id
-- $2 user id
-- $3 audit entries, array
with deleted as (
  delete from /*p*/organization_members m where m.organization_id = $1 and m.user_id = $2 returning m.user_id
), former as (
  insert into /*p*/organization_former_members (organization_id, user_id) select $1, d.user_id from deleted d
  on conflict (user_id, organization_id) do update set left_at = now()
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from deleted, jsonb_array_elements($3::jsonb) e
)
select d.user_id from deleted d;

-- name: is_former
-- Whether a user was removed from an organization or has left it, and has not been invited or added since.
-- read
-- $1 organization id
-- $2 user id
select exists (
  select from /*p*/organization_former_members f where f.organization_id = $1 and f.user_id = $2) as is_former;

-- name: owners
-- Owners and how notices reach them, in the order in which they joined.
-- read
-- $1 organization id
-- $2 how many at most
select u.id, u.email, u.email_confirmed_at, u.phone, u.phone_confirmed_at, u.user_metadata, o.name as organization_name
from /*p*/organization_members m
join /*p*/organizations o on o.id = m.organization_id
join /*p*/users u on u.id = m.user_id
where m.organization_id = $1 and m.roles @> '{owner}'
order by m.joined_at, m.user_id
limit $2::bigint;
