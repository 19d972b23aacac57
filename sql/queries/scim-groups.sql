-- Groups that identity providers provision (SCIM 2.0). Triggers renew what accounts have of them.

-- name: lock_people
-- In the order of their ids, so that changes of several groups do not wait for each other in a circle. Call it in a transaction.
-- $1 scope id
-- $2 user ids
-- $3 group whose members are locked, too, or null
select u.id from /*p*/users u
where u.id = any(array(
  select s.user_id from /*p*/scim_users s where s.scope_id = $1 and s.user_id = any($2::uuid[])
  union
  select m.user_id from /*p*/scim_group_members m where m.group_id = $3::uuid and m.scope_id = $1))
order by u.id
for no key update;

-- name: roles_gained
-- Roles of the organization that people get by coming into a group, or by its new name.
-- $1 scope id
-- $2 organization id
-- $3 group id, null: the group is new
-- $4 displayName, lower case; null: it stays
-- $5 user ids that come
with current as (
  select g.display_key from /*p*/scim_groups g where g.id = $3::uuid and g.scope_id = $1
)
select distinct r.role
from /*p*/scim_group_roles k, unnest(k.roles) as r (role)
where k.organization_id = $2 and k.group_key = coalesce($4::text, (select c.display_key from current c))
  and ($4::text <> (select c.display_key from current c)
    or exists (select from unnest($5::uuid[]) as a (id)
      where not exists (select from /*p*/scim_group_members m where m.group_id = $3::uuid and m.user_id = a.id)));

-- name: insert
-- No row: one of the members is no person of the scope.
-- $1 scope id
-- $2 group id
-- $3 displayName
-- $4 externalId, or null
-- $5 ids of members, each once
-- $6 audit entries, array
-- $7 displayName, lower case
with valid as (
  select s.user_id from /*p*/scim_users s where s.scope_id = $1 and s.user_id = any($5::uuid[]) and s.deleted_at is null
), added as (
  insert into /*p*/scim_groups (id, scope_id, display_name, display_key, external_id)
  select $2, $1, $3, $7, $4 where (select count(*) from valid) = cardinality($5::uuid[])
  returning *
), new_members as (
  insert into /*p*/scim_group_members (group_id, user_id, scope_id)
  select a.id, v.user_id, a.scope_id from added a, valid v
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from added, jsonb_array_elements($6::jsonb) e
)
select a.id from added a;

-- name: change
-- All of it or nothing: `valid_members` of those that are added are people of the scope. No row: there is no such group.
-- $1 scope id
-- $2 group id
-- $3 displayName, null: it stays
-- $4 externalId is set
-- $5 externalId, or null
-- $6 ids of members that are added, each once
-- $7 ids of members that go
-- $8 all others go, too
-- $9 version that it must have, or null
-- $10 audit entries, array
-- $11 displayName, lower case; null: it stays
with current as (
  select g.* from /*p*/scim_groups g where g.id = $2 and g.scope_id = $1 for no key update
), valid as (
  select s.user_id from /*p*/scim_users s where s.scope_id = $1 and s.user_id = any($6::uuid[]) and s.deleted_at is null
), allowed as (
  select c.id, c.scope_id from current c
  where (select count(*) from valid) = cardinality($6::uuid[]) and ($9::integer is null or c.version = $9::integer)
), removed as (
  delete from /*p*/scim_group_members m using allowed a
  where m.group_id = a.id and m.user_id = any($7::uuid[])
  returning m.user_id
), others as (
  -- Apart, so that the change of one member does not read all of them.
  delete from /*p*/scim_group_members m using allowed a
  where $8::boolean and m.group_id = a.id and m.user_id <> all($6::uuid[])
  returning m.user_id
), added as (
  insert into /*p*/scim_group_members (group_id, user_id, scope_id)
  select a.id, v.user_id, a.scope_id from allowed a, valid v
  on conflict do nothing
  returning user_id
), changed as (
  update /*p*/scim_groups g
  set display_name = coalesce($3, g.display_name), display_key = coalesce($11, g.display_key),
    external_id = case when $4::boolean then $5 else g.external_id end, version = g.version + 1, updated_at = now()
  from allowed a
  where g.id = a.id and (coalesce($3, g.display_name) <> g.display_name
    or $4::boolean and g.external_id is distinct from $5
    or exists (select from removed) or exists (select from others) or exists (select from added))
  returning g.id
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from changed, jsonb_array_elements($10::jsonb) e
)
select c.version, (select count(*)::int from valid) as valid_members, exists (select from changed) as is_changed
from current c;

-- name: delete
-- $1 scope id
-- $2 group id
-- $3 version that it must have, or null
-- $4 audit entries, array
with current as (
  select g.id, g.version from /*p*/scim_groups g where g.id = $2 and g.scope_id = $1 for update
), deleted as (
  delete from /*p*/scim_groups g using current c
  where g.id = c.id and ($3::integer is null or c.version = $3::integer)
  returning g.id
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from deleted, jsonb_array_elements($4::jsonb) e
)
select exists (select from deleted) as is_deleted from current c;

-- name: by_id
-- read
-- $1 scope id
-- $2 group id
-- $3 with members
select g.id, g.display_name, g.external_id, g.version, g.created_at, g.updated_at, case when $3::boolean then (
    select json_agg(json_build_object('value', m.user_id, 'display', coalesce(s.resource ->> 'displayName', s.user_name))
      order by m.user_id)
    from /*p*/scim_group_members m
    join /*p*/scim_users s on s.scope_id = m.scope_id and s.user_id = m.user_id
    where m.group_id = g.id) end as members
from /*p*/scim_groups g
where g.scope_id = $1 and g.id = $2;

-- name: page
-- In the order in which they came.
-- read
-- $1 scope id
-- $2 created_at of the last one of the page before, or null
-- $3 its id, or null
-- $4 how many to pass over
-- $5 how many at most
-- $6 with members
select t.total, p.* from (
  select count(*)::int as total from /*p*/scim_groups g where g.scope_id = $1
) t left join (
  select g.id, g.display_name, g.external_id, g.version, g.created_at, g.updated_at, case when $6::boolean then (
      select json_agg(json_build_object('value', m.user_id, 'display', coalesce(s.resource ->> 'displayName', s.user_name))
        order by m.user_id)
      from /*p*/scim_group_members m
      join /*p*/scim_users s on s.scope_id = m.scope_id and s.user_id = m.user_id
      where m.group_id = g.id) end as members
  from /*p*/scim_groups g
  where g.scope_id = $1 and ($2::timestamptz is null or (g.created_at, g.id) > ($2::timestamptz, $3::uuid))
  order by g.created_at, g.id
  offset $4::bigint limit $5::bigint
) p on true
order by p.created_at, p.id;

-- name: page_found
-- The same of those that a filter finds by an index. It says the rest of the filter, too.
-- read
-- $1 scope id
-- $2 created_at of the last one of the page before, or null
-- $3 its id, or null
-- $4 how many to pass over
-- $5 how many at most
-- $6 with members
-- $7 the filter as a JSON path
-- $8 its values
-- $9 members that the filter names
-- $10 ids
-- $11 displayNames, lower case
-- $12 externalIds
-- $13 ids of members
with found as (
  select g.id from /*p*/scim_groups g where g.scope_id = $1 and g.id = any($10::uuid[])
  union
  select g.id from /*p*/scim_groups g where g.scope_id = $1 and g.display_key = any($11::text[])
  union
  select g.id from /*p*/scim_groups g where g.scope_id = $1 and g.external_id = any($12::text[])
  union
  select m.group_id from /*p*/scim_group_members m where m.scope_id = $1 and m.user_id = any($13::uuid[])
), matching as (
  select g.id, g.created_at
  from found f join /*p*/scim_groups g on g.id = f.id
  where g.scope_id = $1 and jsonb_path_match(jsonb_strip_nulls(jsonb_build_object('displayname', g.display_key,
      'externalid', g.external_id, 'members', case when $9::uuid[] <> '{}' then (
        select jsonb_agg(jsonb_build_object('value', m.user_id)) from /*p*/scim_group_members m
        where m.group_id = g.id and m.user_id = any($9::uuid[])) end))
      || /*p*/scim_meta(g.id, g.created_at, g.updated_at), $7::jsonpath, $8::jsonb, true)
)
select t.total, p.* from (select count(*)::int as total from matching) t left join (
  select g.id, g.display_name, g.external_id, g.version, g.created_at, g.updated_at, case when $6::boolean then (
      select json_agg(json_build_object('value', m.user_id, 'display', coalesce(s.resource ->> 'displayName', s.user_name))
        order by m.user_id)
      from /*p*/scim_group_members m
      join /*p*/scim_users s on s.scope_id = m.scope_id and s.user_id = m.user_id
      where m.group_id = g.id) end as members
  from (
    select m.id, m.created_at from matching m
    where $2::timestamptz is null or (m.created_at, m.id) > ($2::timestamptz, $3::uuid)
    order by m.created_at, m.id
    offset $4::bigint limit $5::bigint
  ) c join /*p*/scim_groups g on g.id = c.id
) p on true
order by p.created_at, p.id;

-- name: page_matching
-- The same of those that a filter finds without an index: it reads the groups of the scope.
-- read
-- $1 scope id
-- $2 created_at of the last one of the page before, or null
-- $3 its id, or null
-- $4 how many to pass over
-- $5 how many at most
-- $6 with members
-- $7 the filter as a JSON path
-- $8 its values
-- $9 members that the filter names
with matching as (
  select g.id, g.created_at
  from /*p*/scim_groups g
  where g.scope_id = $1 and jsonb_path_match(jsonb_strip_nulls(jsonb_build_object('displayname', g.display_key,
      'externalid', g.external_id, 'members', case when $9::uuid[] <> '{}' then (
        select jsonb_agg(jsonb_build_object('value', m.user_id)) from /*p*/scim_group_members m
        where m.group_id = g.id and m.user_id = any($9::uuid[])) end))
      || /*p*/scim_meta(g.id, g.created_at, g.updated_at), $7::jsonpath, $8::jsonb, true)
)
select t.total, p.* from (select count(*)::int as total from matching) t left join (
  select g.id, g.display_name, g.external_id, g.version, g.created_at, g.updated_at, case when $6::boolean then (
      select json_agg(json_build_object('value', m.user_id, 'display', coalesce(s.resource ->> 'displayName', s.user_name))
        order by m.user_id)
      from /*p*/scim_group_members m
      join /*p*/scim_users s on s.scope_id = m.scope_id and s.user_id = m.user_id
      where m.group_id = g.id) end as members
  from (
    select m.id, m.created_at from matching m
    where $2::timestamptz is null or (m.created_at, m.id) > ($2::timestamptz, $3::uuid)
    order by m.created_at, m.id
    offset $4::bigint limit $5::bigint
  ) c join /*p*/scim_groups g on g.id = c.id
) p on true
order by p.created_at, p.id;

-- name: roles
-- Roles that the members of groups get, by the name of the group.
-- read
-- $1 organization id
select k.group_name as "group", k.roles from /*p*/scim_group_roles k where k.organization_id = $1 order by k.group_key;

-- name: put_roles
-- No row: there are as many as there may be. Call it with the organization locked.
-- $1 organization id
-- $2 name of the group
-- $3 roles, sorted
-- $4 how many there may be
-- $5 audit entries, array
-- $6 name of the group, lower case
with changed as (
  insert into /*p*/scim_group_roles as k (organization_id, group_key, group_name, roles)
  select $1, $6, $2, $3::text[]
  where exists (select from /*p*/scim_group_roles o where o.organization_id = $1 and o.group_key = $6)
    or (select count(*) from /*p*/scim_group_roles o where o.organization_id = $1) < $4::bigint
  on conflict (organization_id, group_key) do update set group_name = excluded.group_name, roles = excluded.roles
  returning k.group_name, k.roles
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from changed, jsonb_array_elements($5::jsonb) e
)
select c.group_name as "group", c.roles from changed c;

-- name: delete_roles
-- Call it with the organization locked.
-- $1 organization id
-- $2 name of the group, lower case
-- $3 audit entries, array
with deleted as (
  delete from /*p*/scim_group_roles k where k.organization_id = $1 and k.group_key = $2 returning k.group_key
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from deleted, jsonb_array_elements($3::jsonb) e
)
select d.group_key from deleted d;

-- name: renew_roles_of_group
-- Call it with the organization locked.
-- $1 organization id
-- $2 name of the group, lower case
select /*p*/renew_scim_roles(c.scope_id, c.ids)
from (
  select g.scope_id, array_agg(m.user_id) as ids
  from /*p*/scim_scopes s
  left join /*p*/sso_providers p on p.id = s.provider_id
  join /*p*/scim_groups g on g.scope_id = s.id and g.display_key = $2
  join /*p*/scim_group_members m on m.group_id = g.id
  where coalesce(s.organization_id, p.organization_id) = $1
  group by g.scope_id
) c;
