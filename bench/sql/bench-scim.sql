-- What `npm run bench:scim` needs of its database.

-- name: crowd
-- A group that has members already.
-- $1 scope id
-- $2 group id
-- $3 how many
with people as (
  insert into /*p*/users (id, aud, role, is_sso_user)
  select gen_random_uuid(), 'authenticated', 'authenticated', true from generate_series(1, $3::int)
  returning id
), known as (
  insert into /*p*/scim_users (scope_id, user_id, user_name, user_name_key, active, resource, search, owns_account)
  select $1::uuid, p.id, p.id::text, p.id::text, true, '{}', '{}', true from people p
)
insert into /*p*/scim_group_members (group_id, user_id, scope_id)
select $2::uuid, p.id, $1::uuid from people p;
