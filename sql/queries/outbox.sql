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
update /*p*/outbox
set next_attempt_at = greatest(now() + make_interval(secs => $3), created_at + interval '1 microsecond'),
  claimed_until = null, data_started_at = null
where id = $1 and attempts = $2;

-- name: hand_back
-- The sender stops before it has tried the message: undoes the claim.
-- $1 id
-- $2 attempts, as claimed
update /*p*/outbox set attempts = attempts - 1, claimed_until = null, data_started_at = null
where id = $1 and attempts = $2;

-- name: sweep
-- Deletes, a thousand of each at a time, messages whose sender died after the point of no return (they may have been
-- accepted) and messages whose code has expired.
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
)
delete from /*p*/outbox o
where o.id = any (array(select g.id from gone g))
returning o.id, o.kind, o.sealed, o.attempts, o.next_attempt_at > o.created_at as has_failed,
  o.data_started_at is not null as is_outcome_unknown;

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
