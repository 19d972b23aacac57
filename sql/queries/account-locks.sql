-- Statements that end sessions, or depend on state that another request may change, run in a transaction that locks the
-- row of the account first. A later statement sees what was committed during the wait. A single statement that locks
-- and deletes would use the snapshot of its start, and miss the session of a sign-in it waited for.

-- name: lock_user
-- $1 user id
select u.id from /*p*/users u where u.id = $1 for no key update;

-- name: lock_user_by_email
-- $1 email, lower case
select u.id from /*p*/users u where u.email = $1 and not u.is_sso_user for no key update;

-- name: lock_user_by_phone
-- $1 phone, digits
select u.id from /*p*/users u where u.phone = $1 and not u.is_sso_user for no key update;

-- name: end_flows
-- Ends unfinished flows that would sign in to the account or link to it: issued auth codes, pending provider flows, and
-- requests and codes of OAuth clients.
-- The row of a link stays, without its session, so that its callback can report the reason.
-- $1 user id
with ended_links as (
  update /*p*/flow_states f set linking_session_id = null
  where f.linking_target_id = $1 and f.linking_session_id is not null
), ended_authorizations as (
  delete from /*p*/oauth_authorizations a where a.user_id = $1 and a.status in ('pending', 'approved')
)
delete from /*p*/flow_states f where f.user_id = $1 and f.linking_target_id is null;

-- name: session
-- A session that is still valid, and how its second factors compare with those of its user.
-- $1 user id
-- $2 session id
select s.aal, f.has_factor, f.has_factor and s.aal = 'aal1' as needs_factor,
  (
    select extract(epoch from now())::double precision - max((e.value ->> 'timestamp')::double precision)
    from jsonb_array_elements(s.amr) e
    where s.second_factors ? (e.value ->> 'method')
  ) as factor_age_seconds
from /*p*/sessions s
join /*p*/users u on u.id = s.user_id
cross join lateral (select coalesce(u.factors @> '[{"status": "verified"}]', false) as has_factor) f
where s.id = $2 and s.user_id = $1 and s.revoked_at is null and (s.not_after is null or s.not_after > now());
