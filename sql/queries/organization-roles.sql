-- name: all
-- The roles of the installation, and what built-in ones may do more than they are built to.
-- read
select r.name, r.description, r.permissions, r.created_at, r.updated_at from /*p*/organization_roles r order by r.name;

-- name: insert
-- No row: there is such a role, or there are as many as there may be.
-- $1 name
-- $2 description
-- $3 permissions, sorted
-- $4 how many there may be
-- $5 names of built-in roles, which do not count
-- $6 audit entries, array
with added as (
  insert into /*p*/organization_roles (name, description, permissions)
  select $1, $2, $3::text[]
  where (select count(*) from /*p*/organization_roles r where r.name <> all ($5::text[])) < $4::integer
  on conflict do nothing
  returning *
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from added, jsonb_array_elements($6::jsonb) e
)
select a.name, a.description, a.permissions, a.created_at, a.updated_at from added a;

-- name: put
-- Changes a role; of a built-in one, what it permits besides. No row: there is no such role.
-- $1 name
-- $2 description, null: unchanged
-- $3 permissions, sorted; null: unchanged
-- $4 is built in
-- $5 audit entries, array
with changed as (
  insert into /*p*/organization_roles as r (name, description, permissions)
  select $1, coalesce($2, ''), coalesce($3::text[], '{}')
  where $4::boolean or exists (select from /*p*/organization_roles o where o.name = $1)
  on conflict (name) do update
  set description = coalesce($2, r.description), permissions = coalesce($3::text[], r.permissions), updated_at = now()
  returning *
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from changed, jsonb_array_elements($5::jsonb) e
)
select c.name, c.description, c.permissions, c.created_at, c.updated_at from changed c;

-- name: replace_in_members
-- Some members get another role in place of one.
-- $1 name
-- $2 name of the other role
-- $3 how many at most
with chosen as (
  select m.organization_id, m.user_id from /*p*/organization_members m
  where m.roles @> array[$1::text] and m.roles <> '{member}'
  limit $3::bigint
  for no key update
)
update /*p*/organization_members m
set updated_at = now(), roles = array(
    select distinct case when o.name = $1 then $2 else o.name end as name from unnest(m.roles) as o (name) order by name)
from chosen c
where m.organization_id = c.organization_id and m.user_id = c.user_id
returning m.user_id;

-- name: replace_in_clients
-- The same for clients.
-- $1 name
-- $2 name of the other role
update /*p*/oauth_clients k
set updated_at = now(), version = k.version + 1, org_roles = array(
    select distinct case when o.name = $1 then $2 else o.name end as name from unnest(k.org_roles) as o (name)
    order by name)
where k.org_roles @> array[$1::text] and k.org_roles <> '{}';

-- name: replace_in_rules
-- The same for what gives roles later: domains, pending invitations, identity providers, and provisioning. A token of provisioning
-- gives the one no more, and does not give the other for it. Call it with the role locked.
-- $1 name
-- $2 name of the other role
with in_domains as (
  update /*p*/organization_domains d
  set roles = array(
    select distinct case when o.name = $1 then $2 else o.name end as name from unnest(d.roles) as o (name) order by name)
  where d.roles @> array[$1::text]
), in_invitations as (
  update /*p*/organization_invitations i
  set roles = array(
    select distinct case when o.name = $1 then $2 else o.name end as name from unnest(i.roles) as o (name) order by name)
  where i.state = 'pending' and i.roles @> array[$1::text]
), in_sso_providers as (
  update /*p*/sso_providers p
  set version = p.version + 1, updated_at = now(), roles = array(
      select distinct case when o.name = $1 then $2 else o.name end as name from unnest(p.roles) as o (name) order by name),
    role_mapping = (
      select coalesce(jsonb_agg(e.entry || jsonb_build_object('roles', (
          select jsonb_agg(n.name order by n.name) from (
            select distinct case when o.name = $1 then $2 else o.name end as name
            from jsonb_array_elements_text(e.entry -> 'roles') as o (name)) n)) order by e.position), '[]')
      from jsonb_array_elements(p.role_mapping) with ordinality as e (entry, position))
  where p.roles @> array[$1::text] or p.role_mapping @> jsonb_build_array(jsonb_build_object('roles', array[$1::text]))
), in_custom_providers as (
  update /*p*/custom_providers c
  set version = c.version + 1, updated_at = now(), roles = array(
      select distinct case when o.name = $1 then $2 else o.name end as name from unnest(c.roles) as o (name) order by name),
    role_mapping = (
      select coalesce(jsonb_agg(e.entry || jsonb_build_object('roles', (
          select jsonb_agg(n.name order by n.name) from (
            select distinct case when o.name = $1 then $2 else o.name end as name
            from jsonb_array_elements_text(e.entry -> 'roles') as o (name)) n)) order by e.position), '[]')
      from jsonb_array_elements(c.role_mapping) with ordinality as e (entry, position))
  where c.roles @> array[$1::text] or c.role_mapping @> jsonb_build_array(jsonb_build_object('roles', array[$1::text]))
), in_groups as (
  update /*p*/scim_group_roles k
  set roles = array(
    select distinct case when o.name = $1 then $2 else o.name end as name from unnest(k.roles) as o (name) order by name)
  where k.roles @> array[$1::text]
), in_people as (
  update /*p*/scim_users s
  set asked_roles = array(
      select distinct case when o.name = $1 then $2 else o.name end as name from unnest(s.asked_roles) as o (name) order by name),
    granted_roles = array(
      select distinct case when o.name = $1 then $2 else o.name end as name from unnest(s.granted_roles) as o (name)
      order by name)
  where s.asked_roles @> array[$1::text] or s.granted_roles @> array[$1::text]
)
update /*p*/scim_tokens t set may_give = array_remove(t.may_give, $1::text) where t.may_give @> array[$1::text];

-- name: lock
-- Nobody can be given the role until the end of the transaction.
-- $1 name
select r.name from /*p*/organization_roles r where r.name = $1 for update;

-- name: delete
-- No row: a member or a client has it, or something gives it later. Call it with the role locked.
-- $1 name
-- $2 audit entries, array
with deleted as (
  delete from /*p*/organization_roles r
  where r.name = $1 and not exists (
    select from /*p*/organization_members m where m.roles @> array[$1::text] and m.roles <> '{member}')
    and not exists (
      select from /*p*/oauth_clients k
      where k.org_roles @> array[$1::text] and k.org_roles <> '{}' and k.deleted_at is null)
    and not exists (select from /*p*/organization_domains d where d.roles @> array[$1::text])
    and not exists (
      select from /*p*/organization_invitations i where i.state = 'pending' and i.roles @> array[$1::text])
    and not exists (
      select from /*p*/sso_providers p
      where p.roles @> array[$1::text]
        or p.role_mapping @> jsonb_build_array(jsonb_build_object('roles', array[$1::text])))
    and not exists (
      select from /*p*/custom_providers c
      where c.roles @> array[$1::text]
        or c.role_mapping @> jsonb_build_array(jsonb_build_object('roles', array[$1::text])))
    and not exists (select from /*p*/scim_group_roles k where k.roles @> array[$1::text])
  returning r.name
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from deleted, jsonb_array_elements($2::jsonb) e
)
select d.name from deleted d;
