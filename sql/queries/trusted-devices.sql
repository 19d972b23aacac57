-- Devices that stand for a second factor at sign-in (docs/mfa.md, Trusted devices).

-- name: insert
-- Trusts a device, in the transaction of a verification, which locks the account. Expired ones go, and the oldest ones
-- beyond the maximum.
-- $1 id
-- $2 user id
-- $3 factor id
-- $4 name
-- $5 hash of the token
-- $6 seconds until it expires
-- $7 how many other ones the user may have
with dropped as (
  delete from /*p*/mfa_trusted_devices d
  where d.user_id = $2 and d.id not in (
    select o.id from /*p*/mfa_trusted_devices o
    where o.user_id = $2 and o.expires_at > now()
    order by o.created_at desc, o.id
    limit $7)
)
insert into /*p*/mfa_trusted_devices (id, user_id, factor_id, name, token_hash, expires_at)
values ($1, $2, $3, $4, $5, now() + make_interval(secs => $6::double precision))
returning id;

-- name: of_user
-- read
-- $1 user id
-- $2 id, or null: all
select d.id, d.name, d.factor_id, d.created_at, d.last_used_at, d.expires_at
from /*p*/mfa_trusted_devices d
where d.user_id = $1 and ($2::uuid is null or d.id = $2) and d.expires_at > now()
order by d.created_at, d.id;

-- name: remove
-- $1 user id
-- $2 id, or null: all
-- $3 audit entries, array
with removed as (
  delete from /*p*/mfa_trusted_devices d
  where d.user_id = $1 and ($2::uuid is null or d.id = $2)
  returning d.id
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from jsonb_array_elements($3::jsonb) e where exists (select from removed)
)
select r.id from removed r;

-- name: raise
-- Raises a session that this transaction has opened. Its time is that of the verification, so that it is not a recent one.
-- The session lists the factor, with whose removal it is lowered. No row: there is no such device.
-- $1 session id
-- $2 user id
-- $3 hashes that the token may have
with device as (
  update /*p*/mfa_trusted_devices d set last_used_at = now()
  from /*p*/mfa_factors f
  where d.token_hash = any($3::text[]) and d.user_id = $2 and d.expires_at > now()
    and f.id = d.factor_id and f.status = 'verified'
  returning d.factor_id, d.created_at
)
update /*p*/sessions s
set aal = 'aal2', second_factors = jsonb_build_object('mfa/trusted_device', d.factor_id),
  amr = s.amr || jsonb_build_array(jsonb_build_object(
    'method', 'mfa/trusted_device', 'timestamp', extract(epoch from d.created_at)::bigint))
from device d
where s.id = $1 and s.user_id = $2 and s.aal = 'aal1'
returning s.aal, s.amr;
