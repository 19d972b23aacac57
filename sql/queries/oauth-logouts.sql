-- Logout tokens between the end of a session and the answer of its client. `attempts` is the fencing token.

-- name: look
-- Whether a logout token is due.
-- read
select exists (select from /*p*/oauth_logouts l where l.next_attempt_at <= now()) as is_due;

-- name: claim
-- Takes what is due, a few of each client, so that one that does not answer delays no other. The clients with rows are
-- found one after another by the index.
-- $1 maximum number of rows
-- $2 maximum number of each client
-- $3 seconds until they are due again
-- $4 clients that have enough attempts in progress
with recursive target as (
  (select l.client_id from /*p*/oauth_logouts l order by l.client_id limit 1)
  union all
  select (
    select n.client_id from /*p*/oauth_logouts n where n.client_id > t.client_id order by n.client_id limit 1
  )
  from target t where t.client_id is not null
), due as (
  select o.id
  from target t
  cross join lateral (
    select d.id from /*p*/oauth_logouts d
    where d.client_id = t.client_id and d.next_attempt_at <= now()
    order by d.next_attempt_at
    limit $2
    for update skip locked
  ) o
  where t.client_id <> all ($4::uuid[])
  limit $1
)
update /*p*/oauth_logouts l
set attempts = l.attempts + 1, next_attempt_at = now() + make_interval(secs => $3::double precision)
from due, /*p*/oauth_clients c
where l.id = due.id and c.id = l.client_id
returning l.id, l.user_id, l.session_id, l.attempts, row_to_json(c) as client;

-- name: finish
-- The client has answered, or it is given up.
-- $1 id
-- $2 attempts, as claimed
delete from /*p*/oauth_logouts l where l.id = $1 and l.attempts = $2;

-- name: put_back
-- $1 id
-- $2 attempts, as claimed
-- $3 seconds until the next attempt
update /*p*/oauth_logouts l set next_attempt_at = now() + make_interval(secs => $3::double precision)
where l.id = $1 and l.attempts = $2;
