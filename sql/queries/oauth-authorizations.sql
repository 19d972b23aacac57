-- name: begin
-- $1 request id
-- $2 client id
-- $3 redirect URI
-- $4 scope as sent
-- $5 scopes
-- $6 state, or null
-- $7 nonce, or null
-- $8 resources
-- $9 code challenge, or null
-- $10 its method, or null
-- $11 whether consent is asked for in any case
-- $12 maximum age of the sign-in in seconds, or null
-- $13 login hint, or null
-- $14 status: pending, or pushed
-- $15 languages for the page, or null
-- $16 thumbprint of the key that the code will be bound to, or null
-- $17 id or slug of the organization that the client names, or null
-- $18 whether the user chooses the organization in any case
insert into /*p*/oauth_authorizations (id, client_id, redirect_uri, scope, scopes, state, nonce, resources,
  code_challenge, code_challenge_method, asks_consent, max_age_seconds, login_hint, status, ui_locales, dpop_jkt,
  asked_organization, asks_organization)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18);

-- name: open
-- The first user who opens a request owns it. Another call at the same time waits: a person may have two tabs. A device is asked
-- about by its code.
-- $1 request id
-- $2 user id
-- $3 session id
-- $4 seconds a request is valid
-- $5 users from whom this one may take the request over
with taken as (
  update /*p*/oauth_authorizations a
  set user_id = $2
  from (
    select p.id, p.user_id is distinct from $2 as is_first from /*p*/oauth_authorizations p
    where p.id = $1
    for update
  ) p
  where a.id = p.id and a.status = 'pending' and a.user_code is null
    and (a.user_id is null or a.user_id = $2 or a.user_id = any ($5::uuid[]))
    and a.created_at > now() - make_interval(secs => $4::double precision)
  returning a.*, p.is_first
)
select row_to_json(t) as request, row_to_json(c) as client, t.is_first,
  (
    select k.scopes from /*p*/oauth_consents k
    where k.user_id = $2 and k.client_id = c.id and k.revoked_at is null
  ) as consented,
  (
    select k.organization_ids from /*p*/oauth_consents k
    where k.user_id = $2 and k.client_id = c.id and k.revoked_at is null
  ) as consented_organizations,
  (
    select extract(epoch from now() - s.created_at)::double precision from /*p*/sessions s
    where s.id = $3 and s.user_id = $2
  ) as session_age_seconds,
  extract(epoch from now() - t.created_at)::double precision as age_seconds
from taken t join /*p*/oauth_clients c on c.id = t.client_id and c.deleted_at is null;

-- name: state
-- Why a request cannot be opened or decided, and whose it is.
-- read
-- $1 request id
-- $2 user id
-- $3 seconds a request is valid
select a.status, a.user_id is null as is_unopened, a.redirect_uri, row_to_json(c) as client, a.scopes,
  a.asked_organization, a.asks_organization
from /*p*/oauth_authorizations a join /*p*/oauth_clients c on c.id = a.client_id and c.deleted_at is null
where a.id = $1 and a.status <> 'pushed' and (a.user_id is null or a.user_id = $2)
  and a.created_at > now() - make_interval(secs => $3::double precision);

-- name: approve
-- The client's session will have the level of the session that approves, and act for the organization that the user allows it for,
-- which a client of an organization needs. Call it with the account locked.
-- $1 request id
-- $2 user id
-- $3 session id
-- $4 seconds a request is valid
-- $5 hash of the code; null: that of the device
-- $6 audit entries, array; the client is added to their traits
-- $7 user code of a device, which makes the user the owner, or null
-- $8 organization id, or null
with approved as (
  update /*p*/oauth_authorizations a
  set status = 'approved', user_id = $2, code_hash = coalesce($5, a.code_hash), approved_at = now(), aal = s.aal,
    amr = s.amr, second_factors = s.second_factors, auth_time = s.created_at, organization_id = $8::uuid,
    sso = case when s.sso_provider_id is not null then
      jsonb_build_object('provider_id', s.sso_provider_id, 'not_after', s.not_after, 'saml', s.saml) end
  from /*p*/sessions s, /*p*/oauth_clients c
  where a.id = $1 and (a.user_id = $2 or a.user_code = $7) and a.status = 'pending'
    and a.created_at > now() - make_interval(secs => $4::double precision)
    and s.id = $3 and s.user_id = $2 and s.revoked_at is null and (s.not_after is null or s.not_after > now())
    and c.id = a.client_id and c.deleted_at is null
    and (c.organization_id is null or c.organization_id = $8::uuid)
    and ($8::uuid is null or exists (
      select from /*p*/organization_members m where m.organization_id = $8::uuid and m.user_id = $2))
  returning a.user_id, a.client_id, a.scopes, a.redirect_uri, a.state, a.organization_id
), consent as (
  insert into /*p*/oauth_consents as k (user_id, client_id, scopes, organization_ids)
  select p.user_id, p.client_id, p.scopes, array_remove(array[p.organization_id], null) from approved p
  on conflict (user_id, client_id)
  do update set scopes = excluded.scopes, granted_at = excluded.granted_at, revoked_at = null,
    organization_ids = case when k.revoked_at is not null then excluded.organization_ids
      else k.organization_ids || array(select unnest(excluded.organization_ids) except select unnest(k.organization_ids))
      end
), new_audit as (
  insert into /*p*/audit_log (payload)
  select jsonb_set(e.value, '{traits,client_id}', to_jsonb(p.client_id))
  from approved p, jsonb_array_elements($6::jsonb) e
)
select p.redirect_uri, p.state, p.client_id from approved p;

-- name: deny
-- $1 request id
-- $2 user id
-- $3 seconds a request is valid
-- $4 audit entries, array; the client is added to their traits
-- $5 user code of a device, as above, or null
with denied as (
  update /*p*/oauth_authorizations a
  set status = 'denied', user_id = $2
  where a.id = $1 and (a.user_id = $2 or a.user_code = $5) and a.status = 'pending'
    and a.created_at > now() - make_interval(secs => $3::double precision)
  returning a.redirect_uri, a.state, a.client_id
), new_audit as (
  insert into /*p*/audit_log (payload)
  select jsonb_set(e.value, '{traits,client_id}', to_jsonb(d.client_id))
  from denied d, jsonb_array_elements($4::jsonb) e
)
select d.redirect_uri, d.state, d.client_id from denied d;

-- name: redeem_code
-- Exchanges a code for a session (RFC 6749 4.1.3), once. No row: it fails, and code_state gives the reason. The client
-- is compared with its version, so that it can be remembered between requests. The account is locked first, as in
-- account-locks. What ends the session of a company that has approved ends this one, too. The session acts for the organization
-- that was approved, if its user is still a member; a membership is locked before its session (active-organization).
-- $1 hash of the code
-- $2 client id
-- $3 version of the client
-- $4 redirect URI, or null if none was sent
-- $5 code verifier, or null
-- $6 its SHA-256, base64url, or null
-- $7 resources, or null for those of the request
-- $8 seconds a code is valid
-- $9 lifetime of the session in seconds, or null
-- $10 user agent
-- $11 ip
-- $12 audit entries, array; the user is added to them
-- $13 id of the new session
-- $14 whether it is the code of a device
-- $15 thumbprint of the key that the client has proven, or null
-- $16 whether the refresh token is bound to that key
with owner as (
  select u.id from /*p*/users u
  where u.id = (select a.user_id from /*p*/oauth_authorizations a where a.code_hash = $1)
    and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
  for no key update
), member as materialized (
  select m.organization_id, m.roles from /*p*/organization_members m
  where m.user_id = (select o.id from owner o)
    and m.organization_id = (select a.organization_id from /*p*/oauth_authorizations a where a.code_hash = $1)
  for key share
), redeemed as (
  update /*p*/oauth_authorizations a
  set status = 'redeemed', issued_session_id = $13
  from owner o, /*p*/oauth_clients c
  where a.code_hash = $1 and a.user_id = o.id and a.status = 'approved'
    and (a.user_code is not null) = $14::boolean
    and a.approved_at > now() - make_interval(secs => $8::double precision)
    and c.id = a.client_id and c.id = $2 and c.version = $3 and c.deleted_at is null
    and (c.organization_id is null or c.organization_id = (select m.organization_id from member m))
    and ($4::text is null or a.redirect_uri = $4)
    and case a.code_challenge_method
      when 's256' then a.code_challenge = $6::text
      when 'plain' then a.code_challenge = $5::text
      else $5::text is null end
    and ($7::text[] is null or $7::text[] <@ a.resources)
    and (a.dpop_jkt is null or a.dpop_jkt = $15::text)
    and (a.sso is null or (
      ((a.sso ->> 'not_after') is null or (a.sso ->> 'not_after')::timestamptz > now())
      and exists (
        select from /*p*/sso_providers p where p.id = (a.sso ->> 'provider_id')::uuid and p.disabled is not true)))
  returning a.*, coalesce($7::text[], a.resources) as granted_resources, coalesce(c.url, c.id::text) as presented_id
), new_session as (
  insert into /*p*/sessions (id, user_id, aal, amr, second_factors, user_agent, ip, oauth_client_id, client, not_after,
    sso_provider_id, saml, organization_id)
  select r.issued_session_id, r.user_id, r.aal,
    jsonb_build_array(jsonb_build_object(
      'method', case when $14::boolean then 'oauth_provider/device_code' else 'oauth_provider/authorization_code' end,
      'timestamp', extract(epoch from now())::bigint)),
    r.second_factors, $10, $11::inet, r.client_id,
    jsonb_build_object('client_id', r.presented_id, 'scope', array_to_string(r.scopes, ' '))
      || case cardinality(r.granted_resources)
        when 0 then '{}'
        when 1 then jsonb_build_object('aud', r.granted_resources[1])
        else jsonb_build_object('aud', r.granted_resources) end
      || case when $16::boolean then jsonb_build_object('jkt', $15::text) else '{}' end,
    least(now() + make_interval(secs => $9::double precision), (r.sso ->> 'not_after')::timestamptz),
    (r.sso ->> 'provider_id')::uuid, nullif(r.sso -> 'saml', 'null'), (select m.organization_id from member m)
  from redeemed r
  returning *
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value || jsonb_build_object('actor_id', u.id, 'actor_username', coalesce(nullif(u.phone, ''), u.email, ''))
  from redeemed r join /*p*/users u on u.id = r.user_id cross join jsonb_array_elements($12::jsonb) e
)
select row_to_json(u) as "user",
  (select json_agg(i order by i.created_at, i.id) from /*p*/identities i where i.user_id = u.id) as identities,
  s.id as session_id, s.generation, s.aal, s.amr, s.client,
  (
    select json_build_object('id', o.id, 'slug', o.slug, 'roles', m.roles, 'version', o.xmin::text,
      'policies', /*p*/policies_in_force(o.id, o.policies))
    from member m join /*p*/organizations o on o.id = m.organization_id
  ) as organization,
  (select o.name from member m join /*p*/organizations o on o.id = m.organization_id) as organization_name,
  r.scopes, r.nonce, extract(epoch from r.auth_time)::bigint as auth_time, r.amr as approved_amr
from redeemed r join /*p*/users u on u.id = r.user_id cross join new_session s;

-- name: code_state
-- Why a code cannot be exchanged.
-- read
-- $1 hash of the code
-- $2 client id
-- $3 seconds a code is valid
-- $4 redirect URI, or null if none was sent
-- $5 code verifier, or null
-- $6 its SHA-256, base64url, or null
-- $7 thumbprint of the key that the client has proven, or null
select a.status, a.issued_session_id, a.client_id = $2 as is_own, a.user_id,
  a.approved_at <= now() - make_interval(secs => $3::double precision) as is_expired,
  ($4::text is null or a.redirect_uri = $4) as is_redirect_uri_right,
  coalesce(case a.code_challenge_method
    when 's256' then a.code_challenge = $6::text
    when 'plain' then a.code_challenge = $5::text
    else $5::text is null end, false) as is_verifier_right,
  coalesce(a.dpop_jkt = $7::text, a.dpop_jkt is null) as is_key_right, a.resources,
  not exists (
    select from /*p*/oauth_clients c
    where c.id = a.client_id and c.organization_id is not null and not exists (
      select from /*p*/organization_members m where m.organization_id = c.organization_id and m.user_id = a.user_id)
  ) as is_served,
  coalesce(u.banned_until > now(), false) as is_banned, u.deleted_at is not null as is_deleted
from /*p*/oauth_authorizations a join /*p*/users u on u.id = a.user_id
where a.code_hash = $1;
