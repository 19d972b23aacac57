-- Single log-out at the identity providers of companies (SAML 2.0).

-- name: begin
-- A browser is sent to an identity provider, to end the session there.
-- $1 id, which is the RelayState
-- $2 provider
-- $3 ID of the request
-- $4 redirect target
-- $5 the request in XML
-- $6 flow of the hosted pages, or null
-- $7 seconds it is valid
insert into /*p*/saml_relay_states (id, provider_id, request_id, redirect_to, logout_request, page_flow_id, expires_at)
values ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7));

-- name: started
-- A log-out whose request is about to be sent as a form.
-- $1 id
select r.provider_id, r.logout_request, r.expires_at <= now() as is_expired
from /*p*/saml_relay_states r
where r.id = $1 and r.logout_request is not null;

-- name: take
-- Of many answers with the same RelayState one gets it.
-- $1 id
delete from /*p*/saml_relay_states r
where r.id = $1 and r.logout_request is not null
returning r.provider_id, r.request_id, r.redirect_to, r.page_flow_id;

-- name: end_sessions
-- A provider ends sessions of a person, and codes that were not yet exchanged for one. No row: it was asked for before, or
-- there are none.
-- $1 provider
-- $2 name of the person at the provider
-- $3 indexes of sessions, text[]; empty: all
-- $4 hash of the message
-- $5 when the message ends
-- $6 audit entries, array; the user is added to them
with fresh as (
  insert into /*p*/saml_assertions (id, expires_at) values (decode($4::text, 'hex'), $5::timestamptz)
  on conflict do nothing
  returning id
), ended as (
  delete from /*p*/sessions s using fresh
  where s.sso_provider_id = $1::uuid and s.saml ->> 'name_id' = $2
    and (cardinality($3::text[]) = 0 or s.saml ->> 'session_index' is null or s.saml ->> 'session_index' = any ($3::text[]))
  returning s.user_id
), codes as (
  delete from /*p*/flow_states f using fresh
  where f.sso ->> 'provider_id' = ($1::uuid)::text and f.sso -> 'saml' ->> 'name_id' = $2
    and (cardinality($3::text[]) = 0 or f.sso -> 'saml' ->> 'session_index' is null
      or f.sso -> 'saml' ->> 'session_index' = any ($3::text[]))
), client_codes as (
  delete from /*p*/oauth_authorizations a using fresh
  where a.status = 'approved' and a.sso ->> 'provider_id' = ($1::uuid)::text and a.sso -> 'saml' ->> 'name_id' = $2
    and (cardinality($3::text[]) = 0 or a.sso -> 'saml' ->> 'session_index' is null
      or a.sso -> 'saml' ->> 'session_index' = any ($3::text[]))
), owner as (
  select u.id, u.email, u.phone from (select distinct e.user_id from ended e) o join /*p*/users u on u.id = o.user_id
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value || jsonb_build_object('actor_id', o.id, 'actor_username', coalesce(nullif(o.phone, ''), o.email, ''))
  from owner o cross join jsonb_array_elements($6::jsonb) e
)
select o.id, o.email, o.phone from owner o;
