-- Changes of an account when one of its addresses is proven for the first time. Each runs in a transaction that has
-- locked the account (account-locks.sql).

-- name: state
-- The state that the decision needs.
-- $1 user id
-- $2 channel of the address: email or phone
select
  case when $2::text = 'email' then u.email else u.phone end as address,
  (case when $2::text = 'email' then u.email_confirmed_at else u.phone_confirmed_at end) is not null as is_confirmed,
  case when $2::text = 'email' then u.email is null or u.proven_email is distinct from u.email
    else u.phone is null or u.proven_phone is distinct from u.phone end as is_unproven,
  coalesce(case when $2::text = 'email' then u.vouched_email = u.email else u.vouched_phone = u.phone end, false)
    as is_vouched,
  coalesce(case when $2::text = 'email' then u.phone in (u.proven_phone, u.vouched_phone)
    else u.email in (u.proven_email, u.vouched_email) end, false) as is_proven_otherwise,
  u.invited_at is not null as is_invited,
  coalesce(o.is_contested, false) as is_contested,
  coalesce($2::text = any(o.operator_set), false) as is_operators_address
from /*p*/users u left join /*p*/account_origins o on o.user_id = u.id
where u.id = $1 and u.deleted_at is null;

-- name: strip
-- Removes from the account what was added without a proof: password, sessions, identities, passkeys, unverified second
-- factors, trusted devices, codes, flows, consents, changes under way and other unproven addresses, and the metadata unless the
-- address was confirmed.
-- Keeps what an operator set or imported, and verified second factors: they protect the data of a user who has mistyped the
-- address. Returns what was removed.
-- $1 user id
-- $2 channel of the address
-- $3 one-time token that proves it and is kept for its redemption, or null
-- $4 flow of the proof, or null
-- $5 provider of the identity that proves it, or null
-- $6 its subject
-- $7 audience of the request, which the account gets; null: unchanged
with account as (
  select u.id,
    -- By autoconfirm: nobody has proven it.
    (case when $2::text = 'email' then u.email_confirmed_at else u.phone_confirmed_at end) is not null as was_confirmed,
    u.password_hash is not null and not 'password' = any(coalesce(o.operator_set, '{}')) as loses_password,
    u.phone is not null and $2 = 'email' and u.proven_phone is distinct from u.phone
      and not 'phone' = any(coalesce(o.operator_set, '{}')) as loses_phone,
    u.email is not null and $2 = 'phone' and u.proven_email is distinct from u.email
      and not 'email' = any(coalesce(o.operator_set, '{}')) as loses_email,
    coalesce(o.operator_set, '{}') as operator_set,
    coalesce(o.operator_metadata, '{}') as operator_metadata,
    coalesce(o.operator_identities, '{}') as operator_identities,
    exists (select from /*p*/one_time_tokens t where t.id = $3::uuid and t.kind like '%change%') as is_change
  from /*p*/users u left join /*p*/account_origins o on o.user_id = u.id
  where u.id = $1
), dropped as (
  select i.id, i.provider
  from account a join /*p*/identities i on i.user_id = a.id
  where not i.id = any(a.operator_identities)
    and not (i.provider = coalesce($5, '') and i.provider_id = coalesce($6, ''))
    -- The identity of the proven address is removed if a provider has proven it, unless it has an operator's password.
    and not (i.provider = $2 and ($5::text is null or 'password' = any(a.operator_set)))
    and not (i.provider <> $2 and i.provider in ('email', 'phone') and i.provider = any(a.operator_set))
), dropped_identities as (
  delete from /*p*/identities i using dropped d where i.id = d.id
), left_over as (
  select array_agg(p.provider order by p.since) as names
  from (
    select i.provider, min(i.created_at) as since
    from /*p*/identities i
    where i.user_id = $1 and i.id not in (select d.id from dropped d)
    group by i.provider
  ) p
), ended_sessions as (
  delete from /*p*/sessions s using account a where s.user_id = a.id returning s.id
), dropped_factors as (
  delete from /*p*/mfa_factors f using account a
  where f.user_id = a.id and f.status <> 'verified' and not 'factors' = any(a.operator_set)
), ended_trust as (
  delete from /*p*/mfa_trusted_devices d using account a where d.user_id = a.id
), dropped_passkeys as (
  delete from /*p*/passkeys p using account a where p.user_id = a.id and not 'passkey' = any(a.operator_set)
  returning p.id
), ended_consents as (
  update /*p*/oauth_consents k set revoked_at = now() from account a where k.user_id = a.id and k.revoked_at is null
), ended_requests as (
  delete from /*p*/oauth_authorizations r using account a where r.user_id = a.id
), ended_tokens as (
  delete from /*p*/one_time_tokens t using account a where t.user_id = a.id and t.id is distinct from $3::uuid
), ended_flows as (
  delete from /*p*/flow_states f
  using account a
  where (f.user_id = a.id or f.linking_target_id = a.id) and f.id is distinct from $4::uuid
), settled as (
  update /*p*/account_origins o set is_contested = false from account a where o.user_id = a.id
)
update /*p*/users u
set aud = case when $7::text is null or $2 = any(a.operator_set) or a.was_confirmed then u.aud else $7 end,
  password_hash = case when not a.loses_password then u.password_hash end,
  email = case when not a.loses_email then u.email end,
  email_confirmed_at = case when not a.loses_email then u.email_confirmed_at end,
  phone = case when not a.loses_phone then u.phone end,
  phone_confirmed_at = case when not a.loses_phone then u.phone_confirmed_at end,
  -- A change of this channel stays pending for the statement that applies it, if its own code is the proof.
  new_email = case when $2 = 'email' and a.is_change then u.new_email end,
  new_phone = case when $2 = 'phone' and a.is_change then u.new_phone end,
  email_change_confirmations = case when $2 = 'email' and a.is_change then u.email_change_confirmations else 0 end,
  user_metadata = case when a.was_confirmed then u.user_metadata else (
    -- The members that this server writes itself, as far as they exist.
    select coalesce(jsonb_object_agg(m.key, m.value), '{}')
    from jsonb_each(jsonb_build_object('sub', u.id, 'email', u.email, 'email_verified', u.email_confirmed_at is not null,
      'phone_verified', u.phone_confirmed_at is not null)) m
    where u.user_metadata ? m.key
  ) || a.operator_metadata end,
  app_metadata = u.app_metadata || case
    when l.names is null then '{}'
    else jsonb_build_object('provider', l.names[1], 'providers', to_jsonb(l.names)) end,
  updated_at = now()
from account a, left_over l
where u.id = a.id
returning a.was_confirmed, a.loses_password as password, a.loses_email or a.loses_phone as other_address,
  (select count(*)::int from ended_sessions) as sessions, (select count(*)::int from dropped_passkeys) as passkeys,
  (select count(*)::int from dropped d where d.provider <> $2) as identities;

-- name: release
-- Removes an unproven address from an account that is proven by the other channel: it belongs to someone else.
-- $1 user id
-- $2 channel
-- $3 address
-- $4 one-time token that proves it and is kept for its redemption, or null
with released as (
  update /*p*/users u
  set email = case when $2::text = 'email' then null else u.email end,
    phone = case when $2::text = 'phone' then null else u.phone end,
    email_confirmed_at = case when $2::text = 'email' then null else u.email_confirmed_at end,
    phone_confirmed_at = case when $2::text = 'phone' then null else u.phone_confirmed_at end,
    confirmation_sent_at = null,
    user_metadata = case
      when $2::text = 'email' then u.user_metadata - '{email,email_verified}'::text[]
      else u.user_metadata - '{phone,phone_verified}'::text[] end,
    updated_at = now()
  where u.id = $1
    and case
      when $2::text = 'email' then u.email = $3 and u.proven_email is distinct from u.email
      else u.phone = $3 and u.proven_phone is distinct from u.phone end
  returning u.id
), ended_tokens as (
  delete from /*p*/one_time_tokens t
  using released r
  where t.user_id = r.id and t.recipient = $3 and t.id is distinct from $4::uuid
), dropped as (
  delete from /*p*/identities i using released r where i.user_id = r.id and i.provider = $2
)
select r.id from released r;

-- name: drop_other_address
-- Removes the other channel's address from an account unless it is confirmed or set by an operator.
-- $1 user id
-- $2 channel of the address
with account as (
  select u.id,
    case when $2::text = 'email' then u.phone else u.email end as address
  from /*p*/users u left join /*p*/account_origins o on o.user_id = u.id
  where u.id = $1
    and case when $2::text = 'email' then u.phone_confirmed_at else u.email_confirmed_at end is null
    and not (case when $2::text = 'email' then 'phone' else 'email' end) = any(coalesce(o.operator_set, '{}'))
), ended_tokens as (
  delete from /*p*/one_time_tokens t using account a where t.user_id = a.id and t.recipient = a.address
), dropped as (
  delete from /*p*/identities i
  using account a
  where i.user_id = a.id and i.provider = case when $2::text = 'email' then 'phone' else 'email' end
)
update /*p*/users u
set email = case when $2::text = 'phone' then null else u.email end,
  phone = case when $2::text = 'email' then null else u.phone end,
  user_metadata = case when $2::text = 'phone' then u.user_metadata - '{email,email_verified}'::text[]
    else u.user_metadata end
from account a
where u.id = a.id and a.address is not null
returning u.id;
