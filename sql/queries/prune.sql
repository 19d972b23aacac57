-- What is of no use any more. Each statement deletes one batch and passes over rows that are in use just now. The batch is
-- an array, since Postgres would join a subquery whose length it cannot know by reading all of the table.

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
-- $10 age of a flow that began at a provider and has led to nothing
select
  (select count(*) from /*p*/one_time_tokens t
    where t.created_at < now() - make_interval(secs => case when t.recipient like '%@%'
      then $1::double precision else $2::double precision end)) as one_time_tokens,
  (select count(*) from /*p*/flow_states f
    where f.created_at < now() - make_interval(secs => case when f.provider <> '' and f.auth_code_hash is null
      then $10::double precision else $3::double precision end)) as flow_states,
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
-- $3 at most so many of each
with pruned as (
  delete from /*p*/one_time_tokens t
  where t.id = any (
      array(
        select m.id from /*p*/one_time_tokens m
        where m.recipient like '%@%' and m.created_at < now() - make_interval(secs => $1::double precision)
        order by m.created_at
        limit $3
        for update skip locked
      ) || array(
        select p.id from /*p*/one_time_tokens p
        where p.recipient not like '%@%' and p.created_at < now() - make_interval(secs => $2::double precision)
        order by p.created_at
        limit $3
        for update skip locked
      ))
  returning t.id
)
select count(*)::int as pruned from pruned;

-- name: flow_states
-- Strangers begin flows at providers as often as they like: those that have led to nothing stay for minutes, and of them
-- only the newest, so that a flood is bounded however fast it comes (SEC-88).
-- $1 age of a flow in seconds
-- $2 age of one that began at a provider and has led to nothing
-- $3 how many of these may stay
-- $4 at most so many of each
with pruned as (
  delete from /*p*/flow_states f
  where f.id = any (
      array(
        select o.id from /*p*/flow_states o
        where o.created_at < now() - make_interval(secs => $1::double precision)
        order by o.created_at
        limit $4
        for update skip locked
      ) || array(
        select w.id from /*p*/flow_states w
        where w.provider <> '' and w.auth_code_hash is null
          and w.created_at < greatest(now() - make_interval(secs => $2::double precision), (
            select n.created_at from /*p*/flow_states n
            where n.provider <> '' and n.auth_code_hash is null
            order by n.created_at desc
            offset $3 - 1
            limit 1
          ))
        order by w.created_at
        limit $4
        for update skip locked
      ))
  returning f.id
)
select count(*)::int as pruned from pruned;

-- name: sessions
-- Revoked ones, and those past their end, their greatest age or their greatest idle time.
-- $1 seconds since then
-- $2 greatest age of a session, or null
-- $3 greatest idle time of a session, or null
-- $4 at most so many
with pruned as (
  delete from /*p*/sessions s
  where s.id = any (array(
      select o.id from /*p*/sessions o
      where least(o.revoked_at, o.not_after,
          o.created_at + make_interval(secs => $2::double precision),
          coalesce(o.refreshed_at, o.created_at) + make_interval(secs => $3::double precision))
        < now() - make_interval(secs => $1::double precision)
      limit $4
      for update skip locked
    ))
  returning s.id
)
select count(*)::int as pruned from pruned;

-- name: outbox
-- Mails whose codes have long run out: left behind when mail was switched off.
-- $1 age in seconds
-- $2 at most so many
with pruned as (
  delete from /*p*/outbox b
  where b.id = any (array(
      select o.id from /*p*/outbox o
      where o.created_at < now() - make_interval(secs => $1::double precision)
      order by o.created_at
      limit $2
      for update skip locked
    ))
  returning b.id
)
select count(*)::int as pruned from pruned;

-- name: audit_log
-- $1 age in seconds
-- $2 at most so many
with pruned as (
  delete from /*p*/audit_log a
  where a.id = any (array(
      select o.id from /*p*/audit_log o
      where o.created_at < now() - make_interval(secs => $1::double precision)
      order by o.created_at
      limit $2
      for update skip locked
    ))
  returning a.id
)
select count(*)::int as pruned from pruned;
