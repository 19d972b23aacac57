-- name: user_for_sign_in_by_email
-- What the password grant needs before hashing. Single sign-on accounts have no password here. An unknown address also
-- has a row, with null in the account's columns, since a delay may be in force for it.
-- read
-- $1 email, lower case
-- $2 audience
-- $3 key of the counter of failed sign-ins, or null
select u.id, u.email, u.phone, u.password_hash, u.user_metadata ->> 'full_name' as full_name,
  coalesce(u.banned_until > now(), false) as is_banned,
  u.email_confirmed_at is not null as is_confirmed,
  coalesce(extract(epoch from c.updated_at - clock_timestamp()), 0)::double precision as wait_seconds
from (select) as one_row
left join /*p*/users u on u.email = $1 and u.aud = $2 and not u.is_sso_user and u.deleted_at is null
left join /*p*/rate_counters c on c.name = 'sign_in' and c.key = $3 and c.updated_at > clock_timestamp();

-- name: user_for_sign_in_by_phone
-- read
-- $1 phone, digits
-- $2 audience
-- $3 key of the counter of failed sign-ins, or null
select u.id, u.email, u.phone, u.password_hash, u.user_metadata ->> 'full_name' as full_name,
  coalesce(u.banned_until > now(), false) as is_banned,
  u.phone_confirmed_at is not null as is_confirmed,
  coalesce(extract(epoch from c.updated_at - clock_timestamp()), 0)::double precision as wait_seconds
from (select) as one_row
left join /*p*/users u on u.phone = $1 and u.aud = $2 and not u.is_sso_user and u.deleted_at is null
left join /*p*/rate_counters c on c.name = 'sign_in' and c.key = $3 and c.updated_at > clock_timestamp();

-- name: user_by_email
-- The account that has an address.
-- read
-- $1 email, lower case
-- $2 audience
select u.id, u.email, u.phone, u.password_hash, u.is_anonymous, u.invited_at,
  u.email_confirmed_at is not null as is_confirmed, u.user_metadata, u.new_email, u.new_phone,
  coalesce(u.banned_until > now(), false) as is_banned
from /*p*/users u
where u.email = $1 and u.aud = $2 and not u.is_sso_user and u.deleted_at is null;

-- name: user_by_phone
-- read
-- $1 phone, digits
-- $2 audience
select u.id, u.email, u.phone, u.password_hash, u.is_anonymous, u.invited_at,
  u.phone_confirmed_at is not null as is_confirmed, u.user_metadata, u.new_email, u.new_phone,
  coalesce(u.banned_until > now(), false) as is_banned
from /*p*/users u
where u.phone = $1 and u.aud = $2 and not u.is_sso_user and u.deleted_at is null;

-- name: unproven_by_email
-- Whether an account of any audience has the address unproven.
-- read
-- $1 email, lower case
select u.id from /*p*/users u
where u.email = $1 and not u.is_sso_user and u.deleted_at is null and u.email_confirmed_at is null;

-- name: unproven_by_phone
-- read
-- $1 phone, digits
select u.id from /*p*/users u
where u.phone = $1 and not u.is_sso_user and u.deleted_at is null and u.phone_confirmed_at is null;

-- name: known_caller
-- Whether a cached caller has changed. No row: the account has the given version and is not banned, and the session is
-- its own and valid. The version identifies the state of the account and its identities, since no transaction commits
-- two of them (00003_identities_renew_users). The statement returns no account: one that could would take a sixth more
-- database time, even without returning it.
-- read
-- $1 user id
-- $2 session id
-- $3 version of the cached account
select true as has_changed
where /*s*/ ((
    select concat_ws(' ', u.updated_at, u.xmin) from /*p*/users u
    where u.id = $1::uuid and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
  ) is distinct from $3::text
  or (
    select s.user_id from /*p*/sessions s
    where s.id = $2::uuid and s.revoked_at is null and (s.not_after is null or s.not_after > now())
  ) is distinct from $1::uuid);

-- name: known_callers
-- The same for many callers. Arrays are in selects of their own as in sessions.redeem_refresh_tokens.
-- batch of known_caller
-- read
-- $1 user ids
-- $2 session ids, in the same order
-- $3 versions of the cached accounts, in the same order
select c.position::int as batch_position, true as has_changed
from unnest((select $1::uuid[]), (select $2::uuid[]), (select $3::text[])) with ordinality
  as c (user_id, session_id, version, position)
where /*s*/ ((
    select concat_ws(' ', u.updated_at, u.xmin) from /*p*/users u
    where u.id = c.user_id and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
  ) is distinct from c.version
  or (
    select s.user_id from /*p*/sessions s
    where s.id = c.session_id and s.revoked_at is null and (s.not_after is null or s.not_after > now())
  ) is distinct from c.user_id);

-- name: caller
-- The account of a bearer token with its version, and whether the token's session is valid. The session's user must not
-- be a condition of its join: Postgres would read all sessions of the account.
-- read
-- $1 user id
-- $2 session id, null when the token has none
select concat_ws(' ', u.updated_at, u.xmin) as version, row_to_json(u) as "user",
  (select json_agg(i order by i.created_at, i.id) from /*p*/identities i where i.user_id = u.id) as identities,
  coalesce(u.banned_until > now(), false) as is_banned,
  coalesce(s.user_id = u.id, false) as has_session
from /*p*/users u
left join /*p*/sessions s on s.id = $2 and s.revoked_at is null and (s.not_after is null or s.not_after > now())
where /*s*/ u.id = $1 and u.deleted_at is null;

-- name: callers
-- The same for many tokens. Arrays are in selects of their own as in sessions.redeem_refresh_tokens.
-- batch of caller
-- read
-- $1 user ids
-- $2 session ids, in the same order
select c.position::int as batch_position, concat_ws(' ', u.updated_at, u.xmin) as version, row_to_json(u) as "user",
  (select json_agg(i order by i.created_at, i.id) from /*p*/identities i where i.user_id = u.id) as identities,
  coalesce(u.banned_until > now(), false) as is_banned,
  coalesce(s.user_id = u.id, false) as has_session
from unnest((select $1::uuid[]), (select $2::uuid[])) with ordinality as c (user_id, session_id, position)
join /*p*/users u on u.id = c.user_id and u.deleted_at is null
left join /*p*/sessions s
  on s.id = c.session_id and s.revoked_at is null and (s.not_after is null or s.not_after > now())
where /*s*/ true;

-- name: sign_up
-- Creates an account with its identity, codes, session and audit entries, all or nothing. No row: the address is taken.
-- $1 user id
-- $2 audience
-- $3 role
-- $4 email, or null
-- $5 phone, or null
-- $6 password hash, or null
-- $7 is confirmed at once
-- $8 app metadata
-- $9 user metadata
-- $10 is anonymous
-- $11 provider of the identity: email, phone, or null for none
-- $12 identity data
-- $13 one-time tokens, array of {kind, recipient, link_hash, code_hash, flow_state_id}
-- $14 authentication method of the session (as in RFC 8176), null for no session
-- $15 user agent
-- $16 ip
-- $17 audit entries, array
-- $18 mails, array of {id, kind, recipient_hash, sealed}
-- $19 PKCE flow, array of at most one {id, authentication_method, code_challenge, code_challenge_method}
-- $20 is invited
-- $21 parts that an operator set, array of password, email; null: the user signed up
with new_user as (
  insert into /*p*/users (id, aud, role, email, phone, password_hash, email_confirmed_at, phone_confirmed_at,
    confirmation_sent_at, last_sign_in_at, app_metadata, user_metadata, is_anonymous, invited_at)
  values ($1, $2, $3, $4::text, $5::text, $6,
    case when $7::boolean and $4::text is not null then now() end,
    case when $7::boolean and $5::text is not null then now() end,
    case when jsonb_array_length($13::jsonb) > 0 then now() end,
    case when $14::text is not null then now() end,
    $8, $9, $10, case when $20::boolean then now() end)
  on conflict do nothing
  returning *
), origin as (
  insert into /*p*/account_origins (user_id, operator_set, operator_metadata)
  select u.id, $21::text[], u.user_metadata from new_user u where $21::text[] is not null
), new_identity as (
  insert into /*p*/identities (user_id, provider, provider_id, identity_data, last_sign_in_at)
  select u.id, $11::text, u.id::text, $12::jsonb, now() from new_user u where $11::text is not null
  returning *
), new_tokens as (
  insert into /*p*/one_time_tokens (user_id, kind, recipient, link_hash, code_hash, flow_state_id)
  select u.id, t.kind, t.recipient, t.link_hash, t.code_hash, t.flow_state_id
  from new_user u, jsonb_to_recordset($13::jsonb)
    as t (kind text, recipient text, link_hash text, code_hash text, flow_state_id uuid)
), new_mails as (
  insert into /*p*/outbox (id, user_id, kind, recipient_hash, sealed)
  select m.id, u.id, m.kind, m.recipient_hash, m.sealed
  from new_user u, jsonb_to_recordset($18::jsonb) as m (id uuid, kind text, recipient_hash text, sealed text)
), new_flow as (
  insert into /*p*/flow_states (id, user_id, authentication_method, code_challenge, code_challenge_method)
  select f.id, u.id, f.authentication_method, f.code_challenge, f.code_challenge_method
  from new_user u, jsonb_to_recordset($19::jsonb)
    as f (id uuid, authentication_method text, code_challenge text, code_challenge_method text)
), new_session as (
  insert into /*p*/sessions (user_id, amr, user_agent, ip)
  select u.id,
    jsonb_build_array(jsonb_build_object('method', $14::text, 'timestamp', extract(epoch from now())::bigint)),
    $15, $16::inet
  from new_user u where $14::text is not null
  returning *
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from new_user, jsonb_array_elements($17::jsonb) e
)
select row_to_json(u) as "user",
  (select json_agg(i order by i.created_at, i.id) from new_identity i) as identities,
  s.id as session_id, s.generation, s.aal, s.amr
from new_user u left join new_session s on true;

-- name: update_user
-- Everything PUT /user may change. A null parameter leaves its column unchanged.
-- $1 user id
-- $2 new password hash
-- $3 session to keep when the password changes
-- $4 user metadata to merge, top level
-- $5 user metadata keys to drop
-- $6 app metadata to merge
-- $7 app metadata keys to drop
-- $8 email that takes effect at once
-- $9 phone that takes effect at once
-- $10 email that needs confirmation
-- $11 phone that needs confirmation
-- $12 one-time tokens, array of {kind, recipient, link_hash, code_hash, flow_state_id}
-- $13 identities of the addresses that take effect at once, array of {provider, identity_data}
-- $14 audit entries, array
-- $15 mails, array of {id, kind, recipient_hash, sealed}
-- $16 PKCE flow, array of at most one {id, authentication_method, code_challenge, code_challenge_method}
with changed as (
  update /*p*/users u
  set password_hash = coalesce($2, u.password_hash),
    -- A new password ends every pending code.
    confirmation_sent_at = case when $2::text is null then u.confirmation_sent_at end,
    recovery_sent_at = case when $2::text is null then u.recovery_sent_at end,
    reauthentication_sent_at = case when $2::text is null then u.reauthentication_sent_at end,
    email_change_sent_at = case
      when $10::text is not null then now()
      when $2::text is not null or $8::text is not null then null
      else u.email_change_sent_at end,
    phone_change_sent_at = case
      when $11::text is not null then now()
      when $2::text is not null or $9::text is not null then null
      else u.phone_change_sent_at end,
    user_metadata = (u.user_metadata || coalesce($4::jsonb, '{}')) - coalesce($5::text[], '{}'),
    app_metadata = (u.app_metadata || coalesce($6::jsonb, '{}')) - coalesce($7::text[], '{}'),
    email = coalesce($8, u.email),
    email_confirmed_at = case when $8::text is null then u.email_confirmed_at else now() end,
    phone = coalesce($9, u.phone),
    phone_confirmed_at = case when $9::text is null then u.phone_confirmed_at else now() end,
    -- An address that takes effect ends every other pending change (SEC-40).
    new_email = case when $8::text is null and $9::text is null then coalesce($10, u.new_email) else $10::text end,
    email_change_confirmations = case when $10::text is null then u.email_change_confirmations else 0 end,
    new_phone = case when $8::text is null and $9::text is null then coalesce($11, u.new_phone) else $11::text end,
    is_anonymous = u.is_anonymous and $8::text is null and $9::text is null,
    updated_at = now()
  where u.id = $1 and u.deleted_at is null
  returning *
), ended_sessions as (
  delete from /*p*/sessions s
  using changed u
  where $2::text is not null and s.user_id = u.id and s.id is distinct from $3::uuid
), unlimited_session as (
  -- A session that a leaked password opened is like any other once there is a new password.
  update /*p*/sessions s
  set amr = jsonb_build_array(jsonb_build_object('method', 'password', 'timestamp', extract(epoch from now())::bigint))
  from changed u
  where $2::text is not null and s.user_id = u.id and s.id = $3::uuid
    and s.amr @> '[{"method": "leaked_password"}]'
), ended_tokens as (
  delete from /*p*/one_time_tokens t
  using changed u
  where t.user_id = u.id
    and ($2::text is not null or $8::text is not null or $9::text is not null)
    and t.kind not in (select n.kind from jsonb_to_recordset($12::jsonb) as n (kind text))
), new_tokens as (
  insert into /*p*/one_time_tokens (user_id, kind, recipient, link_hash, code_hash, flow_state_id)
  select u.id, t.kind, t.recipient, t.link_hash, t.code_hash, t.flow_state_id
  from changed u, jsonb_to_recordset($12::jsonb)
    as t (kind text, recipient text, link_hash text, code_hash text, flow_state_id uuid)
  on conflict (user_id, kind) where user_id is not null do update
  set recipient = excluded.recipient, link_hash = excluded.link_hash, code_hash = excluded.code_hash,
    flow_state_id = excluded.flow_state_id, wrong_tries = 0, created_at = now()
), older_mails as (
  delete from /*p*/outbox o
  using jsonb_to_recordset($15::jsonb) as m (kind text, recipient_hash text)
  where o.recipient_hash = m.recipient_hash and o.kind = m.kind and o.data_started_at is null
), new_mails as (
  insert into /*p*/outbox (id, user_id, kind, recipient_hash, sealed)
  select m.id, u.id, m.kind, m.recipient_hash, m.sealed
  from changed u, jsonb_to_recordset($15::jsonb) as m (id uuid, kind text, recipient_hash text, sealed text)
), new_flow as (
  insert into /*p*/flow_states (id, user_id, authentication_method, code_challenge, code_challenge_method)
  select f.id, u.id, f.authentication_method, f.code_challenge, f.code_challenge_method
  from changed u, jsonb_to_recordset($16::jsonb)
    as f (id uuid, authentication_method text, code_challenge text, code_challenge_method text)
), contact_identity as (
  insert into /*p*/identities (user_id, provider, provider_id, identity_data, last_sign_in_at)
  select u.id, n.provider, u.id::text, n.identity_data, now()
  from changed u, jsonb_to_recordset($13::jsonb) as n (provider text, identity_data jsonb)
  on conflict (provider, provider_id) do update
  set identity_data = /*p*/identities.identity_data || excluded.identity_data, updated_at = now()
  returning *
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from changed, jsonb_array_elements($14::jsonb) e
)
select row_to_json(u) as "user",
  (select json_agg(i order by i.created_at, i.id) from (
      select * from contact_identity
      union all
      select o.* from /*p*/identities o where o.user_id = u.id and o.id not in (select c.id from contact_identity c)
    ) i) as identities
from changed u;

-- name: password_hash
-- read
-- $1 user id
select u.password_hash from /*p*/users u where u.id = $1;

-- name: address_holders
-- Which of two addresses another account has.
-- read
-- $1 user id
-- $2 email, or null
-- $3 phone, or null
select
  exists (
    select from /*p*/users u where u.email = $2::text and u.id <> $1 and not u.is_sso_user
  ) or exists (
    -- Unverified identities are not counted: their provider may accept any address.
    select from /*p*/identities i
    where i.email = $2::text and i.user_id <> $1 and i.provider not like 'sso:%'
      and i.identity_data @> '{"email_verified": true}'
  ) as email_taken,
  exists (select from /*p*/users u where u.phone = $3::text and u.id <> $1 and not u.is_sso_user) as phone_taken;
