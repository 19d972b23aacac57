-- Sign-ins at the identity providers of companies (SAML 2.0).

-- name: begin_sign_in
-- A browser is sent to an identity provider.
-- $1 id, which is the RelayState
-- $2 provider
-- $3 ID of the request
-- $4 redirect target
-- $5 PKCE challenge of the client, or null
-- $6 its method, or null
-- $7 flow of the hosted pages, or null
-- $8 seconds it is valid
-- $9 trace of which it is the test, or null
insert into /*p*/saml_relay_states (id, provider_id, request_id, redirect_to, code_challenge, code_challenge_method,
  page_flow_id, trace_id, expires_at)
values ($1, $2, $3, $4, $5, $6, $7, $9, now() + make_interval(secs => $8));

-- name: take_relay_state
-- Of many answers with the same RelayState one gets it. One of the hosted pages stays, so that the others come back to the page.
-- $1 id
with found as (
  select r.* from /*p*/saml_relay_states r where r.id = $1 and r.logout_request is null for update
), gone as (
  delete from /*p*/saml_relay_states r using found f where r.id = f.id and f.page_flow_id is null
), taken as (
  update /*p*/saml_relay_states r
  set taken_at = now()
  from found f
  where r.id = f.id and f.page_flow_id is not null and f.taken_at is null
)
select f.provider_id, f.request_id, f.redirect_to, f.code_challenge, f.code_challenge_method, f.page_flow_id,
  f.trace_id, f.taken_at is not null as is_used, f.expires_at <= now() as is_expired
from found f;

-- name: account
-- The account that a person of a provider has.
-- read
-- $1 provider of the identity
-- $2 subject
select u.id, u.email, u.phone, u.user_metadata ->> 'full_name' as full_name, u.is_sso_user,
  coalesce(u.banned_until > now(), false) as is_banned
from /*p*/identities i join /*p*/users u on u.id = i.user_id
where i.provider = $1 and i.provider_id = $2 and u.deleted_at is null;

-- name: account_to_join
-- The account with an address that an organization vouches for, of a person who has none here yet. Only a proven address counts, of a
-- domain that the organization has verified; not where another person of the provider has the account, or where its roles in the
-- organization are more than the provider gives: whoever set the provider up could act with them.
-- read
-- $1 provider of the identity, sso:<id>
-- $2 organization
-- $3 address
-- $4 roles that the provider gives
select u.id, u.email, u.phone, u.user_metadata ->> 'full_name' as full_name, u.is_sso_user,
  coalesce(u.banned_until > now(), false) as is_banned, u.user_metadata
from /*p*/users u
where u.email = $3 and u.email in (u.proven_email, u.vouched_email) and not u.is_sso_user and u.deleted_at is null
  and exists (
    select from /*p*/organization_domains d
    where d.organization_id = $2 and d.domain = split_part($3, '@', 2) and d.verified_at is not null)
  and not exists (select from /*p*/identities i where i.user_id = u.id and i.provider = $1)
  and not exists (
    select from /*p*/organization_members m
    where m.organization_id = $2 and m.user_id = u.id and not m.roles <@ $4::text[]);

-- name: sign_in
-- A sign-in with an assertion, all or nothing: remembers the assertion, makes or renews the account and its identity, and
-- opens a session or issues an auth code. No row: the assertion was used before, the account is gone or banned, or the provider is
-- gone or disabled, which can happen while hooks are asked.
-- Accounts are apart from those of other ways to sign in, so an address may occur twice. One that an administrator has linked keeps
-- its own.
-- $1 user id
-- $2 provider of the identity, sso:<id>
-- $3 subject
-- $4 identity data
-- $5 address
-- $6 new account, array of at most one {aud, role}
-- $7 claims that the person cannot change; null: there are none
-- $8 hash of the assertion
-- $9 when the assertion ends
-- $10 id of the provider
-- $11 end of the session, or null
-- $12 NameID and SessionIndex
-- $13 opens a session
-- $14 user agent
-- $15 ip
-- $16 PKCE flow that is completed, array of at most one {id, auth_code_hash, code_challenge, code_challenge_method}
-- $17 audit entries, array
-- $18 of addresses only those of domains that the provider or its organization has proven count as proven
with fresh as (
  insert into /*p*/saml_assertions (id, expires_at)
  select decode($8::text, 'hex'), $9::timestamptz
  where exists (select from /*p*/sso_providers o where o.id = $10::uuid and o.disabled is not true)
  on conflict do nothing
  returning id
), proof as (
  select case when not $18::boolean or exists (
    select from /*p*/sso_domains d
    where d.provider_id = $10::uuid and d.domain = split_part($5::text, '@', 2) and d.verified_at is not null)
    or exists (
      select from /*p*/sso_providers o
      join /*p*/organization_domains d on d.organization_id = o.organization_id
      where o.id = $10::uuid and d.domain = split_part($5::text, '@', 2) and d.verified_at is not null)
    then $5::text end as email
), new_user as (
  insert into /*p*/users (id, aud, role, email, email_confirmed_at, proven_email, app_metadata, user_metadata, is_sso_user,
    last_sign_in_at)
  select $1, n.aud, n.role, $5::text, now(), (select o.email from proof o),
    jsonb_build_object('provider', $2::text, 'providers', jsonb_build_array($2::text))
      || case when $7::jsonb is null then '{}' else jsonb_build_object('sso', $7::jsonb) end,
    $4::jsonb, true, case when $13::boolean then now() end
  from fresh, jsonb_to_recordset($6::jsonb) as n (aud text, role text)
  returning *
), changed as (
  update /*p*/users u
  set email = case when u.is_sso_user then $5::text else u.email end,
    email_confirmed_at = case when u.is_sso_user then coalesce(u.email_confirmed_at, now()) else u.email_confirmed_at end,
    proven_email = case when u.is_sso_user then (select o.email from proof o) else u.proven_email end,
    user_metadata = u.user_metadata || case when u.is_sso_user then $4::jsonb
      else $4::jsonb - '{email,email_verified,phone_verified}'::text[] end,
    app_metadata = case when $7::jsonb is null then u.app_metadata - 'sso'
      else u.app_metadata || jsonb_build_object('sso', $7::jsonb) end,
    last_sign_in_at = case when $13::boolean then now() else u.last_sign_in_at end,
    updated_at = now()
  from fresh
  where u.id = $1 and jsonb_array_length($6::jsonb) = 0 and u.deleted_at is null
    and (u.banned_until is null or u.banned_until <= now())
  returning u.*
), person as (
  select * from new_user union all select * from changed
), renewed as (
  update /*p*/identities i
  set identity_data = $4::jsonb, last_sign_in_at = now(), updated_at = now()
  from person p
  where i.user_id = p.id and i.provider = $2 and i.provider_id = $3
  returning i.*
), added as (
  insert into /*p*/identities (user_id, provider, provider_id, identity_data, last_sign_in_at)
  select p.id, $2, $3, $4::jsonb, now() from person p where not exists (select from renewed)
  returning *
), flow as (
  insert into /*p*/flow_states (id, authentication_method, provider, user_id, auth_code_hash, auth_code_issued_at,
    code_challenge, code_challenge_method, sso)
  select c.id, 'sso/saml', $2, p.id, c.auth_code_hash, now(), c.code_challenge, c.code_challenge_method,
    jsonb_build_object('provider_id', $10::uuid, 'not_after', $11::timestamptz, 'saml', $12::jsonb)
  from person p, jsonb_to_recordset($16::jsonb)
    as c (id uuid, auth_code_hash text, code_challenge text, code_challenge_method text)
), new_session as (
  insert into /*p*/sessions (user_id, amr, user_agent, ip, not_after, sso_provider_id, saml)
  select p.id,
    jsonb_build_array(jsonb_build_object('method', 'sso/saml', 'timestamp', extract(epoch from now())::bigint,
      'provider', $10::uuid)),
    $14, $15::inet, $11::timestamptz, $10::uuid, $12::jsonb
  from person p where $13::boolean
  returning *
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from person, jsonb_array_elements($17::jsonb) e
)
select row_to_json(u) as "user",
  (select json_agg(i order by i.created_at, i.id) from (
      select * from renewed
      union all
      select * from added
      union all
      select o.* from /*p*/identities o
      where o.user_id = u.id and not (o.provider = $2 and o.provider_id = $3)
    ) i) as identities,
  s.id as session_id, s.generation, s.aal, s.amr
from person u left join new_session s on true;

-- name: refusal
-- Why a sign-in wrote nothing; neither: the account has changed.
-- read
-- $1 hash of the assertion
-- $2 id of the provider
select exists (select from /*p*/saml_assertions a where a.id = decode($1::text, 'hex')) as is_used,
  not exists (select from /*p*/sso_providers p where p.id = $2 and p.disabled is not true) as is_provider_off;

-- name: link
-- An administrator lets a person of a provider sign in to an account. Call it with the account locked. No row: the account is
-- gone. A person who has an account is a unique violation.
-- $1 user id
-- $2 provider of the identity, sso:<id>
-- $3 subject
-- $4 identity data
-- $5 audit entries, array
with providers as (
  -- Oldest first, as where users link: the first one is the account's original provider.
  select array_agg(p.provider order by p.since) as names
  from (
    select i.provider, min(i.created_at) as since from /*p*/identities i where i.user_id = $1 group by i.provider
    union all
    select $2::text, now() where not exists (
      select from /*p*/identities i where i.user_id = $1 and i.provider = $2::text)
  ) p
), changed as (
  update /*p*/users u
  set app_metadata = u.app_metadata || jsonb_build_object('provider', p.names[1], 'providers', to_jsonb(p.names)),
    is_anonymous = false, updated_at = now()
  from providers p
  where u.id = $1 and u.deleted_at is null
  returning u.*
), added as (
  insert into /*p*/identities (user_id, provider, provider_id, identity_data)
  select c.id, $2, $3, $4::jsonb from changed c
  returning *
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from changed, jsonb_array_elements($5::jsonb) e
)
select row_to_json(c) as "user",
  (select json_agg(i order by i.created_at, i.id) from (
      select * from added
      union all
      select o.* from /*p*/identities o where o.user_id = c.id
    ) i) as identities
from changed c;
