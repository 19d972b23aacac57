-- Export of accounts with their sessions.

-- name: accounts
-- The next accounts by id, without deleted ones. moved_generation and token_key are those of imported sessions.
-- read
-- $1 id after which to begin, null: from the beginning
-- $2 limit
select row_to_json(u) as "user",
  (select json_agg(row_to_json(i) order by i.provider, i.provider_id) from /*p*/identities i where i.user_id = u.id)
    as identities,
  (select json_agg(row_to_json(n) order by n.id) from (
      select s.*, m.generation as moved_generation, m.token_key
      from /*p*/sessions s left join /*p*/moved_sessions m on m.session_id = s.id
      where s.user_id = u.id and s.act is null
    ) n) as sessions,
  (select json_agg(row_to_json(n) order by n.id) from (
      select f.*, (
          select json_agg(row_to_json(r) order by r.id) from /*p*/mfa_recovery_codes r where r.factor_id = f.id
        ) as codes
      from /*p*/mfa_factors f
      where f.user_id = u.id and f.status = 'verified'
    ) n) as factors,
  (select json_agg(row_to_json(p) order by p.id) from /*p*/passkeys p where p.user_id = u.id) as passkeys,
  (select json_agg(row_to_json(k) order by k.client_id) from /*p*/oauth_consents k where k.user_id = u.id) as consents
from /*p*/users u
where u.id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000') and u.deleted_at is null
order by u.id
limit $2;

-- name: count
-- For the progress.
-- read
select count(*)::int as accounts from /*p*/users;

-- name: deleted_users
-- Imported accounts that were deleted here.
-- read
-- $1 id after which to begin, null: from the beginning
-- $2 limit
select m.user_id as id
from /*p*/moved_accounts m
where m.user_id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000')
  and (select u.id from /*p*/users u where u.id = m.user_id and u.deleted_at is null) is null
order by m.user_id
limit $2;

-- name: ended_sessions
-- Imported sessions that have ended here.
-- read
-- $1 id after which to begin, null: from the beginning
-- $2 limit
select m.session_id as id
from /*p*/moved_sessions m
where m.session_id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000')
  and (select s.id from /*p*/sessions s where s.id = m.session_id) is null
order by m.session_id
limit $2;

-- name: ended_factors
-- Imported factors that were removed here, and sets of recovery codes that were generated anew here: supabase/auth cannot
-- read the hashes of new ones, and the old ones must not work there.
-- read
-- $1 id after which to begin, null: from the beginning
-- $2 limit
select m.factor_id as id
from /*p*/moved_factors m
where m.factor_id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000')
  and ((select f.id from /*p*/mfa_factors f where f.id = m.factor_id) is null
    or (
      select r.id from /*p*/mfa_recovery_codes r
      where r.factor_id = m.factor_id and r.code_hash not like '$argon2%'
      limit 1) is not null)
order by m.factor_id
limit $2;

-- name: ended_passkeys
-- Imported passkeys that were removed here.
-- read
-- $1 id after which to begin, null: from the beginning
-- $2 limit
select m.passkey_id as id
from /*p*/moved_passkeys m
where m.passkey_id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000')
  and (select p.id from /*p*/passkeys p where p.id = m.passkey_id) is null
order by m.passkey_id
limit $2;

-- name: clients
-- The next clients by id, without deleted ones.
-- read
-- $1 id after which to begin, null: from the beginning
-- $2 limit
select row_to_json(c) as client
from /*p*/oauth_clients c
where c.id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000') and c.deleted_at is null
order by c.id
limit $2;

-- name: deleted_clients
-- Imported clients that were deleted here.
-- read
-- $1 id after which to begin, null: from the beginning
-- $2 limit
select m.client_id as id
from /*p*/moved_clients m
where m.client_id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000')
  and (select c.id from /*p*/oauth_clients c where c.id = m.client_id and c.deleted_at is null) is null
order by m.client_id
limit $2;

-- name: deleted_providers
-- Imported providers that were deleted here.
-- read
-- $1 id after which to begin, null: from the beginning
-- $2 limit
select m.provider_id as id
from /*p*/moved_providers m
where m.provider_id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000')
  and (select p.id from /*p*/custom_providers p where p.id = m.provider_id) is null
order by m.provider_id
limit $2;

-- name: sso_providers
-- The next identity providers of companies by id, with their domains.
-- read
-- $1 id after which to begin, null: from the beginning
-- $2 limit
select p.id, p.resource_id, p.disabled, p.entity_id, p.metadata_xml, p.metadata_url, p.metadata_refreshed_at,
  p.attribute_mapping, p.name_id_format, p.options, p.created_at, p.updated_at,
  array(
    select json_build_object('domain', d.domain, 'created_at', d.created_at, 'is_verified', d.verified_at is not null)
    from /*p*/sso_domains d
    where d.provider_id = p.id
    order by d.created_at, d.domain
  ) as domains
from /*p*/sso_providers p
where p.id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000')
order by p.id
limit $2;

-- name: deleted_sso_providers
-- Imported identity providers of companies that were deleted here.
-- read
-- $1 id after which to begin, null: from the beginning
-- $2 limit
select m.provider_id as id
from /*p*/moved_sso_providers m
where m.provider_id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000')
  and (select p.id from /*p*/sso_providers p where p.id = m.provider_id) is null
order by m.provider_id
limit $2;
