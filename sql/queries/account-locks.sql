-- Statements that end sessions, or depend on what another request may be changing, run in a transaction that locks the
-- row of the account first. Each statement after it sees what was committed while it waited: one statement that locked
-- and deleted would go by the sessions there were when it began, and miss that of a sign-in it waited for.

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
-- What has begun to sign in to the account, or to link to it, and is not over: auth codes that are out, and browsers that
-- are away at a provider. A link must say when it comes back that its session is gone, so its row stays, without one.
-- $1 user id
with ended_links as (
  update /*p*/flow_states f set linking_session_id = null
  where f.linking_target_id = $1 and f.linking_session_id is not null
)
delete from /*p*/flow_states f where f.user_id = $1 and f.linking_target_id is null;

-- name: session_lives
-- $1 user id
-- $2 session id
select s.id from /*p*/sessions s
where s.id = $2 and s.user_id = $1 and s.revoked_at is null and (s.not_after is null or s.not_after > now());
