-- name: flow_by_auth_code
-- read
-- $1 hash of the auth code
select f.id, f.authentication_method, f.code_challenge, f.code_challenge_method, f.user_id, f.provider,
  f.provider_access_token, f.provider_refresh_token,
  f.linking_target_id, f.linking_session_id, f.provider_state #>> '{}' as provider_state,
  extract(epoch from now() - f.auth_code_issued_at)::float8 as age_seconds,
  u.email, u.phone, coalesce(u.banned_until > now(), false) as is_banned,
  coalesce(
    (select p.organization_id from /*p*/sso_providers p where p.id = (f.sso ->> 'provider_id')::uuid),
    (select c.organization_id from /*p*/custom_providers c where c.identifier = f.provider)) as organization_id
from /*p*/flow_states f join /*p*/users u on u.id = f.user_id
where f.auth_code_hash = $1 and u.deleted_at is null;

-- name: redeem_flow
-- An auth code works once: the flow is deleted, and a session is opened (RFC 7636 4.6). A code of the hosted pages opens
-- one with level and methods of theirs, unless that has ended. That of a sign-in at a company opens one with the end that
-- the company set, unless its identity provider was removed or disabled since.
-- $1 flow id
-- $2 hash of the auth code
-- $3 user agent
-- $4 ip
-- $5 audit entries, array
with spent as (
  delete from /*p*/flow_states f where f.id = $1 and f.auth_code_hash = $2 and f.linking_target_id is null
    and (f.source_session_id is null or exists (
      select from /*p*/sessions o
      where o.id = f.source_session_id and o.revoked_at is null and (o.not_after is null or o.not_after > now())))
    and (f.sso is null or exists (
      select from /*p*/sso_providers p where p.id = (f.sso ->> 'provider_id')::uuid and p.disabled is not true))
  returning f.user_id, f.authentication_method, f.source_session_id, f.sso, f.provider, f.created_at
), signed_in as (
  update /*p*/users u
  set last_sign_in_at = now(), updated_at = now()
  from spent s
  where u.id = s.user_id and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
  returning u.*
), new_session as (
  insert into /*p*/sessions (user_id, aal, amr, second_factors, user_agent, ip, not_after, sso_provider_id, saml)
  select u.id, coalesce(o.aal, 'aal1'),
    coalesce(o.amr, jsonb_build_array(
      jsonb_build_object('method', s.authentication_method, 'timestamp', extract(epoch from now())::bigint)
        || coalesce(case when s.sso is null
          -- One that has taken the name meanwhile is another provider.
          then (select jsonb_build_object('provider', c.id) from /*p*/custom_providers c
            where c.identifier = s.provider and c.organization_id is not null and c.created_at < s.created_at)
          else jsonb_build_object('provider', s.sso -> 'provider_id') end, '{}'))),
    o.second_factors, $3, $4::inet, coalesce((s.sso ->> 'not_after')::timestamptz, o.not_after),
    coalesce((s.sso ->> 'provider_id')::uuid, o.sso_provider_id), coalesce(s.sso -> 'saml', o.saml)
  from signed_in u cross join spent s left join /*p*/sessions o on o.id = s.source_session_id
  returning *
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from signed_in, jsonb_array_elements($5::jsonb) e
)
select row_to_json(u) as "user",
  (select json_agg(i order by i.created_at, i.id) from /*p*/identities i where i.user_id = u.id) as identities,
  s.id as session_id, s.generation, s.aal, s.amr, o.organization_id as source_organization_id
from signed_in u cross join new_session s cross join spent f left join /*p*/sessions o on o.id = f.source_session_id;

-- name: begin_external
-- A browser is sent to a provider.
-- $1 flow id
-- $2 provider
-- $3 PKCE challenge of the client, or null
-- $4 its method, or null
-- $5 hash of the browser's secret; null: any browser may return
-- $6 sealed state of the provider, or null
-- $7 redirect target
-- $8 hash of the invite token, or null
-- $9 user to link the identity to, or null
-- $10 session that asked for the link, or null
-- $11 flow of the hosted pages, or null
-- $12 trace that an operator follows, or null
insert into /*p*/flow_states (id, authentication_method, provider, code_challenge, code_challenge_method, browser_hash,
  provider_state, redirect_to, invite_token_hash, linking_target_id, linking_session_id, page_flow_id,
  trace_id)
values ($1, 'oauth', $2, $3, $4, $5, to_jsonb($6::text), $7, $8, $9, $10, $11, $12);

-- name: take_external
-- A browser returns. One callback claims the flow (SEC-60); another browser cannot claim it or use it up.
-- $1 flow id
-- $2 hash of the browser's secret, or null
-- $3 seconds a flow is valid
with taken as (
  update /*p*/flow_states f
  set used_at = now()
  where f.id = $1 and f.provider <> '' and f.used_at is null and (f.browser_hash is null or f.browser_hash = $2)
    and f.created_at > now() - make_interval(secs => $3)
    and (f.linking_target_id is null
      or exists (select from /*p*/users u where u.id = f.linking_target_id and u.deleted_at is null))
  returning f.id
)
select f.provider, f.code_challenge is not null as wants_auth_code, f.provider_state #>> '{}' as provider_state,
  f.redirect_to, f.invite_token_hash, f.linking_target_id, f.linking_session_id,
  f.page_flow_id, f.trace_id, exists (select from taken) as is_taken,
  f.used_at is not null as is_used,
  f.created_at <= now() - make_interval(secs => $3) as is_expired,
  coalesce(f.browser_hash <> coalesce($2, ''), false) as is_of_other_browser
from /*p*/flow_states f
where f.id = $1 and f.provider <> '';

-- name: await_exchange
-- A link waits for the client that started it and its code verifier.
-- $1 flow id
-- $2 hash of the auth code
-- $3 identity to link, sealed
-- $4 access token of the provider, sealed, or null
-- $5 refresh token of the provider, sealed, or null
update /*p*/flow_states f
set user_id = f.linking_target_id, auth_code_hash = $2, auth_code_issued_at = now(), provider_state = to_jsonb($3::text),
  provider_access_token = $4, provider_refresh_token = $5
where f.id = $1 and f.linking_target_id is not null
returning f.id;
