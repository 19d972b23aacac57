-- Mails and texts between the commit of their token and their acceptance by a mail server, gateway or hook. `attempts` is
-- the fencing token: every claim increments it, and a sender that lost its claim can change nothing.

-- name: claim
-- Claims messages that are due. Until the claim expires no other sender takes them, nor any message whose DATA has started.
-- $1 maximum number of rows
-- $2 seconds the claim lasts
-- $3 seconds after its commit in which a message is still sent
-- $4 the same for a notice, which has no code that expires
-- $5 texts, or else mails
with due as (
  select o.id from /*p*/outbox o
  where o.is_text = $5 and o.next_attempt_at <= now() and o.data_started_at is null
    and (o.claimed_until is null or o.claimed_until <= now())
    and o.created_at > now() - make_interval(secs => case when o.kind like '%\_notification'
      then $4::double precision else $3::double precision end)
  order by o.next_attempt_at
  limit $1
  for update skip locked
)
update /*p*/outbox o
set attempts = o.attempts + 1, claimed_until = now() + make_interval(secs => $2)
from due
where o.id = due.id
returning o.id, o.user_id, o.kind, o.sealed, o.attempts, o.next_attempt_at > o.created_at as has_failed,
  extract(epoch from now() - o.created_at)::float8 as age_seconds;

-- name: start_data
-- The point of no return: after the mail server has accepted DATA, and before the first byte; before the call of a gateway.
-- No row: the message was replaced by a newer one or claimed by another sender, and must not be sent.
-- $1 id
-- $2 attempts, as claimed
update /*p*/outbox set data_started_at = now()
where id = $1 and attempts = $2 and data_started_at is null
returning id;

-- name: finish
-- The message was accepted, or sending was given up.
-- $1 id
-- $2 attempts, as claimed
delete from /*p*/outbox where id = $1 and attempts = $2;

-- name: put_back
-- The attempt failed, and the message was certainly not accepted.
-- $1 id
-- $2 attempts, as claimed
-- $3 seconds until the next attempt
-- $4 step at which it failed, or null
-- $5 why
update /*p*/outbox
set next_attempt_at = greatest(now() + make_interval(secs => $3), created_at + interval '1 microsecond'),
  claimed_until = null, data_started_at = null, failed_stage = $4, failure = $5
where id = $1 and attempts = $2;

-- name: give_up
-- The message is not sent again. Operators see for a week why.
-- $1 id
-- $2 attempts, as claimed
-- $3 reason: refused, expired or unknown
-- $4 step at which the last attempt failed, or null
-- $5 why
-- $6 part of the recipient, or null
with gone as (
  delete from /*p*/outbox where id = $1 and attempts = $2 returning *
)
insert into /*p*/outbox_failures (id, user_id, kind, is_text, recipient, reason, stage, failure, attempts, created_at)
select g.id, g.user_id, g.kind, g.is_text, $6, $3, $4, $5, g.attempts, g.created_at from gone g;

-- name: hand_back
-- The sender stops before it has tried the message: undoes the claim.
-- $1 id
-- $2 attempts, as claimed
update /*p*/outbox set attempts = attempts - 1, claimed_until = null, data_started_at = null
where id = $1 and attempts = $2;

-- name: sweep
-- Deletes, a thousand of each at a time, messages whose sender died after the point of no return (they may have been
-- accepted) and messages whose code has expired. They become failures; those of more than a week ago go.
-- $1 seconds after its commit in which a message is still sent
-- $2 the same for a notice
-- $3 texts, or else mails
with gone as (
  select o.id from /*p*/outbox o
  where o.id = any (
      array(
        select s.id from /*p*/outbox s
        where s.data_started_at is not null and s.is_text = $3
        order by s.data_started_at
        limit 1000
      ) || array(
        select a.id from /*p*/outbox a
        where a.is_text = $3 and a.created_at <= now() - make_interval(secs => least($1::double precision, $2::double precision))
          and a.created_at <= now() - make_interval(secs => case when a.kind like '%\_notification'
            then $2::double precision else $1::double precision end)
        order by a.created_at
        limit 1000
      ))
    and (o.claimed_until is null or o.claimed_until <= now())
  order by o.id
  for update skip locked
), deleted as (
  delete from /*p*/outbox o
  where o.id = any (array(select g.id from gone g))
  returning o.*
), noted as (
  insert into /*p*/outbox_failures (id, user_id, kind, is_text, reason, stage, failure, attempts, created_at)
  select d.id, d.user_id, d.kind, d.is_text, case when d.data_started_at is null then 'expired' else 'unknown' end,
    d.failed_stage, d.failure, d.attempts, d.created_at
  from deleted d
), forgotten as (
  delete from /*p*/outbox_failures f
  where f.id = any (array(
      select p.id from /*p*/outbox_failures p
      where p.failed_at < now() - interval '7 days'
      order by p.failed_at
      limit 1000
      for update skip locked
    ))
)
select d.id, d.kind, d.sealed, d.attempts, d.next_attempt_at > d.created_at as has_failed,
  d.data_started_at is not null as is_outcome_unknown
from deleted d;

-- name: waiting
-- The number of messages, and the seconds until the first of them is due; null: there is none.
-- read
-- $1 texts, or else mails
select count(*)::int as waiting,
  extract(epoch from min(greatest(o.next_attempt_at, o.claimed_until)) - now())::float8 as due_in_seconds
from /*p*/outbox o
where o.is_text = $1;

-- name: write
-- Notices, in the transaction of the change they tell of.
-- $1 user id; null: they outlive the account
-- $2 mails or texts, array of {id, kind, recipient_hash, sealed}
insert into /*p*/outbox (id, user_id, kind, recipient_hash, sealed)
select m.id, $1, m.kind, m.recipient_hash, m.sealed
from jsonb_to_recordset($2::jsonb) as m (id uuid, kind text, recipient_hash text, sealed text);

-- name: list
-- What waits, oldest first.
-- read
-- $1 texts, or else mails
-- $2 created_at of the last row of the previous page
-- $3 its id
-- $4 limit
select o.id, o.user_id, o.kind, o.sealed, o.attempts, to_json(o.created_at) as created_at,
  to_json(o.next_attempt_at) as next_attempt_at,
  o.data_started_at is not null or coalesce(o.claimed_until > now(), false) as is_being_sent, o.failed_stage, o.failure
from /*p*/outbox o
where o.is_text = $1 and (o.created_at, o.id) > ($2::timestamptz, $3::uuid)
order by o.created_at, o.id
limit $4;

-- name: waiting_by_stage
-- Of the oldest that wait, by the step at which they failed; null: not tried, or without a step.
-- read
-- $1 texts, or else mails
-- $2 how many are looked at
select o.failed_stage as stage, count(*)::int as messages, to_json(min(o.created_at)) as oldest_at
from (
  select w.failed_stage, w.created_at from /*p*/outbox w where w.is_text = $1 order by w.created_at limit $2
) o
group by o.failed_stage
order by messages desc, stage;

-- name: failures
-- What was given up within a week, newest first.
-- read
-- $1 texts, or else mails
-- $2 failed_at of the last row of the previous page
-- $3 its id
-- $4 limit
select f.id, f.user_id, f.kind, f.recipient, f.reason, f.stage, f.failure, f.attempts,
  to_json(f.created_at) as created_at, to_json(f.failed_at) as failed_at
from /*p*/outbox_failures f
where f.is_text = $1 and (f.failed_at, f.id) < ($2::timestamptz, $3::uuid)
order by f.failed_at desc, f.id desc
limit $4;

-- name: failures_by_stage
-- The same counted, of the newest.
-- read
-- $1 texts, or else mails
-- $2 how many are looked at
select f.reason, f.stage, count(*)::int as messages, to_json(max(f.failed_at)) as newest_at
from (
  select w.reason, w.stage, w.failed_at from /*p*/outbox_failures w
  where w.is_text = $1
  order by w.failed_at desc
  limit $2
) f
group by f.reason, f.stage
order by messages desc, f.reason, f.stage;

-- name: retry
-- Messages are tried at once, unless they are being sent.
-- $1 ids, array
-- $2 audit entries, array
with due as (
  update /*p*/outbox o set next_attempt_at = least(o.next_attempt_at, now())
  where o.id = any ($1::uuid[]) and o.data_started_at is null
    and (o.claimed_until is null or o.claimed_until <= now())
  returning o.id, o.kind
), new_audit as (
  insert into /*p*/audit_log (payload)
  select jsonb_set(e.value, '{traits,messages}', (select jsonb_agg(jsonb_build_array(d.id, d.kind)) from due d))
  from jsonb_array_elements($2::jsonb) e
  where exists (select from due)
)
select d.id from due d;

-- name: discard
-- Messages are not sent, unless they are being sent already.
-- $1 ids, array
-- $2 audit entries, array
with gone as (
  delete from /*p*/outbox o
  where o.id = any ($1::uuid[]) and o.data_started_at is null
    and (o.claimed_until is null or o.claimed_until <= now())
  returning o.id, o.kind
), new_audit as (
  insert into /*p*/audit_log (payload)
  select jsonb_set(e.value, '{traits,messages}', (select jsonb_agg(jsonb_build_array(g.id, g.kind)) from gone g))
  from jsonb_array_elements($2::jsonb) e
  where exists (select from gone)
)
select g.id from gone g;
