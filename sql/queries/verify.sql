-- What `users import --from-gotrue --verify` compares.

-- name: count
-- What was imported and is still here.
-- read
select
  (select count(*)::int from /*p*/moved_accounts m join /*p*/users u on u.id = m.user_id where u.deleted_at is null)
    as accounts,
  (select count(*)::int from /*p*/moved_accounts m join /*p*/identities i on i.user_id = m.user_id) as identities,
  (select count(*)::int from /*p*/moved_sessions m join /*p*/sessions s on s.id = m.session_id) as sessions,
  (select count(*)::int from /*p*/moved_factors m join /*p*/mfa_factors f on f.id = m.factor_id) as factors,
  (select count(*)::int from /*p*/moved_passkeys m join /*p*/passkeys p on p.id = m.passkey_id) as passkeys,
  (select count(*)::int from /*p*/moved_providers m join /*p*/custom_providers p on p.id = m.provider_id) as providers,
  (select count(*)::int from /*p*/moved_sso_providers m join /*p*/sso_providers p on p.id = m.provider_id)
    as sso_providers,
  (select count(*)::int from /*p*/moved_clients m join /*p*/oauth_clients c on c.id = m.client_id
    where c.deleted_at is null) as clients,
  (select count(*)::int from /*p*/moved_consents m
    join /*p*/oauth_consents k on k.user_id = m.user_id and k.client_id = m.client_id) as consents;

-- name: accounts
-- Accounts as they are here. has_changed: here since they were imported.
-- read
-- $1 ids
select u.id, row_to_json(u) as "user",
  (select json_agg(row_to_json(i) order by i.provider, i.provider_id) from /*p*/identities i where i.user_id = u.id)
    as identities,
  coalesce(u.updated_at <> m.updated_at, true) as has_changed
from /*p*/users u left join /*p*/moved_accounts m on m.user_id = u.id
where u.id = any($1::uuid[]) and u.deleted_at is null;

-- name: sessions
-- Sessions as they are here. has_changed: refreshed or revoked here since they were imported.
-- read
-- $1 ids
select s.id, row_to_json(s) as session, coalesce(s.generation <> m.generation, true) as has_changed
from /*p*/sessions s left join /*p*/moved_sessions m on m.session_id = s.id
where s.id = any($1::uuid[]);

-- name: factors
-- Factors as they are here, with their recovery codes.
-- read
-- $1 ids
select f.id, row_to_json(f) as factor,
  (select json_agg(row_to_json(r) order by r.id) from /*p*/mfa_recovery_codes r where r.factor_id = f.id) as codes,
  coalesce(f.updated_at <> m.updated_at, true) as has_changed
from /*p*/mfa_factors f left join /*p*/moved_factors m on m.factor_id = f.id
where f.id = any($1::uuid[]);

-- name: passkeys
-- read
-- $1 ids
select p.id, row_to_json(p) as passkey, coalesce(p.updated_at <> m.updated_at, true) as has_changed
from /*p*/passkeys p left join /*p*/moved_passkeys m on m.passkey_id = p.id
where p.id = any($1::uuid[]);

-- name: providers
-- read
-- $1 ids
select p.id, row_to_json(p) as provider, coalesce(p.version <> m.version, true) as has_changed
from /*p*/custom_providers p left join /*p*/moved_providers m on m.provider_id = p.id
where p.id = any($1::uuid[]);

-- name: sso_providers
-- With their domains.
-- read
-- $1 ids
select p.id, coalesce(p.version <> m.version, true) as has_changed,
  to_jsonb(p) || jsonb_build_object('domains',
    array(select d.domain from /*p*/sso_domains d where d.provider_id = p.id order by d.domain collate "C")) as provider
from /*p*/sso_providers p left join /*p*/moved_sso_providers m on m.provider_id = p.id
where p.id = any($1::uuid[]);

-- name: clients
-- read
-- $1 ids
select c.id, row_to_json(c) as client, coalesce(c.version <> m.version, true) as has_changed
from /*p*/oauth_clients c left join /*p*/moved_clients m on m.client_id = c.id
where c.id = any($1::uuid[]) and c.deleted_at is null;

-- name: consents
-- Consents by user and client, with the ids that they have there.
-- read
-- $1 array of {id, user_id, client_id}
select g.id, row_to_json(k) as consent,
  coalesce(k.granted_at <> m.granted_at or k.revoked_at is distinct from m.revoked_at, true) as has_changed
from jsonb_to_recordset($1::jsonb) as g (id uuid, user_id uuid, client_id uuid)
join /*p*/oauth_consents k on k.user_id = g.user_id and k.client_id = g.client_id
left join /*p*/moved_consents m on m.consent_id = g.id;

-- name: some_accounts
-- Ids of imported accounts that are here.
-- read
-- $1 id after which to begin
-- $2 limit
select m.user_id as id
from /*p*/moved_accounts m join /*p*/users u on u.id = m.user_id
where m.user_id > $1 and u.deleted_at is null
order by m.user_id
limit $2;

-- name: some_sessions
-- Ids of imported sessions that are here.
-- read
-- $1 id after which to begin
-- $2 limit
select m.session_id as id
from /*p*/moved_sessions m join /*p*/sessions s on s.id = m.session_id
where m.session_id > $1
order by m.session_id
limit $2;

-- name: some_factors
-- Ids of imported factors that are here.
-- read
-- $1 id after which to begin
-- $2 limit
select m.factor_id as id
from /*p*/moved_factors m join /*p*/mfa_factors f on f.id = m.factor_id
where m.factor_id > $1
order by m.factor_id
limit $2;

-- name: some_passkeys
-- Ids of imported passkeys that are here.
-- read
-- $1 id after which to begin
-- $2 limit
select m.passkey_id as id
from /*p*/moved_passkeys m join /*p*/passkeys p on p.id = m.passkey_id
where m.passkey_id > $1
order by m.passkey_id
limit $2;

-- name: some_providers
-- Ids of imported providers that are here.
-- read
-- $1 id after which to begin
-- $2 limit
select m.provider_id as id
from /*p*/moved_providers m join /*p*/custom_providers p on p.id = m.provider_id
where m.provider_id > $1
order by m.provider_id
limit $2;

-- name: some_sso_providers
-- Ids of imported identity providers of companies that are here.
-- read
-- $1 id after which to begin
-- $2 limit
select m.provider_id as id
from /*p*/moved_sso_providers m join /*p*/sso_providers p on p.id = m.provider_id
where m.provider_id > $1
order by m.provider_id
limit $2;

-- name: some_clients
-- Ids of imported clients that are here.
-- read
-- $1 id after which to begin
-- $2 limit
select m.client_id as id
from /*p*/moved_clients m join /*p*/oauth_clients c on c.id = m.client_id
where m.client_id > $1 and c.deleted_at is null
order by m.client_id
limit $2;

-- name: some_consents
-- Ids of imported consents that are here.
-- read
-- $1 id after which to begin
-- $2 limit
select m.consent_id as id
from /*p*/moved_consents m
cross join lateral (
  -- The limit keeps the look-up by key; a join would read the whole table.
  select from /*p*/oauth_consents k where k.user_id = m.user_id and k.client_id = m.client_id limit 1
) k
where m.consent_id > $1
order by m.consent_id
limit $2;

-- name: imported
-- Which of these were imported, whether or not they are still here.
-- read
-- $1 ids
select m.user_id as id from /*p*/moved_accounts m where m.user_id = any($1::uuid[])
union all
select m.session_id as id from /*p*/moved_sessions m where m.session_id = any($1::uuid[])
union all
select m.factor_id as id from /*p*/moved_factors m where m.factor_id = any($1::uuid[])
union all
select m.passkey_id as id from /*p*/moved_passkeys m where m.passkey_id = any($1::uuid[])
union all
select m.provider_id as id from /*p*/moved_providers m where m.provider_id = any($1::uuid[])
union all
select m.provider_id as id from /*p*/moved_sso_providers m where m.provider_id = any($1::uuid[])
union all
select m.client_id as id from /*p*/moved_clients m where m.client_id = any($1::uuid[])
union all
select m.consent_id as id from /*p*/moved_consents m where m.consent_id = any($1::uuid[]);
