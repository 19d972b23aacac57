-- name: issue
-- New codes and links of an account, their mails and their flow, all or nothing. A new token replaces the older one of
-- its kind, and its mail replaces one that was not sent yet.
-- $1 user id
-- $2 one-time tokens, array of {kind, recipient, link_hash, code_hash, flow_state_id, session_id}
-- $3 columns of the account that are set to the time, array
-- $4 mails, array of {id, kind, recipient_hash, sealed}
-- $5 PKCE flow, array of at most one {id, authentication_method, code_challenge, code_challenge_method}
-- $6 audit entries, array
-- $7 the request has another password than the account
with changed as (
  update /*p*/users u
  set confirmation_sent_at = case when 'confirmation_sent_at' = any ($3::text[]) then now() else u.confirmation_sent_at end,
    invited_at = case when 'invited_at' = any ($3) then now() else u.invited_at end,
    recovery_sent_at = case when 'recovery_sent_at' = any ($3) then now() else u.recovery_sent_at end,
    email_change_sent_at = case when 'email_change_sent_at' = any ($3) then now() else u.email_change_sent_at end,
    email_change_confirmations = case when 'email_change_sent_at' = any ($3) then 0 else u.email_change_confirmations end,
    phone_change_sent_at = case when 'phone_change_sent_at' = any ($3) then now() else u.phone_change_sent_at end,
    reauthentication_sent_at = case when 'reauthentication_sent_at' = any ($3) then now() else u.reauthentication_sent_at end,
    updated_at = now()
  where u.id = $1 and u.deleted_at is null
  returning *
), new_tokens as (
  insert into /*p*/one_time_tokens (user_id, kind, recipient, link_hash, code_hash, flow_state_id, session_id)
  select u.id, t.kind, t.recipient, t.link_hash, t.code_hash, t.flow_state_id, t.session_id
  from changed u, jsonb_to_recordset($2::jsonb)
    as t (kind text, recipient text, link_hash text, code_hash text, flow_state_id uuid, session_id uuid)
  on conflict (user_id, kind) where user_id is not null do update
  set recipient = excluded.recipient, link_hash = excluded.link_hash, code_hash = excluded.code_hash,
    flow_state_id = excluded.flow_state_id, session_id = excluded.session_id, wrong_tries = 0, created_at = now()
), older_mails as (
  delete from /*p*/outbox o
  using jsonb_to_recordset($4::jsonb) as m (kind text, recipient_hash text)
  where o.recipient_hash = m.recipient_hash and o.kind = m.kind and o.data_started_at is null
), new_mails as (
  insert into /*p*/outbox (id, user_id, kind, recipient_hash, sealed)
  select m.id, u.id, m.kind, m.recipient_hash, m.sealed
  from changed u, jsonb_to_recordset($4::jsonb) as m (id uuid, kind text, recipient_hash text, sealed text)
), new_flow as (
  insert into /*p*/flow_states (id, user_id, authentication_method, code_challenge, code_challenge_method)
  select f.id, u.id, f.authentication_method, f.code_challenge, f.code_challenge_method
  from changed u, jsonb_to_recordset($5::jsonb)
    as f (id uuid, authentication_method text, code_challenge text, code_challenge_method text)
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from changed, jsonb_array_elements($6::jsonb) e
), contested as (
  insert into /*p*/account_origins (user_id, is_contested)
  select u.id, true from changed u where $7::boolean
  on conflict (user_id) do update set is_contested = true
)
select row_to_json(u) as "user",
  (select json_agg(i order by i.created_at, i.id) from /*p*/identities i where i.user_id = u.id) as identities
from changed u;

-- name: issue_pending
-- A code for an address without an account, which is created when the code is redeemed. No row: the address has another
-- pending sign-up, and this one, whose address the provider has not verified, must not replace it.
-- $1 kind: sign_up, or with an audience other than the default sign_up: and the audience; or decoy, for an address that
--    gets no mail but must take the same time
-- $2 recipient
-- $3 link hash, or null
-- $4 code hash
-- $5 data of the account to create
-- $6 flow id, or null
-- $7 mails, array of {id, kind, recipient_hash, sealed}
-- $8 PKCE flow, array of at most one {id, authentication_method, code_challenge, code_challenge_method}
-- $9 seconds an earlier pending sign-up is protected from one with an unverified address; null: it is replaced
with new_token as (
  insert into /*p*/one_time_tokens (kind, recipient, link_hash, code_hash, sign_up, flow_state_id)
  values ($1, $2, $3, $4, $5, $6)
  on conflict (recipient, kind) where user_id is null do update
  set link_hash = excluded.link_hash, code_hash = excluded.code_hash, sign_up = excluded.sign_up,
    flow_state_id = excluded.flow_state_id, wrong_tries = 0, created_at = now()
  where $9::double precision is null
    or /*p*/one_time_tokens.created_at < now() - make_interval(secs => $9::double precision)
    or /*p*/one_time_tokens.sign_up -> 'identity' = excluded.sign_up -> 'identity'
  returning id
), older_mails as (
  delete from /*p*/outbox o
  using new_token, jsonb_to_recordset($7::jsonb) as m (kind text, recipient_hash text)
  where o.recipient_hash = m.recipient_hash and o.kind = m.kind and o.data_started_at is null
), new_mails as (
  insert into /*p*/outbox (id, kind, recipient_hash, sealed)
  select m.id, m.kind, m.recipient_hash, m.sealed
  from new_token, jsonb_to_recordset($7::jsonb) as m (id uuid, kind text, recipient_hash text, sealed text)
), new_flow as (
  insert into /*p*/flow_states (id, authentication_method, code_challenge, code_challenge_method)
  select f.id, f.authentication_method, f.code_challenge, f.code_challenge_method
  from jsonb_to_recordset($8::jsonb)
    as f (id uuid, authentication_method text, code_challenge text, code_challenge_method text)
)
select id from new_token;

-- name: withdraw
-- Deletes a code whose message was certainly not delivered, and the wait for the next one.
-- $1 user id, or null
-- $2 recipient
-- $3 kind
-- $4 code hash
with withdrawn as (
  delete from /*p*/one_time_tokens t
  where t.user_id is not distinct from $1::uuid and t.recipient = $2 and t.kind = $3 and t.code_hash = $4
  returning t.user_id
)
update /*p*/users u
set confirmation_sent_at = case when $3 = 'confirmation' then null else u.confirmation_sent_at end,
  phone_change_sent_at = case when $3 = 'phone_change' then null else u.phone_change_sent_at end,
  reauthentication_sent_at = case when $3 = 'reauthentication' then null else u.reauthentication_sent_at end
from withdrawn w
where u.id = w.user_id;

-- name: token_by_link
-- read
-- $1 link hash
select t.id, split_part(t.kind, ':', 1) as kind, t.recipient, t.code_hash, t.user_id, t.flow_state_id, t.sign_up,
  extract(epoch from now() - t.created_at)::float8 as age_seconds,
  true as is_right,
  coalesce(u.banned_until > now(), false) as is_banned,
  u.password_hash is null as lacks_password, u.invited_at is not null as is_invited,
  u.email, u.new_email, u.phone, u.new_phone, u.email_confirmed_at is not null as is_email_confirmed,
  u.phone_confirmed_at is not null as is_phone_confirmed,
  coalesce(u.email in (u.proven_email, u.vouched_email), false) as is_email_proven,
  u.email_change_confirmations, u.user_metadata, u.user_metadata ->> 'full_name' as full_name,
  u.aud as audience,
  coalesce(o.is_contested, false) as is_contested,
  coalesce('password' = any(o.operator_set), false) as has_operator_password,
  case when t.recipient like '%@%' then u.proven_email is distinct from u.email
    else u.proven_phone is distinct from u.phone end as is_unproven,
  -- An operator who vouched for the address knows that it is the account's.
  coalesce(case when t.recipient like '%@%'
      then u.phone in (u.proven_phone, u.vouched_phone) and (u.email in (u.proven_email, u.vouched_email)) is not true
    else u.email in (u.proven_email, u.vouched_email) and (u.phone in (u.proven_phone, u.vouched_phone)) is not true
  end, false) as is_of_other_channel
from /*p*/one_time_tokens t left join /*p*/users u on u.id = t.user_id
  left join /*p*/account_origins o on o.user_id = u.id
where t.link_hash = $1 and (t.user_id is null or u.deleted_at is null);

-- name: try_code
-- Compares a code with every token it may belong to. Each wrong try is counted in any case, and after the tenth no code
-- is compared any more (docs/decisions.md, Codes and links).
-- $1 recipient
-- $2 kinds
-- $3 hash of the code for each kind, in the same order
-- $4 audience
-- $5 maximum number of wrong tries
with tried as (
  update /*p*/one_time_tokens t
  set wrong_tries = t.wrong_tries + case when t.code_hash = c.code_hash then 0 else 1 end
  from unnest($2::text[], $3::text[]) as c (kind, code_hash)
  where t.recipient = $1 and t.kind = c.kind and t.wrong_tries < $5
    and (
      t.user_id is null and t.sign_up ->> 'audience' = $4
      or exists (select from /*p*/users o where o.id = t.user_id and o.aud = $4)
    )
  returning t.*, t.code_hash = c.code_hash as is_right
)
select t.id, split_part(t.kind, ':', 1) as kind, t.recipient, t.code_hash, t.user_id, t.flow_state_id, t.session_id, t.sign_up,
  extract(epoch from now() - t.created_at)::float8 as age_seconds,
  t.is_right,
  coalesce(u.banned_until > now(), false) as is_banned,
  u.password_hash is null as lacks_password, u.invited_at is not null as is_invited,
  u.email, u.new_email, u.phone, u.new_phone, u.email_confirmed_at is not null as is_email_confirmed,
  u.phone_confirmed_at is not null as is_phone_confirmed,
  coalesce(u.email in (u.proven_email, u.vouched_email), false) as is_email_proven,
  u.email_change_confirmations, u.user_metadata, u.user_metadata ->> 'full_name' as full_name,
  u.aud as audience,
  coalesce(o.is_contested, false) as is_contested,
  coalesce('password' = any(o.operator_set), false) as has_operator_password,
  case when t.recipient like '%@%' then u.proven_email is distinct from u.email
    else u.proven_phone is distinct from u.phone end as is_unproven,
  -- An operator who vouched for the address knows that it is the account's.
  coalesce(case when t.recipient like '%@%'
      then u.phone in (u.proven_phone, u.vouched_phone) and (u.email in (u.proven_email, u.vouched_email)) is not true
    else u.email in (u.proven_email, u.vouched_email) and (u.phone in (u.proven_phone, u.vouched_phone)) is not true
  end, false) as is_of_other_channel
from tried t left join /*p*/users u on u.id = t.user_id
  left join /*p*/account_origins o on o.user_id = u.id
where t.is_right and (t.user_id is null or u.deleted_at is null);

-- name: list_of_user
-- Codes and links of a user that can still be redeemed, newest first. Neither is shown.
-- read
-- $1 user id
-- $2 seconds a mailed one is valid
-- $3 seconds a texted one is valid
-- $4 maximum number of wrong tries
select t.kind, t.recipient, t.link_hash is not null as has_link,
  t.code_hash is not null and t.wrong_tries < $4::int as has_code, t.wrong_tries,
  to_json(t.created_at) as created_at, to_json(t.created_at + v.validity) as expires_at
from /*p*/one_time_tokens t,
  lateral (select make_interval(secs => case when t.recipient like '%@%'
    then $2::double precision else $3::double precision end) as validity) v
where t.user_id = $1 and t.created_at + v.validity > now()
order by t.created_at desc, t.kind;

-- name: spend
-- Uses a token up, once.
-- $1 token id
-- $2 code hash
delete from /*p*/one_time_tokens t where t.id = $1 and t.code_hash = $2 returning t.id;
