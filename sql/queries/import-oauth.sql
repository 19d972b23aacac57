-- Import of OAuth clients, consents and custom providers of supabase/auth.

-- name: clients
-- One batch. Returns a verdict for each: imported, changed (there, and not here), same, kept (changed here since it was
-- imported), deleted (here since), there (it was not imported), or raced (its id was taken while the batch ran).
-- $1 array of {position, id, name, client_type, auth_method, secret_hash, redirect_uris, grant_types, uri, logo_uri,
--    registration, created_at, updated_at, digest}
with given as (
  select r.* from jsonb_to_recordset($1::jsonb) as r (position int, id uuid, name text, client_type text,
    auth_method text, secret_hash text, redirect_uris text[], grant_types text[], uri text, logo_uri text,
    registration text, created_at timestamptz, updated_at timestamptz, digest text)
), judged as (
  select g.*, m.version as moved_version,
    case
      when m.client_id is null and c.id is not null then 'there'
      when m.client_id is null then 'imported'
      when c.id is null or c.deleted_at is not null then 'deleted'
      when m.digest = g.digest then 'same'
      when c.version <> m.version then 'kept'
      else 'changed'
    end as verdict
  from given g
  left join /*p*/moved_clients m on m.client_id = g.id
  left join /*p*/oauth_clients c on c.id = g.id
), new_clients as (
  insert into /*p*/oauth_clients (id, name, client_type, auth_method, secret_hash, redirect_uris, grant_types, uri,
    logo_uri, registration, created_at, updated_at)
  select j.id, j.name, j.client_type, j.auth_method, j.secret_hash, j.redirect_uris, j.grant_types, j.uri, j.logo_uri,
    j.registration, j.created_at, j.updated_at
  from judged j
  where j.verdict = 'imported'
  on conflict do nothing
  returning id, version
), changed_clients as (
  update /*p*/oauth_clients c
  set name = j.name, client_type = j.client_type, auth_method = j.auth_method, secret_hash = j.secret_hash,
    redirect_uris = j.redirect_uris, grant_types = j.grant_types, uri = j.uri, logo_uri = j.logo_uri,
    updated_at = j.updated_at, version = c.version + 1
  from judged j
  -- Checked again on the row as it is now: it may have changed in between.
  where c.id = j.id and j.verdict = 'changed' and c.version = j.moved_version and c.deleted_at is null
  returning c.id, c.version
), stored as (
  select n.id, n.version from new_clients n
  union all
  select c.id, c.version from changed_clients c
), noted as (
  insert into /*p*/moved_clients (client_id, digest, version)
  select j.id, j.digest, d.version
  from judged j join stored d on d.id = j.id
  on conflict (client_id) do update set digest = excluded.digest, version = excluded.version
)
select j.position,
  case
    when d.id is not null or j.verdict not in ('imported', 'changed') then j.verdict
    when j.verdict = 'changed' then 'kept'
    else 'raced'
  end as verdict
from judged j left join stored d on d.id = j.id;

-- name: remove_gone_clients
-- Deletes clients that an earlier run brought, are as they were, and are no longer there, with their requests and consents.
-- Their sessions are deleted afterwards, by oauth-clients.remove_sessions.
-- $1 id after which to look, null: from the beginning
-- $2 last id, null: to the end
-- $3 ids that are still there
with gone as (
  select m.client_id, m.version
  from /*p*/moved_clients m
  where m.client_id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000')
    and m.client_id <= coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    and not exists (select from unnest($3::uuid[]) p where p = m.client_id)
), removed as (
  update /*p*/oauth_clients c
  set deleted_at = now(), version = c.version + 1, secret_hash = null
  from gone g
  where c.id = g.client_id and c.version = g.version and c.deleted_at is null
  returning c.id
), ended as (
  delete from /*p*/oauth_authorizations a using removed r where a.client_id = r.id
), forgotten as (
  -- An array, so that the index is used, however many clients there are.
  delete from /*p*/oauth_consents k where k.client_id = any (array(select r.id from removed r))
)
select r.id from removed r;

-- name: consents
-- One batch, with verdicts as above, or no_account or no_client. What a user has taken back there ends the sessions of the
-- client here, too. The accounts are locked first, as where users decide.
-- $1 array of {position, id, user_id, client_id, scopes, granted_at, revoked_at, digest}
with given as (
  select r.* from jsonb_to_recordset($1::jsonb) as r (position int, id uuid, user_id uuid, client_id uuid,
    scopes text[], granted_at timestamptz, revoked_at timestamptz, digest text)
), locked as materialized (
  select u.id from /*p*/users u
  where u.id in (select g.user_id from given g) and u.deleted_at is null
  order by u.id
  for no key update
), judged as (
  select g.*, m.granted_at as moved_granted_at, m.revoked_at as moved_revoked_at,
    case
      when l.id is null then 'no_account'
      when c.id is null then 'no_client'
      when m.consent_id is null and k.user_id is not null then 'there'
      when m.consent_id is null then 'imported'
      when k.user_id is null then 'deleted'
      when m.digest = g.digest then 'same'
      when k.granted_at <> m.granted_at or k.revoked_at is distinct from m.revoked_at then 'kept'
      else 'changed'
    end as verdict
  from given g
  left join locked l on l.id = g.user_id
  left join /*p*/oauth_clients c on c.id = g.client_id and c.deleted_at is null
  left join /*p*/moved_consents m on m.consent_id = g.id
  left join /*p*/oauth_consents k on k.user_id = g.user_id and k.client_id = g.client_id
), new_consents as (
  insert into /*p*/oauth_consents (user_id, client_id, scopes, granted_at, revoked_at)
  select j.user_id, j.client_id, j.scopes, j.granted_at, j.revoked_at
  from judged j
  where j.verdict = 'imported'
  on conflict do nothing
  returning user_id, client_id
), changed_consents as (
  update /*p*/oauth_consents k
  set scopes = j.scopes, granted_at = j.granted_at, revoked_at = j.revoked_at
  from judged j
  -- Checked again on the row as it is now.
  where k.user_id = j.user_id and k.client_id = j.client_id and j.verdict = 'changed'
    and k.granted_at = j.moved_granted_at and k.revoked_at is not distinct from j.moved_revoked_at
  returning k.user_id, k.client_id
), stored as (
  select j.id, j.user_id, j.client_id, j.revoked_at
  from judged j
  where (j.user_id, j.client_id) in (
    select n.user_id, n.client_id from new_consents n
    union all
    select c.user_id, c.client_id from changed_consents c)
), ended_sessions as (
  delete from /*p*/sessions s using stored d
  where d.revoked_at is not null and s.oauth_client_id = d.client_id and s.user_id = d.user_id
), noted as (
  insert into /*p*/moved_consents (consent_id, user_id, client_id, digest, granted_at, revoked_at)
  select j.id, j.user_id, j.client_id, j.digest, j.granted_at, j.revoked_at
  from judged j join stored d on d.id = j.id
  on conflict (consent_id) do update
  set digest = excluded.digest, granted_at = excluded.granted_at, revoked_at = excluded.revoked_at
)
select j.position,
  case
    when d.id is not null or j.verdict not in ('imported', 'changed') then j.verdict
    when j.verdict = 'changed' then 'kept'
    else 'raced'
  end as verdict
from judged j left join stored d on d.id = j.id;

-- name: providers
-- One batch, with verdicts as above, or identifier (another provider has it).
-- $1 array of {position, id, identifier, provider_type, settings, sealed_secret, discovery_document, created_at,
--    updated_at, digest}
with given as (
  select r.* from jsonb_to_recordset($1::jsonb) as r (position int, id uuid, identifier text, provider_type text,
    settings jsonb, sealed_secret text, discovery_document jsonb, created_at timestamptz, updated_at timestamptz,
    digest text)
), judged as (
  select g.*, m.version as moved_version,
    case
      when m.provider_id is null and p.id is not null then 'there'
      when m.provider_id is not null and p.id is null then 'deleted'
      when m.digest = g.digest then 'same'
      when p.version <> m.version then 'kept'
      when exists (
        select from /*p*/custom_providers o where o.identifier = g.identifier and o.id <> g.id) then 'identifier'
      when p.id is null then 'imported'
      else 'changed'
    end as verdict
  from given g
  left join /*p*/moved_providers m on m.provider_id = g.id
  left join /*p*/custom_providers p on p.id = g.id
), new_providers as (
  insert into /*p*/custom_providers (id, identifier, provider_type, settings, sealed_secret, discovery_document,
    created_at, updated_at)
  select j.id, j.identifier, j.provider_type, j.settings, j.sealed_secret, j.discovery_document, j.created_at, j.updated_at
  from judged j
  where j.verdict = 'imported'
  on conflict do nothing
  returning id, version
), changed_providers as (
  update /*p*/custom_providers p
  set identifier = j.identifier, provider_type = j.provider_type, settings = j.settings,
    sealed_secret = j.sealed_secret, discovery_document = j.discovery_document, updated_at = j.updated_at,
    version = p.version + 1
  from judged j
  where p.id = j.id and j.verdict = 'changed' and p.version = j.moved_version
  returning p.id, p.version
), stored as (
  select n.id, n.version from new_providers n
  union all
  select c.id, c.version from changed_providers c
), noted as (
  insert into /*p*/moved_providers (provider_id, digest, version)
  select j.id, j.digest, d.version
  from judged j join stored d on d.id = j.id
  on conflict (provider_id) do update set digest = excluded.digest, version = excluded.version
)
select j.position,
  case
    when d.id is not null or j.verdict not in ('imported', 'changed') then j.verdict
    when j.verdict = 'changed' then 'kept'
    else 'raced'
  end as verdict
from judged j left join stored d on d.id = j.id;

-- name: remove_gone_providers
-- Deletes providers that an earlier run brought, are as they were, and are no longer there.
-- $1 id after which to look, null: from the beginning
-- $2 last id, null: to the end
-- $3 ids that are still there
with gone as (
  select m.provider_id, m.version
  from /*p*/moved_providers m
  where m.provider_id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000')
    and m.provider_id <= coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    and not exists (select from unnest($3::uuid[]) p where p = m.provider_id)
)
delete from /*p*/custom_providers p using gone g where p.id = g.provider_id and p.version = g.version returning p.id;
