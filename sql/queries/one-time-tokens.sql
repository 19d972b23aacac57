-- name: issue
-- New codes and links for an account, the mails that carry them and the flow they belong to: all or nothing. A newer
-- token of a kind ends the older, and its mail replaces one that has not left.
-- $1 user id
-- $2 one-time tokens, array of {kind, recipient, link_hash, code_hash, flow_state_id, session_id}
-- $3 what is stamped: confirmation, invite, recovery, email_change, phone_change, reauthentication
-- $4 mails, array of {id, kind, recipient_hash, sealed}
-- $5 PKCE flow, array of none or one {id, authentication_method, code_challenge, code_challenge_method}
-- $6 audit entries, array
with changed as (
  update /*p*/users u
  set confirmation_sent_at = case when $3 in ('confirmation', 'invite') then now() else u.confirmation_sent_at end,
    invited_at = case when $3 = 'invite' then now() else u.invited_at end,
    recovery_sent_at = case when $3 = 'recovery' then now() else u.recovery_sent_at end,
    email_change_sent_at = case when $3 = 'email_change' then now() else u.email_change_sent_at end,
    email_change_confirmations = case when $3 = 'email_change' then 0 else u.email_change_confirmations end,
    phone_change_sent_at = case when $3 = 'phone_change' then now() else u.phone_change_sent_at end,
    reauthentication_sent_at = case when $3 = 'reauthentication' then now() else u.reauthentication_sent_at end,
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
)
select row_to_json(u) as "user",
  (select json_agg(i order by i.created_at, i.id) from /*p*/identities i where i.user_id = u.id) as identities
from changed u;

-- name: issue_pending
-- A code for an address without account: the account is made when the code comes back (decisions.md 4).
-- $1 kind: sign_up; or decoy, for an address that gets nothing but must cost the same
-- $2 recipient
-- $3 link hash, or null
-- $4 code hash
-- $5 what is needed to make the account
-- $6 flow id, or null
-- $7 mails, array of {id, kind, recipient_hash, sealed}
-- $8 PKCE flow, array of none or one {id, authentication_method, code_challenge, code_challenge_method}
with new_token as (
  insert into /*p*/one_time_tokens (kind, recipient, link_hash, code_hash, sign_up, flow_state_id)
  values ($1, $2, $3, $4, $5, $6)
  on conflict (recipient, kind) where user_id is null do update
  set link_hash = excluded.link_hash, code_hash = excluded.code_hash, sign_up = excluded.sign_up,
    flow_state_id = excluded.flow_state_id, wrong_tries = 0, created_at = now()
  returning id
), older_mails as (
  delete from /*p*/outbox o
  using jsonb_to_recordset($7::jsonb) as m (kind text, recipient_hash text)
  where o.recipient_hash = m.recipient_hash and o.kind = m.kind and o.data_started_at is null
), new_mails as (
  insert into /*p*/outbox (id, kind, recipient_hash, sealed)
  select m.id, m.kind, m.recipient_hash, m.sealed
  from jsonb_to_recordset($7::jsonb) as m (id uuid, kind text, recipient_hash text, sealed text)
), new_flow as (
  insert into /*p*/flow_states (id, authentication_method, code_challenge, code_challenge_method)
  select f.id, f.authentication_method, f.code_challenge, f.code_challenge_method
  from jsonb_to_recordset($8::jsonb)
    as f (id uuid, authentication_method text, code_challenge text, code_challenge_method text)
)
select id from new_token;

-- name: withdraw
-- A code that certainly reached nobody: it ends, and so does the wait for the next one.
-- $1 user id, or null
-- $2 kind
-- $3 code hash
with withdrawn as (
  delete from /*p*/one_time_tokens t
  where t.user_id is not distinct from $1::uuid and t.kind = $2 and t.code_hash = $3
  returning t.user_id
)
update /*p*/users u
set confirmation_sent_at = case when $2 = 'confirmation' then null else u.confirmation_sent_at end,
  phone_change_sent_at = case when $2 = 'phone_change' then null else u.phone_change_sent_at end,
  reauthentication_sent_at = case when $2 = 'reauthentication' then null else u.reauthentication_sent_at end
from withdrawn w
where u.id = w.user_id;

-- name: token_by_link
-- read
-- $1 link hash
select t.id, t.kind, t.recipient, t.code_hash, t.user_id, t.flow_state_id, t.sign_up,
  extract(epoch from now() - t.created_at)::float8 as age_seconds,
  true as is_right,
  coalesce(u.banned_until > now(), false) as is_banned,
  u.password_hash is null as lacks_password, u.invited_at is not null as is_invited,
  u.email, u.new_email, u.phone, u.new_phone, u.email_confirmed_at is not null as is_email_confirmed,
  u.email_change_confirmations, u.user_metadata ->> 'full_name' as full_name
from /*p*/one_time_tokens t left join /*p*/users u on u.id = t.user_id
where t.link_hash = $1 and (t.user_id is null or u.deleted_at is null);

-- name: try_code
-- Compares a code with every token it may belong to. Each wrong try is counted whatever happens next, and the tenth is
-- the last that is compared (decisions.md 16).
-- $1 recipient
-- $2 kinds
-- $3 hash of the code for each kind, in the same order
-- $4 audience
-- $5 most wrong tries
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
select t.id, t.kind, t.recipient, t.code_hash, t.user_id, t.flow_state_id, t.session_id, t.sign_up,
  extract(epoch from now() - t.created_at)::float8 as age_seconds,
  t.is_right,
  coalesce(u.banned_until > now(), false) as is_banned,
  u.password_hash is null as lacks_password, u.invited_at is not null as is_invited,
  u.email, u.new_email, u.phone, u.new_phone, u.email_confirmed_at is not null as is_email_confirmed,
  u.email_change_confirmations, u.user_metadata ->> 'full_name' as full_name
from tried t left join /*p*/users u on u.id = t.user_id
where t.is_right and (t.user_id is null or u.deleted_at is null);

-- name: spend
-- Uses a token up, once.
-- $1 token id
-- $2 code hash
delete from /*p*/one_time_tokens t where t.id = $1 and t.code_hash = $2 returning t.id;

-- name: redeem_confirmation
-- A confirmation, invitation, recovery or magic link, or a code sent to a phone: proves the address and signs in.
-- $1 token id
-- $2 code hash the token was found with
-- $3 what is proven: email or phone
-- $4 new password hash, or null
-- $5 authentication method of the session; null: PKCE, no session yet
-- $6 user agent
-- $7 ip
-- $8 hash of the auth code a PKCE flow hands out, or null
-- $9 audit entries, array
-- $10 whoever redeems it need not be who made the account: one whose address nobody had proven loses its password,
--     sessions and unverified identities (SEC-64)
with spent as (
  delete from /*p*/one_time_tokens t where t.id = $1 and t.code_hash = $2 returning t.user_id, t.flow_state_id
), unproven as (
  select u.id
  from spent s join /*p*/users u on u.id = s.user_id
  where $10::boolean and u.confirmed_at is null
), proven as (
  update /*p*/users u
  set email_confirmed_at = case when $3 = 'email' then coalesce(u.email_confirmed_at, now()) else u.email_confirmed_at end,
    phone_confirmed_at = case when $3 = 'phone' then coalesce(u.phone_confirmed_at, now()) else u.phone_confirmed_at end,
    user_metadata = case when $3 = 'email' then u.user_metadata || '{"email_verified": true}' else u.user_metadata end,
    password_hash = case when u.id in (select n.id from unproven n) then $4 else coalesce($4, u.password_hash) end,
    is_anonymous = false,
    last_sign_in_at = case when $5::text is null then u.last_sign_in_at else now() end,
    updated_at = now()
  from spent s
  where u.id = s.user_id and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
  returning u.*
), ended_tokens as (
  delete from /*p*/one_time_tokens t using proven u where t.user_id = u.id and t.id <> $1
), ended_sessions as (
  delete from /*p*/sessions o using unproven n where o.user_id = n.id
), dropped as (
  delete from /*p*/identities i
  using unproven n
  where i.user_id = n.id and i.provider not in ('email', 'phone') and not i.identity_data @> '{"email_verified": true}'
  returning i.id
), verified_identities as (
  update /*p*/identities i
  set identity_data = i.identity_data || '{"email_verified": true}', updated_at = now()
  from proven u
  where $3 = 'email' and i.user_id = u.id and i.email = u.email
    -- A statement must not both change and delete a row.
    and (i.provider in ('email', 'phone') or not exists (select from unproven n where n.id = i.user_id))
  returning i.*
), flow as (
  update /*p*/flow_states f
  set user_id = s.user_id, auth_code_hash = $8, auth_code_issued_at = now()
  from spent s
  where $8::text is not null and f.id = s.flow_state_id
), new_session as (
  insert into /*p*/sessions (user_id, amr, user_agent, ip)
  select u.id,
    jsonb_build_array(jsonb_build_object('method', $5::text, 'timestamp', extract(epoch from now())::bigint)),
    $6, $7::inet
  from proven u where $5::text is not null
  returning *
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from proven, jsonb_array_elements($9::jsonb) e
)
select row_to_json(u) as "user",
  (select json_agg(i order by i.created_at, i.id) from (
      select * from verified_identities
      union all
      select o.* from /*p*/identities o
      where o.user_id = u.id and o.id not in (select v.id from verified_identities v)
        and o.id not in (select d.id from dropped d)
    ) i) as identities,
  s.id as session_id, s.generation, s.aal, s.amr
from proven u left join new_session s on true;

-- name: redeem_sign_up
-- A pending sign-up: makes the account, confirmed. One made meanwhile is signed in to and confirmed; whoever set a
-- password on it before anybody proved the address loses it, and every session and unverified identity with it
-- (decisions.md 4, SEC-64).
-- $1 token id
-- $2 code hash the token was found with
-- $3 user id of a new account
-- $4 channel: email or phone
-- $5 role
-- $6 unusable password hash
-- $7 authentication method of the session; null: PKCE, no session yet
-- $8 user agent
-- $9 ip
-- $10 hash of the auth code a PKCE flow hands out, or null
-- $11 identity data
-- $12 user metadata
-- $13 audit entries, array
-- $14 provider of the identity: the channel, or where the person came from
-- $15 id of the person there; null: the user id
with spent as (
  delete from /*p*/one_time_tokens t where t.id = $1 and t.code_hash = $2
  returning t.recipient, t.flow_state_id, t.sign_up ->> 'audience' as audience
), holder as (
  select u.id, (case when $4 = 'email' then u.email_confirmed_at else u.phone_confirmed_at end) is null as is_unproven
  from spent s join /*p*/users u
    on case when $4 = 'email' then u.email = s.recipient else u.phone = s.recipient end
  where not u.is_sso_user
), taken_over as (
  update /*p*/users u
  set email_confirmed_at = case when $4 = 'email' then coalesce(u.email_confirmed_at, now()) else u.email_confirmed_at end,
    phone_confirmed_at = case when $4 = 'phone' then coalesce(u.phone_confirmed_at, now()) else u.phone_confirmed_at end,
    user_metadata = case when $4 = 'email' then u.user_metadata || '{"email_verified": true}' else u.user_metadata end,
    password_hash = case when h.is_unproven then $6 else u.password_hash end,
    app_metadata = case
      when h.is_unproven
        then u.app_metadata || jsonb_build_object('provider', $4::text, 'providers', jsonb_build_array($4::text))
      else u.app_metadata end,
    last_sign_in_at = case when $7::text is null then u.last_sign_in_at else now() end,
    updated_at = now()
  from holder h
  where u.id = h.id and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
  returning u.*
), ended_sessions as (
  delete from /*p*/sessions o using holder h where h.is_unproven and o.user_id = h.id
), ended_tokens as (
  delete from /*p*/one_time_tokens t using holder h where t.user_id = h.id and t.id <> $1
), dropped as (
  delete from /*p*/identities i
  using holder h
  where h.is_unproven and i.user_id = h.id and i.provider not in ('email', 'phone')
  returning i.id
), created as (
  insert into /*p*/users (id, aud, role, email, phone, email_confirmed_at, phone_confirmed_at, password_hash,
    app_metadata, user_metadata, last_sign_in_at)
  select $3, s.audience, $5,
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
  -- An account that came from a provider gets the identity of the address its owner has just proven.
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
      select o.* from /*p*/identities o where o.user_id = u.id and o.id not in (select d.id from dropped d)
    ) i) as identities,
  s.id as session_id, s.generation, s.aal, s.amr
from signed_in u left join new_session s on true;

-- name: confirm_email_change_side
-- The first of two sides agrees; the change waits for the other.
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

-- name: redeem_change
-- The new address or number takes effect, becomes an identity, and signs in. Every other code of the account ends.
-- $1 token id
-- $2 code hash the token was found with
-- $3 what changes: email or phone
-- $4 authentication method of the session; null: PKCE, no session yet
-- $5 user agent
-- $6 ip
-- $7 hash of the auth code a PKCE flow hands out, or null
-- $8 audit entries, array
with spent as (
  delete from /*p*/one_time_tokens t where t.id = $1 and t.code_hash = $2 returning t.user_id, t.flow_state_id
), changed as (
  update /*p*/users u
  set email = case when $3 = 'email' then u.new_email else u.email end,
    email_confirmed_at = case when $3 = 'email' then coalesce(u.email_confirmed_at, now()) else u.email_confirmed_at end,
    phone = case when $3 = 'phone' then u.new_phone else u.phone end,
    phone_confirmed_at = case when $3 = 'phone' then now() else u.phone_confirmed_at end,
    -- One change ends the other that is pending (SEC-40).
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
