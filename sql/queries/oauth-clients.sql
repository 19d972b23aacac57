-- Clients of the authorization server. Deleted ones keep their row.

-- name: find
-- read
-- $1 client id
select row_to_json(c) as client from /*p*/oauth_clients c where c.id = $1 and c.deleted_at is null;

-- name: page
-- Newest first. The first row has the total even when the page is empty.
-- read
-- $1 limit
-- $2 offset
with total as (
  select count(*) as rows from /*p*/oauth_clients c where c.deleted_at is null
), page as (
  select c.id, c.created_at from /*p*/oauth_clients c
  where c.deleted_at is null
  order by c.created_at desc, c.id desc
  limit $1::bigint offset $2::bigint
)
select t.rows as total, (select row_to_json(c) from /*p*/oauth_clients c where c.id = p.id) as client
from total t left join page p on true
order by p.created_at desc, p.id desc;

-- name: page_after
-- Newest first.
-- read
-- $1 created_at of the last row of the previous page
-- $2 its id
-- $3 limit
select row_to_json(c) as client
from /*p*/oauth_clients c
where c.deleted_at is null and (c.created_at, c.id) < ($1::timestamptz, $2::uuid)
order by c.created_at desc, c.id desc
limit $3::bigint;

-- name: create
-- $1 columns of the client, object
-- $2 audit entries, array; the id of the client is added to their traits
with added as (
  insert into /*p*/oauth_clients (name, client_type, auth_method, secret_hash, redirect_uris, grant_types, uri, logo_uri,
    post_logout_redirect_uris, backchannel_logout_uri, backchannel_logout_session_required, scopes, resources, role,
    registration, refresh_ttl_seconds, registration_hash, dpop_bound_access_tokens,
    subject_type, sector_identifier_uri, organization_id, org_roles, jwks, jwks_uri)
  select f.name, f.client_type, f.auth_method, f.secret_hash, f.redirect_uris, f.grant_types, f.uri, f.logo_uri,
    f.post_logout_redirect_uris, f.backchannel_logout_uri, f.backchannel_logout_session_required, f.scopes, f.resources,
    f.role, f.registration, f.refresh_ttl_seconds, f.registration_hash, f.dpop_bound_access_tokens,
    f.subject_type, f.sector_identifier_uri, f.organization_id, f.org_roles, f.jwks, f.jwks_uri
  from jsonb_populate_record(null::/*p*/oauth_clients, $1::jsonb) f
  returning *
), new_audit as (
  insert into /*p*/audit_log (payload)
  select jsonb_set(e.value, '{traits}', coalesce(e.value -> 'traits', '{}') || jsonb_build_object('client_id', a.id))
  from added a, jsonb_array_elements($2::jsonb) e
)
select row_to_json(a) as client from added a;

-- name: put_document
-- A client with a document, as it was read just now. Its version rises only when something has changed. One that was deleted
-- begins anew, without the consents it had. Its subjects stay those of the first document: of two that are read at once the
-- second one changes nothing, since its sector was compared with none.
-- $1 client id
-- $2 address of the document
-- $3 columns that the document decides, object
-- $4 seconds for which it may be used
-- $5 audit entries of a new client, array
-- $6 version of the stored client that the sector was compared with; null: there was none
with before as (
  select b.deleted_at is not null as is_deleted from /*p*/oauth_clients b where b.id = $1
), put as (
  insert into /*p*/oauth_clients as c (id, url, client_type, auth_method, registration, fresh_until, name, redirect_uris,
    grant_types, uri, logo_uri, dpop_bound_access_tokens, post_logout_redirect_uris, backchannel_logout_uri,
    backchannel_logout_session_required, subject_type, sector_identifier_uri)
  select $1, $2, 'public', 'none', 'dynamic', now() + make_interval(secs => $4::double precision), f.name, f.redirect_uris,
    f.grant_types, f.uri, f.logo_uri, f.dpop_bound_access_tokens, f.post_logout_redirect_uris, f.backchannel_logout_uri,
    f.backchannel_logout_session_required, f.subject_type, f.sector_identifier_uri
  from jsonb_populate_record(null::/*p*/oauth_clients, $3::jsonb) f
  on conflict (id) do update
  set name = excluded.name, redirect_uris = excluded.redirect_uris, grant_types = excluded.grant_types,
    uri = excluded.uri, logo_uri = excluded.logo_uri, dpop_bound_access_tokens = excluded.dpop_bound_access_tokens,
    post_logout_redirect_uris = excluded.post_logout_redirect_uris,
    backchannel_logout_uri = excluded.backchannel_logout_uri,
    backchannel_logout_session_required = excluded.backchannel_logout_session_required,
    subject_type = case when c.deleted_at is null then c.subject_type else excluded.subject_type end,
    sector_identifier_uri = excluded.sector_identifier_uri,
    fresh_until = excluded.fresh_until, used_at = now(),
    deleted_at = null,
    created_at = case when c.deleted_at is null then c.created_at else now() end,
    updated_at = case
      when (c.name, c.redirect_uris, c.grant_types, c.uri, c.logo_uri, c.dpop_bound_access_tokens,
          c.post_logout_redirect_uris, c.backchannel_logout_uri, c.backchannel_logout_session_required,
          c.sector_identifier_uri)
        is distinct from (excluded.name, excluded.redirect_uris, excluded.grant_types, excluded.uri, excluded.logo_uri,
          excluded.dpop_bound_access_tokens, excluded.post_logout_redirect_uris, excluded.backchannel_logout_uri,
          excluded.backchannel_logout_session_required, excluded.sector_identifier_uri)
      then now() else c.updated_at end,
    version = c.version + case
      when c.deleted_at is not null or (c.name, c.redirect_uris, c.grant_types, c.uri, c.logo_uri,
          c.dpop_bound_access_tokens, c.post_logout_redirect_uris, c.backchannel_logout_uri,
          c.backchannel_logout_session_required, c.sector_identifier_uri)
        is distinct from (excluded.name, excluded.redirect_uris, excluded.grant_types, excluded.uri, excluded.logo_uri,
          excluded.dpop_bound_access_tokens, excluded.post_logout_redirect_uris, excluded.backchannel_logout_uri,
          excluded.backchannel_logout_session_required, excluded.sector_identifier_uri)
      then 1 else 0 end
  where c.deleted_at is not null or c.subject_type = 'public' or c.version = $6
  returning c as client, c.xmax = 0 as is_inserted
), judged as (
  select p.client, p.is_inserted or coalesce((select b.is_deleted from before b), false) as is_new from put p
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from judged j, jsonb_array_elements($5::jsonb) e where j.is_new
)
select row_to_json(j.client) as client, j.is_new from judged j;

-- name: change
-- A client that proves itself by a key from now on has no secret any more.
-- $1 client id
-- $2 columns that change, object; absent ones stay
-- $3 audit entries, array
with changed as (
  update /*p*/oauth_clients c
  set (name, auth_method, redirect_uris, grant_types, uri, logo_uri, post_logout_redirect_uris, backchannel_logout_uri,
      backchannel_logout_session_required, scopes, resources, role, refresh_ttl_seconds, dpop_bound_access_tokens,
      sector_identifier_uri, organization_id, org_roles, jwks, jwks_uri, secret_hash) = (
      select f.name, f.auth_method, f.redirect_uris, f.grant_types, f.uri, f.logo_uri, f.post_logout_redirect_uris,
        f.backchannel_logout_uri, f.backchannel_logout_session_required, f.scopes, f.resources, f.role,
        f.refresh_ttl_seconds, f.dpop_bound_access_tokens, f.sector_identifier_uri, f.organization_id,
        f.org_roles, f.jwks, f.jwks_uri, case when f.auth_method <> 'private_key_jwt' then c.secret_hash end
      from jsonb_populate_record(c, $2::jsonb) f
    ),
    version = c.version + 1, updated_at = now()
  where c.id = $1 and c.deleted_at is null
  returning *
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from changed, jsonb_array_elements($3::jsonb) e
)
select row_to_json(c) as client from changed c;

-- name: replace_secret
-- $1 client id
-- $2 hash of the new secret
-- $3 audit entries, array
with changed as (
  update /*p*/oauth_clients c
  set secret_hash = $2, version = c.version + 1, updated_at = now()
  where c.id = $1 and c.deleted_at is null and c.client_type = 'confidential' and c.auth_method <> 'private_key_jwt'
  returning *
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from changed, jsonb_array_elements($3::jsonb) e
)
select row_to_json(c) as client from changed c;

-- name: remove
-- Its requests and consents end with it. Its sessions are deleted afterwards, by remove_sessions, when no new one can begin.
-- $1 client id
-- $2 audit entries, array
with removed as (
  update /*p*/oauth_clients c
  set deleted_at = now(), version = c.version + 1, secret_hash = null
  where c.id = $1 and c.deleted_at is null
  returning c.id
), ended as (
  delete from /*p*/oauth_authorizations a using removed r where a.client_id = r.id
), forgotten as (
  delete from /*p*/oauth_consents k using removed r where k.client_id = r.id
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from removed, jsonb_array_elements($2::jsonb) e
)
select r.id from removed r;

-- name: remove_sessions
-- $1 client id
delete from /*p*/sessions s where s.oauth_client_id = $1;
