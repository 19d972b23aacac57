-- The refresh grant as most servers write it: six round trips to the database in an explicit transaction. Same tables,
-- effect and data as sessions.redeem_refresh_token for a server without caches. The bench compares with it; no server runs
-- it.

-- name: begin
begin;

-- name: session
-- $1 session id
-- $2 generation the token carries
select s.id as session_id, s.user_id, s.generation, s.aal, s.amr, s.created_at as session_created_at
from /*p*/sessions s
where s.id = $1 and s.generation = $2 and s.revoked_at is null and (s.not_after is null or s.not_after > now())
for no key update;

-- name: user
-- $1 user id
select u.id, u.aud, u.role, u.email, u.email_confirmed_at, u.invited_at, u.phone, u.phone_confirmed_at,
  u.confirmation_sent_at, u.confirmed_at, u.recovery_sent_at, u.new_email, u.email_change_sent_at, u.new_phone,
  u.phone_change_sent_at, u.reauthentication_sent_at, u.last_sign_in_at, u.app_metadata, u.user_metadata,
  u.created_at, u.updated_at, u.banned_until, u.deleted_at, u.is_anonymous, u.is_sso_user
from /*p*/users u
where u.id = $1 and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now());

-- name: rotate
-- $1 session id
-- $2 user agent
-- $3 ip
update /*p*/sessions s
set generation = s.generation + 1, refreshed_at = now(), user_agent = $2, ip = $3::inet
where s.id = $1;

-- name: identities
-- $1 user id
select i.id as identity_id, i.provider_id as id, i.user_id, i.identity_data, i.provider, i.last_sign_in_at,
  i.created_at, i.updated_at, i.email
from /*p*/identities i
where i.user_id = $1
order by i.created_at, i.id;

-- name: commit
commit;
