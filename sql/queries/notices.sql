-- Notices of account changes.

-- name: meet_device
-- Notes a device of an account. The first one of an account is not new: there is nothing to compare it with.
-- $1 user id
-- $2 device
with noted as (
  insert into /*p*/known_devices (user_id, device)
  values ($1, $2)
  on conflict (user_id, device) do nothing
  returning device
)
select exists (select from noted)
  and exists (select from /*p*/known_devices k where k.user_id = $1 and k.device <> $2) as is_new;

-- name: meet_leaked_password
-- Notes that a notice about a leaked password is sent. No row: that was done before, the password is another by now, or there is
-- no address or number to tell it to. A sign-in that renewed the hash of a password keeps what is noted of it.
-- $1 user id
-- $2 password hash that was checked
-- $3 the hash that is stored now
with before as (
  select l.password_digest from /*p*/leak_notices l where l.user_id = $1
), noted as (
  insert into /*p*/leak_notices as l (user_id, password_digest)
  select u.id, sha256(convert_to(u.password_hash, 'UTF8')) from /*p*/users u
  where u.id = $1 and u.password_hash = $3
    and (u.email_confirmed_at is not null or u.phone_confirmed_at is not null)
  on conflict (user_id) do update set password_digest = excluded.password_digest, noticed_at = now()
  where l.password_digest <> excluded.password_digest
  returning l.user_id
)
select u.email, u.email_confirmed_at, u.phone, u.phone_confirmed_at, u.user_metadata
from /*p*/users u
where u.id = $1 and exists (select from noted)
  and sha256(convert_to($2, 'UTF8')) is distinct from (select b.password_digest from before b);

-- name: offer_undo
-- A link that takes the old address back, in the transaction of the change. Expired ones are deleted here, more than are
-- added.
-- $1 user id
-- $2 the old address
-- $3 hash of the link's token
-- $4 seconds it is valid
with expired as (
  delete from /*p*/address_undos a
  where a.link_hash = any (array(
      select o.link_hash from /*p*/address_undos o
      where o.created_at < now() - make_interval(secs => $4::double precision)
      order by o.created_at
      limit 100
      for update skip locked
    ))
)
insert into /*p*/address_undos (user_id, email, link_hash) values ($1, $2, $3);

-- name: end_undos
-- An administrator has set the address.
-- $1 user id
delete from /*p*/address_undos a where a.user_id = $1;

-- name: find_undo
-- read
-- $1 hash of the link's token
-- $2 seconds it is valid
select a.user_id, a.email, u.email as current_email, u.email_confirmed_at is not null as is_current_confirmed,
  u.phone, u.phone_confirmed_at is not null as is_phone_confirmed, u.user_metadata, coalesce(u.banned_until > now(), false) as is_banned
from /*p*/address_undos a join /*p*/users u on u.id = a.user_id
where a.link_hash = $1 and a.created_at > now() - make_interval(secs => $2::double precision) and u.deleted_at is null;

-- name: undo_email
-- Takes the old address back: every way to sign in that the other side may know ends: the password, all
-- sessions and codes, and phone numbers, identities, second factors and passkeys that were added since. Links of later
-- changes end, earlier ones stay. Runs in a transaction that has locked the account (account-locks.sql), which is rolled
-- back if there is no row:
-- the link was used, or the account is banned.
-- $1 hash of the link's token
-- $2 user id
-- $3 seconds it is valid
-- $4 user agent
-- $5 ip
-- $6 audit entries, array
with spent as (
  delete from /*p*/address_undos a
  where a.link_hash = $1 and a.user_id = $2 and a.created_at > now() - make_interval(secs => $3::double precision)
  returning a.user_id, a.email, a.created_at as since
), ended_undos as (
  delete from /*p*/address_undos a using spent s
  where a.user_id = s.user_id and a.created_at >= s.since and a.link_hash <> $1
), gone as (
  select i.id
  from spent s join /*p*/users u on u.id = s.user_id join /*p*/identities i on i.user_id = u.id
  where i.provider <> 'email' and i.created_at >= s.since
    or i.provider = 'phone' and u.phone_confirmed_at >= s.since
), dropped_identities as (
  delete from /*p*/identities i using gone g where i.id = g.id
), dropped_factors as (
  delete from /*p*/mfa_factors f using spent s where f.user_id = s.user_id and f.updated_at >= s.since
), dropped_passkeys as (
  delete from /*p*/passkeys p using spent s where p.user_id = s.user_id and p.created_at >= s.since
), left_over as (
  select array_agg(p.provider order by p.since) as names
  from (
    select i.provider, min(i.created_at) as since
    from /*p*/identities i
    where i.user_id = $2 and i.provider <> 'email' and i.id not in (select g.id from gone g)
    group by i.provider
    union all
    select 'email', coalesce(
      (select min(i.created_at) from /*p*/identities i where i.user_id = $2 and i.provider = 'email'), now())
  ) p
), changed as (
  update /*p*/users u
  set email = s.email, email_confirmed_at = now(),
    -- If an operator had vouched for it, its owner's first proof is still to come.
    proven_email = case when u.vouched_email = s.email then null else s.email end,
    phone = case when u.phone_confirmed_at >= s.since then null else u.phone end,
    phone_confirmed_at = case when u.phone_confirmed_at >= s.since then null else u.phone_confirmed_at end,
    password_hash = null, new_email = null, new_phone = null, email_change_confirmations = 0,
    confirmation_sent_at = null, recovery_sent_at = null, email_change_sent_at = null, phone_change_sent_at = null,
    reauthentication_sent_at = null,
    user_metadata = u.user_metadata || jsonb_build_object('email', s.email, 'email_verified', true),
    app_metadata = u.app_metadata || jsonb_build_object('provider', l.names[1], 'providers', to_jsonb(l.names)),
    last_sign_in_at = now(), updated_at = now()
  from spent s, left_over l
  where u.id = s.user_id and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
  returning u.*
), ended_sessions as (
  delete from /*p*/sessions s using changed u where s.user_id = u.id
), ended_tokens as (
  delete from /*p*/one_time_tokens t using changed u where t.user_id = u.id
), email_identity as (
  insert into /*p*/identities (user_id, provider, provider_id, identity_data, last_sign_in_at)
  select u.id, 'email', u.id::text,
    jsonb_build_object('sub', u.id, 'email', u.email, 'email_verified', true, 'phone_verified', false), now()
  from changed u
  on conflict (provider, provider_id) do update
  set identity_data = /*p*/identities.identity_data
      || jsonb_build_object('email', excluded.identity_data -> 'email', 'email_verified', true),
    updated_at = now()
  returning *
), new_session as (
  insert into /*p*/sessions (user_id, amr, user_agent, ip)
  select u.id,
    jsonb_build_array(jsonb_build_object('method', 'otp', 'timestamp', extract(epoch from now())::bigint)),
    $4, $5::inet
  from changed u
  returning *
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from changed, jsonb_array_elements($6::jsonb) e
)
select row_to_json(u) as "user",
  (select json_agg(i order by i.created_at, i.id) from (
      select * from email_identity
      union all
      select o.* from /*p*/identities o
      where o.user_id = u.id and o.provider <> 'email' and o.id not in (select g.id from gone g)
    ) i) as identities,
  (select jsonb_agg(/*p*/factor_summary(f) order by f.created_at, f.id)
    from /*p*/mfa_factors f, spent s where f.user_id = u.id and f.updated_at < s.since) as factors,
  s.id as session_id, s.generation, s.aal, s.amr
from changed u join new_session s on true;
