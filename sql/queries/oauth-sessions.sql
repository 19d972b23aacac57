-- Sessions of clients, and their tokens.

-- name: end
-- A refresh token ends with its session.
-- $1 session id
-- $2 client id
-- $3 audit entries, array; the user is added to them
with ended as (
  delete from /*p*/sessions s where s.id = $1 and s.oauth_client_id = $2 returning s.user_id
), owner as (
  select u.id, u.email, u.phone from ended e join /*p*/users u on u.id = e.user_id
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value || jsonb_build_object('actor_id', o.id, 'actor_username', coalesce(nullif(o.phone, ''), o.email, ''))
  from owner o cross join jsonb_array_elements($3::jsonb) e
)
select o.id, o.email, o.phone from owner o;

-- name: revoke_access_tokens
-- Marks a session: its access tokens that were issued until then are revoked. No row: it has no such token, or the mark is
-- there already.
-- $1 session id
-- $2 client id
-- $3 when the token was issued, in seconds since the epoch
-- $4 audit entries, array; the user is added to them
with marked as (
  update /*p*/sessions s
  set tokens_revoked_at = to_timestamp($3::double precision)
  where s.id = $1 and s.oauth_client_id = $2 and s.revoked_at is null
    and (s.tokens_revoked_at is null or s.tokens_revoked_at < to_timestamp($3::double precision))
  returning s.user_id
), owner as (
  select u.id, u.email, u.phone from marked m join /*p*/users u on u.id = m.user_id
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value || jsonb_build_object('actor_id', o.id, 'actor_username', coalesce(nullif(o.phone, ''), o.email, ''))
  from owner o cross join jsonb_array_elements($4::jsonb) e
)
select o.id, o.email, o.phone from owner o;

-- name: revoked_access_token
-- Whether an access token of a session is revoked: then there is a row.
-- read
-- $1 session id
-- $2 when the token was issued, in seconds since the epoch
select true as is_revoked from /*p*/sessions s
where s.id = $1 and s.tokens_revoked_at >= to_timestamp($2::double precision);

-- name: active
-- The session of a token that may be active (RFC 7662). No row: session, user, client or consent has ended.
-- read
-- $1 session id
-- $2 maximum age of a session in seconds, or null
-- $3 maximum idle time of a session in seconds, or null
select s.user_id, s.oauth_client_id, s.generation, s.client, extract(epoch from s.not_after)::bigint as ends_at,
  extract(epoch from s.tokens_revoked_at)::bigint as tokens_revoked_at, s.organization_id
from /*p*/sessions s
join /*p*/users u on u.id = s.user_id
join /*p*/oauth_clients c on c.id = s.oauth_client_id
where s.id = $1 and s.revoked_at is null and (s.not_after is null or s.not_after > now())
  and ($2::double precision is null or s.created_at > now() - make_interval(secs => $2::double precision))
  and ($3::double precision is null
    or coalesce(s.refreshed_at, s.created_at) > now() - make_interval(secs => $3::double precision))
  and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now()) and c.deleted_at is null
  and (c.organization_id is null or c.organization_id = s.organization_id)
  and not exists (
    select from /*p*/oauth_consents k
    where k.user_id = s.user_id and k.client_id = s.oauth_client_id and k.revoked_at is not null);

-- name: end_of_user
-- The sessions of a client and a user. Call it with the account locked.
-- $1 user id
-- $2 client id
-- $3 audit entries, array
with ended as (
  delete from /*p*/sessions s where s.user_id = $1 and s.oauth_client_id = $2 returning s.id
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from jsonb_array_elements($3::jsonb) e where exists (select from ended)
)
select e.id from ended e;
