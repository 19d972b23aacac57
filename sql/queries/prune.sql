-- What is of no use any more. Each statement deletes one batch and passes over rows that are in use just now.

-- name: count
-- How much there is of everything, for a look before the deed. The parameters are those of the deeds.
-- read
-- $1 age of a mailed code in seconds
-- $2 age of a texted code
-- $3 age of a flow
-- $4 age of a revoked or ended session
-- $5 greatest age of a session, or null
-- $6 greatest idle time of a session, or null
-- $7 age of a mail
-- $8 age of a counter
-- $9 age of an audit entry, or null to keep all
select
  (select count(*) from /*p*/one_time_tokens t
    where t.created_at < now() - make_interval(secs => case when t.recipient like '%@%'
      then $1::double precision else $2::double precision end)) as one_time_tokens,
  (select count(*) from /*p*/flow_states f
    where f.created_at < now() - make_interval(secs => $3::double precision)) as flow_states,
  (select count(*) from /*p*/sessions s
    where least(s.revoked_at, s.not_after,
        s.created_at + make_interval(secs => $5::double precision),
        coalesce(s.refreshed_at, s.created_at) + make_interval(secs => $6::double precision))
      < now() - make_interval(secs => $4::double precision)) as sessions,
  (select count(*) from /*p*/outbox o
    where o.created_at < now() - make_interval(secs => $7::double precision)) as outbox,
  (select count(*) from /*p*/rate_counters c
    where c.updated_at < now() - make_interval(secs => $8::double precision)) as rate_counters,
  (select count(*) from /*p*/audit_log a
    where a.created_at < now() - make_interval(secs => $9::double precision)) as audit_log;

-- name: one_time_tokens
-- $1 age of a mailed code in seconds
-- $2 age of a texted code
-- $3 at most so many
with old as (
  select t.id from /*p*/one_time_tokens t
  where t.created_at < now() - make_interval(secs => case when t.recipient like '%@%'
    then $1::double precision else $2::double precision end)
  limit $3
  for update skip locked
), pruned as (
  delete from /*p*/one_time_tokens t using old o where t.id = o.id returning t.id
)
select count(*)::int as pruned from pruned;

-- name: flow_states
-- $1 age in seconds
-- $2 at most so many
with old as (
  select f.id from /*p*/flow_states f
  where f.created_at < now() - make_interval(secs => $1::double precision)
  limit $2
  for update skip locked
), pruned as (
  delete from /*p*/flow_states f using old o where f.id = o.id returning f.id
)
select count(*)::int as pruned from pruned;

-- name: sessions
-- Revoked ones, and those past their end, their greatest age or their greatest idle time.
-- $1 seconds since then
-- $2 greatest age of a session, or null
-- $3 greatest idle time of a session, or null
-- $4 at most so many
with old as (
  select s.id from /*p*/sessions s
  where least(s.revoked_at, s.not_after,
      s.created_at + make_interval(secs => $2::double precision),
      coalesce(s.refreshed_at, s.created_at) + make_interval(secs => $3::double precision))
    < now() - make_interval(secs => $1::double precision)
  limit $4
  for update skip locked
), pruned as (
  delete from /*p*/sessions s using old o where s.id = o.id returning s.id
)
select count(*)::int as pruned from pruned;

-- name: outbox
-- Mails whose codes have long run out: left behind when mail was switched off.
-- $1 age in seconds
-- $2 at most so many
with old as (
  select o.id from /*p*/outbox o
  where o.created_at < now() - make_interval(secs => $1::double precision)
  limit $2
  for update skip locked
), pruned as (
  delete from /*p*/outbox b using old o where b.id = o.id returning b.id
)
select count(*)::int as pruned from pruned;

-- name: audit_log
-- $1 age in seconds
-- $2 at most so many
with old as (
  select a.id from /*p*/audit_log a
  where a.created_at < now() - make_interval(secs => $1::double precision)
  limit $2
  for update skip locked
), pruned as (
  delete from /*p*/audit_log a using old o where a.id = o.id returning a.id
)
select count(*)::int as pruned from pruned;
