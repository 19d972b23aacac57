-- Mails between the commit of their token and their acceptance by a mail server. `attempts` is the fencing token: every
-- claim raises it, and a sender that lost its claim changes nothing any more.

-- name: claim
-- Takes mails that are due. Nobody else touches them until the claim runs out, nor anything that was near its DATA.
-- $1 most rows to take
-- $2 seconds the claim lasts
-- $3 seconds a mail is worth sending, counted from its commit
with due as (
  select o.id from /*p*/outbox o
  where o.next_attempt_at <= now() and o.data_started_at is null
    and (o.claimed_until is null or o.claimed_until <= now())
    and o.created_at > now() - make_interval(secs => $3)
  order by o.next_attempt_at
  limit $1
  for update skip locked
)
update /*p*/outbox o
set attempts = o.attempts + 1, claimed_until = now() + make_interval(secs => $2)
from due
where o.id = due.id
returning o.id, o.kind, o.sealed, o.attempts, o.next_attempt_at > o.created_at as has_failed,
  extract(epoch from now() - o.created_at)::float8 as age_seconds;

-- name: start_data
-- The point of no return, asked for after the server's go-ahead and before the first byte. No row: the mail was
-- replaced by a newer one, or belongs to another sender by now, and must not leave.
-- $1 id
-- $2 attempts, as claimed
update /*p*/outbox set data_started_at = now()
where id = $1 and attempts = $2 and data_started_at is null
returning id;

-- name: finish
-- The mail is accepted, or given up.
-- $1 id
-- $2 attempts, as claimed
delete from /*p*/outbox where id = $1 and attempts = $2;

-- name: put_back
-- The attempt failed and certainly nothing was accepted.
-- $1 id
-- $2 attempts, as claimed
-- $3 seconds until the next attempt
update /*p*/outbox
set next_attempt_at = greatest(now() + make_interval(secs => $3), created_at + interval '1 microsecond'),
  claimed_until = null, data_started_at = null
where id = $1 and attempts = $2;

-- name: hand_back
-- The sender stops before the mail had its turn: as if it had not been claimed.
-- $1 id
-- $2 attempts, as claimed
update /*p*/outbox set attempts = attempts - 1, claimed_until = null, data_started_at = null
where id = $1 and attempts = $2;

-- name: sweep
-- Removes what must not or need not be sent any more, a thousand of each kind at a time: mails whose sender died after the
-- point of no return, which may have been accepted, and mails older than their code.
-- $1 seconds a mail is worth sending
with gone as (
  select o.id from /*p*/outbox o
  where o.id = any (
      array(
        select s.id from /*p*/outbox s
        where s.data_started_at is not null
        order by s.data_started_at
        limit 1000
      ) || array(
        select a.id from /*p*/outbox a
        where a.created_at <= now() - make_interval(secs => $1)
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
-- How many mails there are, and in how many seconds the first of them may be taken; null: there is none.
-- read
select count(*)::int as waiting,
  extract(epoch from min(greatest(o.next_attempt_at, o.claimed_until)) - now())::float8 as due_in_seconds
from /*p*/outbox o;
