-- Changes of accounts by operators. Ids are compared as UUID (SEC-58).

-- name: user
-- Any account, also when it is soft-deleted.
-- read
-- $1 user id
select row_to_json(u) as "user",
  (select json_agg(i order by i.created_at, i.id) from /*p*/identities i where i.user_id = u.id) as identities
from /*p*/users u
where u.id = $1;

-- name: id_taken
-- read
-- $1 user id
select exists (select from /*p*/users u where u.id = $1) as is_taken;

-- name: create_user
-- No row: the id or one of the addresses is taken.
-- $1 user id
-- $2 audience
-- $3 role
-- $4 email, or null
-- $5 phone, or null
-- $6 password hash, or null
-- $7 email is confirmed at once
-- $8 phone is confirmed at once
-- $9 app metadata
-- $10 user metadata
-- $11 seconds of a ban, or null
-- $12 identities, array of {provider, identity_data}
-- $13 audit entries, array
with new_user as (
  insert into /*p*/users (id, aud, role, email, phone, password_hash, email_confirmed_at, phone_confirmed_at,
    proven_email, proven_phone, app_metadata, user_metadata, banned_until)
  values ($1, $2, $3, $4::text, $5::text, $6,
    case when $7::boolean then now() end, case when $8::boolean then now() end,
    case when $7::boolean then $4::text end, case when $8::boolean then $5::text end,
    $9, $10, now() + make_interval(secs => $11::double precision))
  on conflict do nothing
  returning *
), origin as (
  insert into /*p*/account_origins (user_id, operator_set, operator_metadata)
  select u.id, '{password,email,phone}', u.user_metadata
  from new_user u
  where u.email is not null and u.email_confirmed_at is null or u.phone is not null and u.phone_confirmed_at is null
), new_identities as (
  -- A microsecond apart, since they are sorted by age.
  insert into /*p*/identities (user_id, provider, provider_id, identity_data, last_sign_in_at, created_at)
  select u.id, n.value ->> 'provider', u.id::text, n.value -> 'identity_data', now(),
    now() + (n.position - 1) * interval '1 microsecond'
  from new_user u, jsonb_array_elements($12::jsonb) with ordinality as n (value, position)
  returning *
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from new_user, jsonb_array_elements($13::jsonb) e
)
select row_to_json(u) as "user",
  (select json_agg(i order by i.created_at) from new_identities i) as identities
from new_user u;

-- name: update_user
-- Everything an operator may change. A null parameter leaves its column unchanged. A new password and a ban end every
-- session; a ban revokes them instead of deleting them, so that a refresh reports the ban (SEC-55). A new address,
-- password or confirmation ends every pending code (SEC-40).
-- $1 user id
-- $2 role
-- $3 email is confirmed now
-- $4 phone is confirmed now
-- $5 password hash
-- $6 email
-- $7 phone
-- $8 app metadata to merge, top level
-- $9 app metadata keys to drop
-- $10 user metadata to merge
-- $11 user metadata keys to drop
-- $12 the ban changes
-- $13 seconds of the ban, null for none
-- $14 identities of the addresses, array of {provider, identity_data}
-- $15 audit entries, array
with changed as (
  update /*p*/users u
  set role = coalesce($2, u.role),
    email_confirmed_at = case when $3::boolean then now() else u.email_confirmed_at end,
    phone_confirmed_at = case when $4::boolean then now() else u.phone_confirmed_at end,
    -- A new address that an operator confirms, or gives to a confirmed account, counts as proven. An address that the
    -- account had already may have come with a stranger's sessions and passkeys: to confirm it only vouches for it, and the
    -- first proof is still to come.
    proven_email = case
      when $6::text <> coalesce(u.email, '') and ($3::boolean or u.email_confirmed_at is not null) then $6
      else u.proven_email end,
    proven_phone = case
      when $7::text <> coalesce(u.phone, '') and ($4::boolean or u.phone_confirmed_at is not null) then $7
      else u.proven_phone end,
    vouched_email = case
      when $3::boolean and coalesce($6, u.email) = u.email and u.proven_email is distinct from u.email then u.email
      else u.vouched_email end,
    vouched_phone = case
      when $4::boolean and coalesce($7, u.phone) = u.phone and u.proven_phone is distinct from u.phone then u.phone
      else u.vouched_phone end,
    password_hash = coalesce($5, u.password_hash),
    confirmation_sent_at = case when $5::text is null then u.confirmation_sent_at end,
    recovery_sent_at = case when $5::text is null then u.recovery_sent_at end,
    reauthentication_sent_at = case when $5::text is null then u.reauthentication_sent_at end,
    email_change_sent_at = case when $5::text is null and $6::text is null then u.email_change_sent_at end,
    phone_change_sent_at = case when $5::text is null and $7::text is null then u.phone_change_sent_at end,
    email = coalesce($6, u.email),
    phone = coalesce($7, u.phone),
    new_email = case when $5::text is null and $6::text is null and $7::text is null then u.new_email end,
    new_phone = case when $5::text is null and $6::text is null and $7::text is null then u.new_phone end,
    email_change_confirmations = case
      when $5::text is null and $6::text is null and $7::text is null then u.email_change_confirmations else 0 end,
    app_metadata = (u.app_metadata || coalesce($8::jsonb, '{}')) - coalesce($9::text[], '{}'),
    user_metadata = (u.user_metadata || case when $3::boolean then '{"email_verified": true}'::jsonb else '{}' end
      || coalesce($10::jsonb, '{}')) - coalesce($11::text[], '{}'),
    banned_until = case
      when $12::boolean then now() + make_interval(secs => $13::double precision) else u.banned_until end,
    is_anonymous = u.is_anonymous and not ($3::boolean and $6::text is not null)
      and not ($4::boolean and $7::text is not null),
    updated_at = now()
  where u.id = $1 and u.deleted_at is null
  returning *
), origin as (
  -- Recorded as long as an address is unproven.
  insert into /*p*/account_origins as o (user_id, operator_set, operator_metadata)
  select u.id,
    array_remove(array[case when $5::text is not null then 'password' end,
      case when $3::boolean or $6::text <> coalesce(b.email, '') then 'email' end,
      case when $4::boolean or $7::text <> coalesce(b.phone, '') then 'phone' end], null),
    coalesce($10::jsonb, '{}')
  -- As it was before this statement.
  from changed u join /*p*/users b on b.id = u.id
  where (coalesce($5::text, $6::text, $7::text, $10::text) is not null or $3::boolean or $4::boolean)
    and (u.email is not null and u.proven_email is distinct from u.email
      or u.phone is not null and u.proven_phone is distinct from u.phone)
  on conflict (user_id) do update
  set operator_set = array(select distinct unnest(o.operator_set || excluded.operator_set)),
    operator_metadata = (o.operator_metadata || excluded.operator_metadata) - coalesce($11::text[], '{}')
), ended_sessions as (
  delete from /*p*/sessions s using changed u where $5::text is not null and s.user_id = u.id
), revoked_sessions as (
  update /*p*/sessions s
  set revoked_at = now(), ended_by_ban = true
  from changed u
  where $5::text is null and $12::boolean and $13::double precision > 0
    and s.user_id = u.id and s.revoked_at is null
), ended_tokens as (
  delete from /*p*/one_time_tokens t
  using changed u
  where t.user_id = u.id
    and ($3::boolean or $4::boolean or $5::text is not null or $6::text is not null or $7::text is not null)
), contact_identities as (
  insert into /*p*/identities (user_id, provider, provider_id, identity_data, last_sign_in_at)
  select u.id, n.provider, u.id::text, n.identity_data, now()
  from changed u, jsonb_to_recordset($14::jsonb) as n (provider text, identity_data jsonb)
  on conflict (provider, provider_id) do update
  set identity_data = /*p*/identities.identity_data || (excluded.identity_data - case
      when excluded.provider = 'email' then 'phone_verified' else 'email_verified' end),
    updated_at = now()
  returning *
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from changed, jsonb_array_elements($15::jsonb) e
)
select row_to_json(u) as "user",
  (select json_agg(i order by i.created_at, i.id) from (
      select * from contact_identities
      union all
      select o.* from /*p*/identities o where o.user_id = u.id and o.id not in (select c.id from contact_identities c)
    ) i) as identities
from changed u;

-- name: delete_user
-- With everything that belongs to it. The audit log is kept.
-- $1 user id
-- $2 audit entries, array
with deleted as (
  delete from /*p*/users u where u.id = $1 returning u.id
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from deleted, jsonb_array_elements($2::jsonb) e
)
select id from deleted;

-- name: soft_delete_user
-- The row stays without personal data. Addresses and provider ids become digests with a random salt, so that guesses
-- cannot be checked against them and others can use them.
-- $1 user id
-- $2 audit entries, array
with deleted as (
  update /*p*/users u
  set email = translate(encode(sha256(convert_to(gen_random_uuid() || coalesce(u.email, ''), 'utf8')), 'base64'),
      '+/=', '-_'),
    phone = left(translate(encode(sha256(convert_to(gen_random_uuid() || coalesce(u.phone, ''), 'utf8')), 'base64'),
      '+/=', '-_'), 15),
    proven_email = null, proven_phone = null, vouched_email = null, vouched_phone = null,
    password_hash = null, new_email = null, new_phone = null, email_change_confirmations = 0,
    confirmation_sent_at = null, recovery_sent_at = null, email_change_sent_at = null, phone_change_sent_at = null,
    reauthentication_sent_at = null,
    app_metadata = '{}', user_metadata = '{}', deleted_at = now(), updated_at = now()
  where u.id = $1 and u.deleted_at is null
  returning u.id
), digested_identities as (
  update /*p*/identities i
  set identity_data = '{}', updated_at = now(),
    provider_id = translate(encode(sha256(convert_to(gen_random_uuid() || i.provider_id, 'utf8')), 'base64'),
      '+/=', '-_')
  from deleted d
  where i.user_id = d.id
), ended_sessions as (
  delete from /*p*/sessions s using deleted d where s.user_id = d.id
), ended_factors as (
  delete from /*p*/mfa_factors f using deleted d where f.user_id = d.id
), ended_passkeys as (
  delete from /*p*/passkeys p using deleted d where p.user_id = d.id
), ended_tokens as (
  delete from /*p*/one_time_tokens t using deleted d where t.user_id = d.id
), ended_flows as (
  delete from /*p*/flow_states f using deleted d where f.user_id = d.id or f.linking_target_id = d.id
), waiting_mails as (
  delete from /*p*/outbox o using deleted d where o.user_id = d.id
), ended_notes as (
  delete from /*p*/user_notes n using deleted d where n.user_id = d.id
), ended_memberships as (
  delete from /*p*/organization_members m using deleted d where m.user_id = d.id
), ended_provisioning as (
  delete from /*p*/scim_users s using deleted d where s.user_id = d.id
), ended_groups as (
  delete from /*p*/scim_group_members g using deleted d where g.user_id = d.id
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from deleted, jsonb_array_elements($2::jsonb) e
)
select id from deleted;

-- name: issue_link
-- A link requested by an operator: its token and time stamp; nothing is sent. Older links of its kind end, as do those
-- of a pending change to another address (SEC-40).
-- $1 user id
-- $2 one-time tokens, array of {kind, recipient, link_hash, code_hash}
-- $3 columns of the account that are set to the time, array
-- $4 user metadata to merge, or null
-- $5 user metadata keys to drop, or null
-- $6 new email, or null
-- $7 audit entries, array
-- $8 the request has another password than the account
with before as (
  select u.id, u.new_email from /*p*/users u where u.id = $1 and u.deleted_at is null for no key update
), changed as (
  update /*p*/users u
  set confirmation_sent_at = case when 'confirmation_sent_at' = any ($3::text[]) then now() else u.confirmation_sent_at end,
    invited_at = case when 'invited_at' = any ($3) then now() else u.invited_at end,
    recovery_sent_at = case when 'recovery_sent_at' = any ($3) then now() else u.recovery_sent_at end,
    email_change_sent_at = case when 'email_change_sent_at' = any ($3) then now() else u.email_change_sent_at end,
    email_change_confirmations = case when 'email_change_sent_at' = any ($3) then 0 else u.email_change_confirmations end,
    new_email = coalesce($6, u.new_email),
    user_metadata = (u.user_metadata || coalesce($4::jsonb, '{}')) - coalesce($5::text[], '{}'),
    updated_at = now()
  from before b
  where u.id = b.id
  returning u.*
), ended_tokens as (
  delete from /*p*/one_time_tokens t
  using before b
  where $6::text is not null and b.new_email is distinct from $6 and t.user_id = b.id
    and t.kind in ('email_change_current', 'email_change_new')
    and t.kind not in (select n.kind from jsonb_to_recordset($2::jsonb) as n (kind text))
), new_tokens as (
  insert into /*p*/one_time_tokens (user_id, kind, recipient, link_hash, code_hash)
  select u.id, t.kind, t.recipient, t.link_hash, t.code_hash
  from changed u, jsonb_to_recordset($2::jsonb) as t (kind text, recipient text, link_hash text, code_hash text)
  on conflict (user_id, kind) where user_id is not null do update
  set recipient = excluded.recipient, link_hash = excluded.link_hash, code_hash = excluded.code_hash,
    flow_state_id = null, session_id = null, wrong_tries = 0, created_at = now()
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from changed, jsonb_array_elements($7::jsonb) e
), origin as (
  insert into /*p*/account_origins as o (user_id, is_contested, operator_metadata)
  select u.id, $8::boolean, coalesce($4::jsonb, '{}')
  from changed u
  where ($8::boolean or $4::text is not null) and u.proven_email is distinct from u.email
  on conflict (user_id) do update
  set is_contested = o.is_contested or excluded.is_contested,
    operator_metadata = (o.operator_metadata || excluded.operator_metadata) - coalesce($5::text[], '{}')
)
select row_to_json(u) as "user",
  (select json_agg(i order by i.created_at, i.id) from /*p*/identities i where i.user_id = u.id) as identities
from changed u;
