-- Redemption of codes and links. Each runs in a transaction that has locked the account (account-locks.sql).

-- name: confirmation
-- A confirmation, invitation, recovery or magic link, or a code sent to a phone: proves the address and signs in.
-- first-proof.sql has removed unproven data before.
-- $1 token id
-- $2 code hash the token was found with
-- $3 channel that is proven: email or phone
-- $4 new password hash, or null
-- $5 it replaces an existing password
-- $6 authentication method of the session; null: PKCE, no session yet
-- $7 user agent
-- $8 ip
-- $9 hash of the auth code that a PKCE flow issues, or null
-- $10 audit entries, array
-- $11 user id, where an invitation to an organization proves the address in place of a token; or null
with used as (
  delete from /*p*/one_time_tokens t where t.id = $1 and t.code_hash = $2 returning t.user_id, t.flow_state_id
), spent as (
  select d.user_id, d.flow_state_id from used d
  union all
  select $11::uuid, null where $11::uuid is not null
), proven as (
  update /*p*/users u
  set email_confirmed_at = case when $3 = 'email' then coalesce(u.email_confirmed_at, now()) else u.email_confirmed_at end,
    phone_confirmed_at = case when $3 = 'phone' then coalesce(u.phone_confirmed_at, now()) else u.phone_confirmed_at end,
    proven_email = case when $3 = 'email' then u.email else u.proven_email end,
    proven_phone = case when $3 = 'phone' then u.phone else u.proven_phone end,
    user_metadata = case when $3 = 'email' then u.user_metadata || '{"email_verified": true}' else u.user_metadata end,
    password_hash = case when $5::boolean then coalesce($4, u.password_hash) else coalesce(u.password_hash, $4) end,
    is_anonymous = false,
    last_sign_in_at = case when $6::text is null then u.last_sign_in_at else now() end,
    updated_at = now()
  from spent s
  where u.id = s.user_id and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
  returning u.*
), ended_tokens as (
  delete from /*p*/one_time_tokens t using proven u where t.user_id = u.id and t.id is distinct from $1::uuid
), verified_identities as (
  update /*p*/identities i
  set identity_data = i.identity_data || '{"email_verified": true}', updated_at = now()
  from proven u
  where $3 = 'email' and i.user_id = u.id and i.email = u.email
  returning i.*
), flow as (
  update /*p*/flow_states f
  set user_id = s.user_id, auth_code_hash = $9, auth_code_issued_at = now()
  from spent s
  where $9::text is not null and f.id = s.flow_state_id
), new_session as (
  insert into /*p*/sessions (user_id, amr, user_agent, ip)
  select u.id,
    jsonb_build_array(jsonb_build_object('method', $6::text, 'timestamp', extract(epoch from now())::bigint)),
    $7, $8::inet
  from proven u where $6::text is not null
  returning *
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from proven, jsonb_array_elements($10::jsonb) e
)
select row_to_json(u) as "user",
  (select json_agg(i order by i.created_at, i.id) from (
      select * from verified_identities
      union all
      select o.* from /*p*/identities o
      where o.user_id = u.id and o.id not in (select v.id from verified_identities v)
    ) i) as identities,
  s.id as session_id, s.generation, s.aal, s.amr
from proven u left join new_session s on true;

-- name: sign_up
-- A pending sign-up: creates the confirmed account. An account created in the meantime is confirmed and signed in to;
-- first-proof.sql has removed unproven data before.
-- $1 token id
-- $2 code hash the token was found with
-- $3 user id of a new account
-- $4 channel: email or phone
-- $5 role
-- $6 unusable password hash
-- $7 authentication method of the session; null: PKCE, no session yet
-- $8 user agent
-- $9 ip
-- $10 hash of the auth code that a PKCE flow issues, or null
-- $11 identity data
-- $12 user metadata
-- $13 audit entries, array
-- $14 provider of the identity: the channel, or an identity provider
-- $15 subject at the provider; null: the user id
-- $16 audience of a new account
-- $17 address, where an invitation to an organization proves it in place of a token; or null
with used as (
  delete from /*p*/one_time_tokens t where t.id = $1 and t.code_hash = $2
  returning t.recipient, t.flow_state_id
), spent as (
  select d.recipient, d.flow_state_id from used d
  union all
  select $17::text, null where $17::text is not null
), holder as (
  select u.id from spent s join /*p*/users u on u.email = s.recipient where $4 = 'email' and not u.is_sso_user
  union all
  select u.id from spent s join /*p*/users u on u.phone = s.recipient where $4 = 'phone' and not u.is_sso_user
), taken_over as (
  update /*p*/users u
  set email_confirmed_at = case when $4 = 'email' then coalesce(u.email_confirmed_at, now()) else u.email_confirmed_at end,
    phone_confirmed_at = case when $4 = 'phone' then coalesce(u.phone_confirmed_at, now()) else u.phone_confirmed_at end,
    proven_email = case when $4 = 'email' then u.email else u.proven_email end,
    proven_phone = case when $4 = 'phone' then u.phone else u.proven_phone end,
    user_metadata = case when $4 = 'email' then u.user_metadata || '{"email_verified": true}' else u.user_metadata end,
    password_hash = coalesce(u.password_hash, $6),
    app_metadata = u.app_metadata || case
      when exists (select from /*p*/identities i where i.user_id = u.id) then '{}'::jsonb
      else jsonb_build_object('provider', $4::text, 'providers', jsonb_build_array($4::text)) end,
    last_sign_in_at = case when $7::text is null then u.last_sign_in_at else now() end,
    updated_at = now()
  from holder h
  where u.id = h.id and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
  returning u.*
), ended_tokens as (
  delete from /*p*/one_time_tokens t using holder h where t.user_id = h.id and t.id is distinct from $1::uuid
), created as (
  insert into /*p*/users (id, aud, role, email, phone, proven_email, proven_phone, email_confirmed_at, phone_confirmed_at,
    password_hash, app_metadata, user_metadata, last_sign_in_at)
  select $3, $16, $5,
    case when $4 = 'email' then s.recipient end, case when $4 = 'phone' then s.recipient end,
    case when $4 = 'email' then s.recipient end, case when $4 = 'phone' then s.recipient end,
    case when $4 = 'email' then now() end, case when $4 = 'phone' then now() end,
    $6, jsonb_build_object('provider', $14::text, 'providers', jsonb_build_array($14::text)), $12::jsonb,
    case when $7::text is not null then now() end
  from spent s
  where not exists (select from holder)
  on conflict do nothing
  returning *
), new_identity as (
  insert into /*p*/identities (user_id, provider, provider_id, identity_data, last_sign_in_at)
  select u.id, $14, coalesce($15, u.id::text), $11::jsonb, now() from created u
  union all
  -- An account from a provider gets the identity of the address that was just proven.
  select u.id, $4, u.id::text,
    jsonb_build_object('sub', u.id, $4::text, case when $4 = 'email' then u.email else u.phone end,
      'email_verified', $4 = 'email', 'phone_verified', $4 = 'phone'), now()
  from taken_over u
  where not exists (select from /*p*/identities i where i.user_id = u.id and i.provider = $4)
  returning *
), signed_in as (
  select * from created union all select * from taken_over
), flow as (
  update /*p*/flow_states f
  set user_id = u.id, auth_code_hash = $10, auth_code_issued_at = now()
  from spent s, signed_in u
  where $10::text is not null and f.id = s.flow_state_id
), new_session as (
  insert into /*p*/sessions (user_id, amr, user_agent, ip)
  select u.id,
    jsonb_build_array(jsonb_build_object('method', $7::text, 'timestamp', extract(epoch from now())::bigint)),
    $8, $9::inet
  from signed_in u where $7::text is not null
  returning *
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value || jsonb_build_object('actor_id', u.id) from signed_in u, jsonb_array_elements($13::jsonb) e
)
select row_to_json(u) as "user",
  (select json_agg(i order by i.created_at, i.id) from (
      select * from new_identity
      union all
      select o.* from /*p*/identities o where o.user_id = u.id
    ) i) as identities,
  s.id as session_id, s.generation, s.aal, s.amr
from signed_in u left join new_session s on true;

-- name: email_change_side
-- One of two addresses confirms the change, which waits for the other.
-- $1 token id
-- $2 code hash the token was found with
with spent as (
  delete from /*p*/one_time_tokens t where t.id = $1 and t.code_hash = $2 returning t.user_id
)
update /*p*/users u
set email_change_confirmations = 1, updated_at = now()
from spent s
where u.id = s.user_id
returning u.id;

-- name: change
-- The new address takes effect, becomes an identity, and signs in. Every other code of the account ends.
-- $1 token id
-- $2 code hash the token was found with
-- $3 channel that changes: email or phone
-- $4 authentication method of the session; null: PKCE, no session yet
-- $5 user agent
-- $6 ip
-- $7 hash of the auth code that a PKCE flow issues, or null
-- $8 audit entries, array
with spent as (
  delete from /*p*/one_time_tokens t where t.id = $1 and t.code_hash = $2 returning t.user_id, t.flow_state_id
), changed as (
  update /*p*/users u
  set email = case when $3 = 'email' then u.new_email else u.email end,
    email_confirmed_at = case when $3 = 'email' then coalesce(u.email_confirmed_at, now()) else u.email_confirmed_at end,
    phone = case when $3 = 'phone' then u.new_phone else u.phone end,
    phone_confirmed_at = case when $3 = 'phone' then now() else u.phone_confirmed_at end,
    proven_email = case when $3 = 'email' then u.new_email else u.proven_email end,
    proven_phone = case when $3 = 'phone' then u.new_phone else u.proven_phone end,
    -- A change ends the other pending one (SEC-40).
    new_email = null, email_change_confirmations = 0, new_phone = null,
    is_anonymous = false,
    user_metadata = case when $3 = 'email'
      then u.user_metadata || jsonb_build_object('email', u.new_email, 'email_verified', true)
      else u.user_metadata || '{"phone_verified": true}' end,
    app_metadata = u.app_metadata || jsonb_build_object(
      'provider', coalesce(u.app_metadata ->> 'provider', $3::text),
      'providers', case
        when coalesce(u.app_metadata -> 'providers', '[]') ? $3 then u.app_metadata -> 'providers'
        else coalesce(u.app_metadata -> 'providers', '[]') || to_jsonb($3::text) end),
    last_sign_in_at = case when $4::text is null then u.last_sign_in_at else now() end,
    updated_at = now()
  from spent s
  where u.id = s.user_id and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
    and case when $3 = 'email' then u.new_email else u.new_phone end is not null
  returning u.*
), ended_tokens as (
  delete from /*p*/one_time_tokens t using changed u where t.user_id = u.id and t.id <> $1
), contact_identity as (
  insert into /*p*/identities (user_id, provider, provider_id, identity_data, last_sign_in_at)
  select u.id, $3, u.id::text,
    case when $3 = 'email'
      then jsonb_build_object('sub', u.id, 'email', u.email, 'email_verified', true, 'phone_verified', false)
      else jsonb_build_object('sub', u.id, 'phone', u.phone, 'phone_verified', true, 'email_verified', false) end,
    now()
  from changed u
  on conflict (provider, provider_id) do update
  set identity_data = /*p*/identities.identity_data || case when $3 = 'email'
      then jsonb_build_object('email', excluded.identity_data -> 'email', 'email_verified', true)
      else jsonb_build_object('phone', excluded.identity_data -> 'phone', 'phone_verified', true) end,
    updated_at = now()
  returning *
), flow as (
  update /*p*/flow_states f
  set user_id = s.user_id, auth_code_hash = $7, auth_code_issued_at = now()
  from spent s
  where $7::text is not null and f.id = s.flow_state_id
), new_session as (
  insert into /*p*/sessions (user_id, amr, user_agent, ip)
  select u.id,
    jsonb_build_array(jsonb_build_object('method', $4::text, 'timestamp', extract(epoch from now())::bigint)),
    $5, $6::inet
  from changed u where $4::text is not null
  returning *
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from changed, jsonb_array_elements($8::jsonb) e
)
select row_to_json(u) as "user",
  (select json_agg(i order by i.created_at, i.id) from (
      select * from contact_identity
      union all
      select o.* from /*p*/identities o where o.user_id = u.id and o.id not in (select c.id from contact_identity c)
    ) i) as identities,
  s.id as session_id, s.generation, s.aal, s.amr
from changed u left join new_session s on true;
