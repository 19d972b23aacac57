-- Passkeys. Statements that add or remove them run in a transaction that has locked the account (account-locks.sql).

-- name: use_challenge
-- Uses up a challenge. No row: it was used before.
-- $1 challenge id
-- $2 its end, seconds since the epoch
insert into /*p*/used_challenges (id, expires_at)
values ($1, to_timestamp($2::double precision))
on conflict (id) do nothing
returning id;

-- name: begin_sign_in
-- Uses up a challenge, and reads the passkey that is to sign in with it. No row: the challenge was used before. Without
-- passkey: there is none with this id.
-- $1 challenge id
-- $2 its end, seconds since the epoch
-- $3 credential id, or null
with used as (
  insert into /*p*/used_challenges (id, expires_at)
  values ($1, to_timestamp($2::double precision))
  on conflict (id) do nothing
  returning id
)
select p.id, p.user_id, p.public_key, p.sign_count, p.backup_eligible,
  u.email, u.phone, u.user_metadata ->> 'full_name' as full_name,
  u.email is not null and u.email_confirmed_at is null as is_email_unconfirmed,
  u.phone is not null and u.phone_confirmed_at is null as is_phone_unconfirmed,
  coalesce(u.banned_until > now(), false) as is_banned
from used
left join (/*p*/passkeys p join /*p*/users u on u.id = p.user_id and u.deleted_at is null)
  on p.credential_id = $3;

-- name: sign_in
-- A sign-in with a verified assertion: stores the use of the passkey and opens the session. No row: since the passkey was
-- read the account was banned or deleted, the passkey removed, or used with a counter that is not lower.
-- $1 passkey id
-- $2 user id
-- $3 signature counter of the assertion
-- $4 the credential is backed up
-- $5 a counter that did not rise is accepted
-- $6 level of the session: aal1 or aal2
-- $7 user agent
-- $8 ip
-- $9 audit entries, array
with signed_in as (
  update /*p*/users u
  set last_sign_in_at = now(), updated_at = now()
  where u.id = $2 and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
    and exists (
      select from /*p*/passkeys p
      where p.id = $1 and p.user_id = $2
        and ($5::boolean or p.sign_count < $3::bigint or p.sign_count = 0 and $3 = 0))
  returning *
), used as (
  update /*p*/passkeys p
  set sign_count = greatest(p.sign_count, $3), backed_up = $4, last_used_at = now()
  from signed_in u
  where p.id = $1 and p.user_id = u.id
    and ($5::boolean or p.sign_count < $3::bigint or p.sign_count = 0 and $3 = 0)
  returning p.id, p.user_id
), new_session as (
  insert into /*p*/sessions (user_id, aal, amr, second_factors, user_agent, ip)
  select p.user_id, $6::text,
    jsonb_build_array(jsonb_build_object('method', 'passkey', 'timestamp', extract(epoch from now())::bigint)),
    case when $6 = 'aal2' then jsonb_build_object('passkey', p.id) end,
    $7, $8::inet
  from used p
  returning *
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from used, jsonb_array_elements($9::jsonb) e
)
select row_to_json(u) as "user",
  (select json_agg(i order by i.created_at, i.id) from /*p*/identities i where i.user_id = u.id) as identities,
  s.id as session_id, s.generation, s.aal, s.amr
from signed_in u cross join new_session s;

-- name: list
-- Oldest first.
-- read
-- $1 user id
select p.id, p.friendly_name, p.created_at, p.last_used_at, p.credential_id
from /*p*/passkeys p
where p.user_id = $1
order by p.created_at, p.id;

-- name: add
-- Adds a passkey unless the user has as many as permitted. Without id: the credential is registered already.
-- $1 user id
-- $2 most passkeys of a user
-- $3 passkey id
-- $4 credential id
-- $5 public key
-- $6 format of the attestation
-- $7 aaguid
-- $8 signature counter
-- $9 transports, array
-- $10 backup eligible
-- $11 backed up
-- $12 name
-- $13 audit entries, array
with held as (
  select count(*) >= $2 as is_full from /*p*/passkeys p where p.user_id = $1
), added as (
  insert into /*p*/passkeys (id, user_id, credential_id, public_key, attestation_format, aaguid, sign_count, transports,
    backup_eligible, backed_up, friendly_name)
  select $3, $1, $4, $5, $6, $7, $8, $9, $10, $11, $12 from held h where not h.is_full
  on conflict (credential_id) do nothing
  returning *
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from added, jsonb_array_elements($13::jsonb) e
)
select h.is_full, a.id, a.friendly_name, a.created_at
from held h left join added a on true;

-- name: rename
-- $1 user id
-- $2 passkey id
-- $3 name
-- $4 audit entries, array
with renamed as (
  update /*p*/passkeys p
  set friendly_name = $3, updated_at = now()
  where p.id = $2 and p.user_id = $1
  returning *
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from renamed, jsonb_array_elements($4::jsonb) e
)
select r.id, r.friendly_name, r.created_at, r.last_used_at from renamed r;

-- name: remove
-- Sessions that the passkey opened at aal2 go back to aal1.
-- $1 user id
-- $2 passkey id
-- $3 audit entries, array
with removed as (
  delete from /*p*/passkeys p where p.id = $2 and p.user_id = $1 returning p.id, p.user_id
), lowered as (
  update /*p*/sessions s
  set second_factors = /*p*/without_factor(s.second_factors, r.id),
    aal = case when /*p*/without_factor(s.second_factors, r.id) is null then 'aal1' else s.aal end
  from removed r
  where s.user_id = r.user_id and s.second_factors @> jsonb_build_object('passkey', r.id)
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from removed, jsonb_array_elements($3::jsonb) e
)
select r.id from removed r;
