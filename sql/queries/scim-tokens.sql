-- Tokens of provisioning (SCIM 2.0).

-- name: lock_scope
-- Makes the scope if it is new, and locks it until the end of the transaction. No row: provider or organization is gone.
-- $1 provider id, or null
-- $2 organization id, or null
insert into /*p*/scim_scopes as s (id, provider_id, organization_id)
select coalesce($1::uuid, $2::uuid), $1::uuid, $2::uuid
where $1::uuid is null or exists (select from /*p*/sso_providers p where p.id = $1::uuid)
on conflict (id) do update set id = s.id
returning s.id;

-- name: insert
-- No row: the scope has two already. Expired ones do not count, and go. Call it with the scope locked.
-- $1 scope id
-- $2 name
-- $3 hash
-- $4 may end owners
-- $5 when it expires, or null
-- $6 how many there may be
-- $7 audit entries, array
-- $8 roles that its maker may give, null for all
with expired as (
  delete from /*p*/scim_tokens t where t.scope_id = $1 and t.expires_at <= now()
), added as (
  insert into /*p*/scim_tokens (scope_id, name, token_hash, reaches_owners, expires_at, may_give)
  select $1, $2, $3, $4, $5, $8::text[]
  where (select count(*) from /*p*/scim_tokens t
    where t.scope_id = $1 and (t.expires_at is null or t.expires_at > now())) < $6::bigint
  returning *
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from added, jsonb_array_elements($7::jsonb) e
)
select a.id, a.name, a.created_at, a.expires_at, a.last_used_at from added a;

-- name: list
-- Oldest first.
-- read
-- $1 scope id
select t.id, t.name, t.created_at, t.expires_at, t.last_used_at
from /*p*/scim_tokens t where t.scope_id = $1
order by t.created_at, t.id;

-- name: delete
-- $1 scope id
-- $2 token id
-- $3 audit entries, array
with deleted as (
  delete from /*p*/scim_tokens t where t.scope_id = $1 and t.id = $2 returning t.id
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from deleted, jsonb_array_elements($3::jsonb) e
)
select d.id from deleted d;

-- name: by_hash
-- Who calls. `is_use_known`: the last use is noted to the hour.
-- read
-- $1 hashes of the token under the keys that are accepted
select t.id, t.name, t.reaches_owners, t.may_give, s.id as scope_id, s.provider_id,
  coalesce(s.organization_id, p.organization_id) as organization_id,
  coalesce(t.last_used_at >= date_trunc('hour', now()), false) as is_use_known
from /*p*/scim_tokens t
join /*p*/scim_scopes s on s.id = t.scope_id
left join /*p*/sso_providers p on p.id = s.provider_id
where t.token_hash = any($1::text[]) and (t.expires_at is null or t.expires_at > now());

-- name: note_use
-- Not before it was made.
-- $1 token id
update /*p*/scim_tokens t set last_used_at = greatest(date_trunc('hour', now()), t.created_at) where t.id = $1;
