-- People whom identity providers provision (SCIM 2.0).

-- name: known
-- Whose account a person that is provisioned may have already: one who was deleted, one who has signed in at the provider, one with a
-- proven address of the organization. `taken` names the attribute that another person of the scope has.
-- read
-- $1 scope id
-- $2 userName, lower case
-- $3 externalId, or null
-- $4 providers of identities, sso:<id>
-- $5 userName as written
-- $6 address, or null
-- $7 organization whose verified domains and providers of OpenID Connect count, or null
with signed_in as (
  select i.user_id, i.created_at from /*p*/identities i
  where i.provider = any($4::text[]) and i.provider_id = any(array[$5::text, $2])
  union all
  select i.user_id, i.created_at from /*p*/identities i
  where i.provider in (select c.identifier from /*p*/custom_providers c where c.organization_id = $7)
    and i.provider_id = any(array[$3::text, $5::text, $2])
  union all
  -- What is compared at a sign-in beside the subject.
  select i.user_id, i.created_at from /*p*/identities i
  where (i.provider like 'sso:%' or i.provider like 'custom:%')
    and lower(coalesce(
      i.identity_data -> 'custom_claims' ->> 'scim_user_name',
      i.identity_data ->> 'scim_user_name',
      case when i.provider like 'custom:%' then i.identity_data ->> 'preferred_username' end)) = $2
    and (i.provider = any($4::text[])
      or i.provider in (select c.identifier from /*p*/custom_providers c where c.organization_id = $7))
)
select
  case
    when exists (select from /*p*/scim_users s where s.scope_id = $1 and s.user_name_key = $2 and s.deleted_at is null)
      then 'userName'
    when exists (select from /*p*/scim_users s where s.scope_id = $1 and s.external_id = $3 and s.deleted_at is null)
      then 'externalId'
  end as taken,
  (select json_build_object('id', s.user_id, 'owns', s.owns_account)
    from /*p*/scim_users s join /*p*/users u on u.id = s.user_id and u.deleted_at is null
    where s.scope_id = $1 and s.user_name_key = $2 and s.deleted_at is not null
    order by s.deleted_at desc limit 1) as former,
  (select json_build_object('id', u.id, 'owns', u.is_sso_user) from signed_in i join /*p*/users u on u.id = i.user_id
    where u.deleted_at is null
      and not exists (select from /*p*/scim_users s where s.scope_id = $1 and s.user_id = u.id and s.deleted_at is null)
    order by i.created_at limit 1) as signed_in,
  (select json_build_object('id', u.id, 'owns', false) from /*p*/users u
    where u.email = $6 and not u.is_sso_user and u.deleted_at is null and u.email_confirmed_at is not null
      and u.proven_email = u.email
      and exists (select from /*p*/organization_domains d
        where d.organization_id = $7 and d.domain = split_part($6, '@', 2) and d.verified_at is not null)
      and not exists (select from /*p*/scim_users s where s.scope_id = $1 and s.user_id = u.id and s.deleted_at is null)
    limit 1) as joined;

-- name: insert
-- Makes an account for a person, or takes over one that is there; of a person who was deleted the former row comes back. No row: the
-- account is gone. Call it with the account locked, if it is there.
-- $1 scope id
-- $2 user id
-- $3 new account, array of at most one {aud, role}
-- $4 provider of the account where it is new, sso:<id>
-- $5 address, or null
-- $6 every address counts as proven
-- $7 provider whose proven domains count, or null
-- $8 organization whose verified domains count, or null
-- $9 user metadata
-- $10 app_metadata.scim
-- $11 userName
-- $12 externalId, or null
-- $13 addresses, lower case
-- $14 active
-- $15 resource
-- $16 what is searched
-- $17 the account is the company's
-- $18 roles that are asked for
-- $19 audit entries, array
-- $20 userName, lower case
-- $21 user metadata that is dropped
with proof as (
  select case when $6::boolean or exists (
      select from /*p*/sso_domains d
      where d.provider_id = $7::uuid and d.domain = split_part($5::text, '@', 2) and d.verified_at is not null)
    or exists (
      select from /*p*/organization_domains d
      where d.organization_id = $8::uuid and d.domain = split_part($5::text, '@', 2) and d.verified_at is not null)
    then $5::text end as email
), new_user as (
  insert into /*p*/users (id, aud, role, email, email_confirmed_at, proven_email, app_metadata, user_metadata, is_sso_user)
  select $2, n.aud, n.role, $5::text, case when o.email is not null then now() end, o.email,
    jsonb_build_object('provider', $4::text, 'providers', jsonb_build_array($4::text), 'scim', $10::jsonb),
    $9::jsonb || jsonb_strip_nulls(jsonb_build_object('email', $5::text, 'email_verified', o.email is not null)), true
  from proof o, jsonb_to_recordset($3::jsonb) as n (aud text, role text)
  returning id
), changed as (
  update /*p*/users u
  set email = case when $17::boolean then $5::text else u.email end,
    email_confirmed_at = case
      when not $17::boolean or u.email = $5::text then u.email_confirmed_at
      when o.email is not null then now() end,
    proven_email = case when $17::boolean and u.email is distinct from $5::text then o.email else u.proven_email end,
    app_metadata = u.app_metadata || jsonb_build_object('scim', $10::jsonb),
    user_metadata = case when $17::boolean
      then (u.user_metadata || $9::jsonb) - $21::text[] - '{email,email_verified}'::text[]
        || case when $5::text is null then '{}' else jsonb_build_object('email', $5::text, 'email_verified',
          coalesce(u.email = $5::text and u.email_confirmed_at is not null, false) or o.email is not null) end
      else u.user_metadata end,
    updated_at = now()
  from proof o
  where u.id = $2 and jsonb_array_length($3::jsonb) = 0 and u.deleted_at is null
  returning u.id
), person as (
  select id from new_user union all select id from changed
), added as (
  insert into /*p*/scim_users as s (scope_id, user_id, user_name, user_name_key, external_id, email_keys, active, resource,
    search, owns_account, asked_roles)
  select $1, p.id, $11, $20, $12, $13::text[], $14, $15::jsonb, $16::jsonb, $17::boolean, $18::text[] from person p
  on conflict (scope_id, user_id) do update
  set user_name = excluded.user_name, user_name_key = excluded.user_name_key, external_id = excluded.external_id,
    email_keys = excluded.email_keys, active = excluded.active, resource = excluded.resource, search = excluded.search,
    asked_roles = excluded.asked_roles, granted_roles = '{}', version = s.version + 1, updated_at = now(),
    deleted_at = null
  where s.deleted_at is not null
  returning *
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from added, jsonb_array_elements($19::jsonb) e
)
select a.user_id as id, a.user_name, a.external_id, a.active, a.resource, a.version, a.created_at, a.updated_at,
  a.owns_account, null::json as groups
from added a;

-- name: by_id
-- read
-- $1 scope id
-- $2 user id
-- $3 with groups
select s.user_id as id, s.user_name, s.external_id, s.active, s.resource, s.version, s.created_at, s.updated_at,
  s.owns_account, case when $3::boolean then (
    select json_agg(json_build_object('value', g.id, 'display', g.display_name) order by g.display_key, g.id)
    from /*p*/scim_group_members m join /*p*/scim_groups g on g.id = m.group_id
    where m.user_id = s.user_id and m.scope_id = s.scope_id) end as groups
from /*p*/scim_users s
where s.scope_id = $1 and s.user_id = $2 and s.deleted_at is null;

-- name: update
-- Call it with the account locked.
-- $1 scope id
-- $2 user id
-- $3 userName
-- $4 externalId, or null
-- $5 addresses, lower case
-- $6 active
-- $7 resource
-- $8 what is searched
-- $9 roles that are asked for
-- $10 address, or null
-- $11 every address counts as proven
-- $12 provider whose proven domains count, or null
-- $13 organization whose verified domains count, or null
-- $14 user metadata that is set
-- $15 user metadata that is dropped
-- $16 app_metadata.scim
-- $17 audit entries, array
-- $18 userName, lower case
with proof as (
  select case when $11::boolean or exists (
      select from /*p*/sso_domains d
      where d.provider_id = $12::uuid and d.domain = split_part($10::text, '@', 2) and d.verified_at is not null)
    or exists (
      select from /*p*/organization_domains d
      where d.organization_id = $13::uuid and d.domain = split_part($10::text, '@', 2) and d.verified_at is not null)
    then $10::text end as email
), changed as (
  update /*p*/scim_users s
  set user_name = $3, user_name_key = $18, external_id = $4, email_keys = $5::text[], active = $6,
    resource = $7::jsonb, search = $8::jsonb, asked_roles = $9::text[], version = s.version + 1, updated_at = now()
  where s.scope_id = $1 and s.user_id = $2 and s.deleted_at is null
  returning *
), account as (
  -- A joined account keeps its address and what its person says.
  update /*p*/users u
  set email = case when c.owns_account then $10::text else u.email end,
    email_confirmed_at = case
      when not c.owns_account or u.email = $10::text then u.email_confirmed_at
      when o.email is not null then now() end,
    proven_email = case when c.owns_account and u.email is distinct from $10::text then o.email else u.proven_email end,
    user_metadata = case when c.owns_account
      then (u.user_metadata || $14::jsonb) - $15::text[] - '{email,email_verified}'::text[]
        || case when $10::text is null then '{}' else jsonb_build_object('email', $10::text, 'email_verified',
          coalesce(u.email = $10::text and u.email_confirmed_at is not null, false) or o.email is not null) end
      else u.user_metadata end,
    app_metadata = u.app_metadata || jsonb_build_object('scim', $16::jsonb),
    updated_at = now()
  from changed c, proof o
  where u.id = c.user_id
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from changed, jsonb_array_elements($17::jsonb) e
)
select c.user_id as id, c.user_name, c.external_id, c.active, c.resource, c.version, c.created_at, c.updated_at,
  c.owns_account, null::json as groups
from changed c;

-- name: soft_delete
-- Gone for the identity provider. Call it with the account locked.
-- $1 scope id
-- $2 user id
-- $3 audit entries, array
with changed as (
  update /*p*/scim_users s set deleted_at = now(), updated_at = now(), version = s.version + 1
  where s.scope_id = $1 and s.user_id = $2 and s.deleted_at is null
  returning *
), left_groups as (
  delete from /*p*/scim_group_members m using changed c where m.user_id = c.user_id and m.scope_id = c.scope_id
), account as (
  update /*p*/users u set app_metadata = u.app_metadata - 'scim', updated_at = now() from changed c where u.id = c.user_id
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from changed, jsonb_array_elements($3::jsonb) e
)
select c.user_id from changed c;

-- name: forget
-- A person who was deleted leaves no trace but the account. Call it with the account locked.
-- $1 scope id
-- $2 user id
delete from /*p*/scim_users s where s.scope_id = $1 and s.user_id = $2 and s.deleted_at is not null;

-- name: other_scopes
-- Call it with the account locked.
-- $1 scope id
-- $2 user id
select s.scope_id from /*p*/scim_users s where s.user_id = $2 and s.scope_id <> $1 and s.deleted_at is null;

-- name: renew_roles
-- Call it with the account locked.
-- $1 scope id
-- $2 user ids
select /*p*/renew_scim_roles($1::uuid, $2::uuid[]);

-- name: page
-- In the order in which they came.
-- read
-- $1 scope id
-- $2 created_at of the last one of the page before, or null
-- $3 its id, or null
-- $4 how many to pass over
-- $5 how many at most
-- $6 with groups
select t.total, p.* from (
  select count(*)::int as total from /*p*/scim_users s where s.scope_id = $1 and s.deleted_at is null
) t left join (
  select s.user_id as id, s.user_name, s.external_id, s.active, s.resource, s.version, s.created_at, s.updated_at,
    s.owns_account, case when $6::boolean then (
      select json_agg(json_build_object('value', g.id, 'display', g.display_name) order by g.display_key, g.id)
      from /*p*/scim_group_members m join /*p*/scim_groups g on g.id = m.group_id
      where m.user_id = s.user_id and m.scope_id = s.scope_id) end as groups
  from /*p*/scim_users s
  where s.scope_id = $1 and s.deleted_at is null
    and ($2::timestamptz is null or (s.created_at, s.user_id) > ($2::timestamptz, $3::uuid))
  order by s.created_at, s.user_id
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
-- $6 with groups
-- $7 the filter as a JSON path
-- $8 its values
-- $9 ids
-- $10 userNames, lower case
-- $11 externalIds
-- $12 addresses, lower case
with found as (
  select s.user_id from /*p*/scim_users s where s.scope_id = $1 and s.user_id = any($9::uuid[])
  union
  select s.user_id from /*p*/scim_users s
  where s.scope_id = $1 and s.user_name_key = any($10::text[]) and s.deleted_at is null
  union
  select s.user_id from /*p*/scim_users s
  where s.scope_id = $1 and s.external_id = any($11::text[]) and s.deleted_at is null
  union
  select s.user_id from /*p*/scim_users s where s.scope_id = $1 and s.email_keys && $12::text[]
), matching as (
  select s.user_id, s.created_at
  from found f join /*p*/scim_users s on s.scope_id = $1 and s.user_id = f.user_id
  where s.deleted_at is null and jsonb_path_match(s.search || /*p*/scim_meta(s.user_id, s.created_at, s.updated_at),
    $7::jsonpath, $8::jsonb, true)
)
select t.total, p.* from (select count(*)::int as total from matching) t left join (
  select s.user_id as id, s.user_name, s.external_id, s.active, s.resource, s.version, s.created_at, s.updated_at,
    s.owns_account, case when $6::boolean then (
      select json_agg(json_build_object('value', g.id, 'display', g.display_name) order by g.display_key, g.id)
      from /*p*/scim_group_members m join /*p*/scim_groups g on g.id = m.group_id
      where m.user_id = s.user_id and m.scope_id = s.scope_id) end as groups
  from (
    select m.user_id, m.created_at from matching m
    where $2::timestamptz is null or (m.created_at, m.user_id) > ($2::timestamptz, $3::uuid)
    order by m.created_at, m.user_id
    offset $4::bigint limit $5::bigint
  ) m join /*p*/scim_users s on s.scope_id = $1 and s.user_id = m.user_id
) p on true
order by p.created_at, p.id;

-- name: page_matching
-- The same of those that a filter finds without an index: it reads the people of the scope.
-- read
-- $1 scope id
-- $2 created_at of the last one of the page before, or null
-- $3 its id, or null
-- $4 how many to pass over
-- $5 how many at most
-- $6 with groups
-- $7 the filter as a JSON path
-- $8 its values
with matching as (
  select s.user_id, s.created_at from /*p*/scim_users s
  where s.scope_id = $1 and s.deleted_at is null
    and jsonb_path_match(s.search || /*p*/scim_meta(s.user_id, s.created_at, s.updated_at), $7::jsonpath, $8::jsonb, true)
)
select t.total, p.* from (select count(*)::int as total from matching) t left join (
  select s.user_id as id, s.user_name, s.external_id, s.active, s.resource, s.version, s.created_at, s.updated_at,
    s.owns_account, case when $6::boolean then (
      select json_agg(json_build_object('value', g.id, 'display', g.display_name) order by g.display_key, g.id)
      from /*p*/scim_group_members m join /*p*/scim_groups g on g.id = m.group_id
      where m.user_id = s.user_id and m.scope_id = s.scope_id) end as groups
  from (
    select m.user_id, m.created_at from matching m
    where $2::timestamptz is null or (m.created_at, m.user_id) > ($2::timestamptz, $3::uuid)
    order by m.created_at, m.user_id
    offset $4::bigint limit $5::bigint
  ) m join /*p*/scim_users s on s.scope_id = $1 and s.user_id = m.user_id
) p on true
order by p.created_at, p.id;

-- name: provisioned
-- The account of a person who signs in: of the scope of the provider, or of its organization. One who was deleted is banned. Who had the
-- account before joins it by other rules, and so does an owner: whoever manages the provider could get into it otherwise.
-- read
-- $1 provider id
-- $2 organization id, or null
-- $3 userName, lower case
with found as (
  select s.user_id, s.scope_id, s.owns_account, s.active, s.deleted_at from /*p*/scim_users s
  where s.scope_id = any(array[$1::uuid, $2::uuid]) and s.user_name_key = $3 and s.deleted_at is null
  union all
  select s.user_id, s.scope_id, s.owns_account, s.active, s.deleted_at from /*p*/scim_users s
  where s.scope_id = any(array[$1::uuid, $2::uuid]) and s.user_name_key = $3 and s.deleted_at is not null
)
select u.id, u.email, u.phone, u.user_metadata ->> 'full_name' as full_name, u.is_sso_user,
  coalesce(u.banned_until > now(), false) as is_banned
from found s join /*p*/users u on u.id = s.user_id
where u.deleted_at is null
  and (not s.active or s.deleted_at is not null or s.owns_account and not exists (
    select from /*p*/organization_members m
    where m.organization_id = $2 and m.user_id = s.user_id and 'owner' = any(m.roles)))
order by s.deleted_at is not null, s.scope_id = $1 desc
limit 1;

-- name: provisioned_owner
-- The same for a provider of OpenID Connect: of the scope of its organization, or of another provider of that. A name may get another
-- owner at the provider, so nobody is found by it whose account has another identity there.
-- read
-- $1 organization id
-- $2 externalId, or null
-- $3 userNames, lower case; the first one that a person has counts
-- $4 provider of the identity
with scopes as (
  select $1::uuid as id union all select p.id from /*p*/sso_providers p where p.organization_id = $1
), found as (
  select s.* from scopes o join /*p*/scim_users s
    on s.scope_id = o.id and s.external_id = $2 and s.deleted_at is null
  union
  select s.* from scopes o join /*p*/scim_users s
    on s.scope_id = o.id and s.user_name_key = any($3::text[]) and s.deleted_at is null
  union
  select s.* from scopes o join /*p*/scim_users s
    on s.scope_id = o.id and s.deleted_at is not null and (s.user_name_key = any($3::text[]) or s.external_id = $2)
)
select u.id, u.email, u.phone, u.user_metadata ->> 'full_name' as full_name, u.is_anonymous,
  u.email_confirmed_at is not null as is_email_confirmed,
  u.phone_confirmed_at is not null as is_phone_confirmed,
  u.email is not null and u.proven_email is not distinct from u.email as is_email_proven,
  coalesce(u.phone in (u.proven_phone, u.vouched_phone), false) as is_phone_proven,
  coalesce(u.banned_until > now(), false) as is_banned,
  exists (select from /*p*/account_origins o where o.user_id = u.id and 'email' = any(o.operator_set))
    as is_operators_email,
  false as is_known
from found s join /*p*/users u on u.id = s.user_id
where u.deleted_at is null
  and (not s.active or s.deleted_at is not null or s.owns_account
    and not exists (
      select from /*p*/organization_members m
      where m.organization_id = $1 and m.user_id = s.user_id and 'owner' = any(m.roles))
    and not exists (select from /*p*/identities i where i.user_id = s.user_id and i.provider = $4))
order by s.deleted_at is not null, s.external_id is not distinct from $2 desc,
  array_position($3::text[], s.user_name_key), s.scope_id = $1 desc
limit 1;
