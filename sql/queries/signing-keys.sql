-- Keys of access tokens. Changes run in transactions that take the lock first, so that each sees what the one before it did.

-- name: list
-- All keys, the oldest first: there are a handful.
select k.kid, k.alg, k.public_jwk, k.sealed, k.state, k.created_at, k.since, k.due_at, k.last_used_at,
  extract(epoch from now() - k.created_at)::float8 as age_seconds,
  extract(epoch from now() - k.since)::float8 as since_seconds,
  extract(epoch from k.due_at - now())::float8 as due_in_seconds
from /*p*/signing_keys k
order by k.created_at, k.kid;

-- name: take_lock
-- One change of the keys at a time.
select pg_advisory_xact_lock('/*p*/signing_keys'::regclass::oid::bigint);

-- name: add
-- No row: the kid is taken.
-- $1 kid
-- $2 algorithm
-- $3 public members as JSON
-- $4 sealed private key, or null
-- $5 state
-- $6 seconds until the state ends, or null
insert into /*p*/signing_keys (kid, alg, public_jwk, sealed, state, due_at)
values ($1, $2, $3::jsonb, $4, $5, now() + make_interval(secs => $6))
on conflict (kid) do nothing
returning kid;

-- name: move
-- A retired key loses its private part.
-- $1 kid
-- $2 state
-- $3 seconds until the state ends, or null
update /*p*/signing_keys
set state = $2, since = now(), due_at = now() + make_interval(secs => $3),
  sealed = case when $2 = 'retired' then null else sealed end
where kid = $1
returning kid;

-- name: note_use
-- $1 kids that verified a token
update /*p*/signing_keys set last_used_at = now()
where kid = any ($1::text[]) and (last_used_at is null or last_used_at < now() - interval '1 minute');

-- name: reseal
-- No row: the key has changed.
-- $1 kid
-- $2 sealed with the new key
-- $3 sealed as it was read
update /*p*/signing_keys set sealed = $2 where kid = $1 and sealed = $3 returning kid;

-- name: notify
-- $1 channel
-- $2 payload
select pg_notify($1, $2);
