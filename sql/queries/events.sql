-- Events and their delivery. Triggers write events (migration 00012); the statements here give them positions, queue them
-- for each endpoint, and deliver them. Readers go by position: `place` gives it out after the event was committed, so an
-- event of a slow transaction is never skipped.

-- name: append
-- Events that no change of a table causes.
-- $1 type
-- $2 user id, or null
-- $3 details
select /*p*/record_event($1, $2::uuid, $3::jsonb) as recorded;

-- name: announce
-- A consumer of the configuration.
-- $1 name
-- $2 URL; null: handled inside the server, or only read
-- $3 types, families and *
-- $4 parts to include
-- $5 enables it if an answer of 410 has disabled it
insert into /*p*/webhook_endpoints as w (name, url, patterns, include, seen_at)
values ($1, $2, $3, $4, now())
on conflict (name) do update
set url = $2, patterns = $3, include = $4, seen_at = now(), is_enabled = w.is_enabled or $5::boolean,
  disabled_reason = case when $5::boolean then null else w.disabled_reason end;

-- name: renew_recording
-- Records what the consumers want, from now on.
select /*p*/renew_event_recording() as types;

-- name: look
-- What there is to do: events without a position, and deliveries that are due.
-- read
select l.types, l.last_position,
  (select e.sequence from /*p*/events e where e.position is null order by e.sequence limit 1) is not null as is_waiting,
  (select json_agg(json_build_object('id', w.id, 'name', w.name, 'url', w.url, 'include', w.include,
      'sealed_secrets', w.sealed_secrets, 'is_due', exists (
        select from /*p*/webhook_queues q where q.endpoint_id = w.id and q.next_attempt_at <= now())))
    from /*p*/webhook_endpoints w
    where w.is_enabled) as endpoints
from /*p*/event_log l;

-- name: page
-- Events after a position, in its order. Without events one row with the positions of the log alone.
-- read
-- $1 position
-- $2 limit
select l.last_position, l.pruned_position, e.position, e.id, e.type, e.user_id, e.data, e.created_at
from /*p*/event_log l
left join lateral (
  select * from /*p*/events n where n.position > $1::bigint order by n.position limit $2::bigint
) e on true
order by e.position;

-- name: place
-- Gives positions to the next events and queues them for the endpoints that want them. If another instance has done so
-- since the snapshot of this statement, it does nothing. Events of one account are in order: its row is locked by each
-- change, so an event that was written later also became visible later.
-- $1 maximum number of events
-- $2 channel that is notified of the last position
with seen as materialized (
  select l.last_position from /*p*/event_log l
), batch as materialized (
  select e.sequence, row_number() over (order by e.sequence) as number
  from (
    select n.sequence from /*p*/events n where n.position is null order by n.sequence limit $1::bigint
  ) e
), taken as (
  update /*p*/event_log l
  set last_position = l.last_position + (select count(*) from batch)
  from seen s
  where l.last_position = s.last_position and exists (select from batch)
  returning s.last_position, l.last_position as new_position
), placed as (
  update /*p*/events e
  set position = t.last_position + b.number
  from taken t, batch b
  where e.sequence = b.sequence
  returning e.sequence, e.position, e.type, coalesce(e.user_id, e.id) as ordering_key
), wanted as (
  select w.id as endpoint_id, p.*
  from placed p join /*p*/webhook_endpoints w on w.is_enabled and /*p*/matches_event(w.patterns, p.type)
  -- The name alone: it is only read.
  where (w.url is not null or w.name like 'hook:%')
    -- No configuration has it any more.
    and (w.name is null or w.seen_at > now() - interval '1 hour')
), new_deliveries as (
  insert into /*p*/webhook_deliveries (endpoint_id, event_sequence, position, ordering_key)
  select n.endpoint_id, n.sequence, n.position, n.ordering_key from wanted n
  on conflict do nothing
), new_queues as (
  insert into /*p*/webhook_queues as q (endpoint_id, ordering_key, last_position)
  select n.endpoint_id, n.ordering_key, max(n.position)
  from wanted n
  group by n.endpoint_id, n.ordering_key
  order by n.endpoint_id, n.ordering_key
  on conflict (endpoint_id, ordering_key) do update
  set last_position = greatest(q.last_position, excluded.last_position),
    next_attempt_at = case when q.next_attempt_at = 'infinity' then now() else q.next_attempt_at end
)
select (select count(*)::int from placed) as placed,
  (select pg_notify($2, t.new_position::text) from taken t) as notified;

-- name: claim
-- Claims the next delivery of users whose turn it is. Until the claim ends no other instance has them. No delivery: they
-- were deleted, and the queue is empty.
-- $1 endpoint id
-- $2 maximum number of rows
-- $3 seconds the claim lasts
with due as (
  select q.ordering_key from /*p*/webhook_queues q
  where q.endpoint_id = $1 and q.next_attempt_at <= now()
  order by q.next_attempt_at
  limit $2::bigint
  for update skip locked
), claimed as (
  update /*p*/webhook_queues q
  set claims = q.claims + 1, next_attempt_at = now() + make_interval(secs => $3)
  from due d
  where q.endpoint_id = $1 and q.ordering_key = d.ordering_key
  returning q.endpoint_id, q.ordering_key, q.claims, q.last_position
)
select c.ordering_key, c.claims, coalesce(d.position, c.last_position) as position, d.id as delivery_id,
  coalesce(d.attempts, 0) as attempts, e.id, e.type, e.user_id, e.data, e.created_at
from claimed c
left join lateral (
  select n.* from /*p*/webhook_deliveries n
  where n.endpoint_id = c.endpoint_id and n.ordering_key = c.ordering_key and n.state = 'pending'
  order by n.position
  limit 1
) d on true
left join /*p*/events e on e.sequence = d.event_sequence;

-- name: settle
-- The end of an attempt, unless the claim was lost.
-- $1 endpoint id
-- $2 ordering key
-- $3 claims, as claimed
-- $4 delivery id, or null
-- $5 position
-- $6 state: delivered, dead, or pending for another attempt
-- $7 seconds until the next attempt
-- $8 status of the answer, or null
-- $9 reason of the failure, or null
with held as (
  update /*p*/webhook_queues q
  set next_attempt_at = case
      when $6::text = 'pending' then now() + make_interval(secs => $7)
      when q.last_position > $5::bigint then now()
      -- Replayed meanwhile, at an earlier position.
      when exists (
        select from /*p*/webhook_deliveries n
        where n.endpoint_id = $1 and n.ordering_key = $2 and n.state = 'pending' and n.id is distinct from $4::uuid
      ) then now()
      else 'infinity' end
  where q.endpoint_id = $1 and q.ordering_key = $2 and q.claims = $3
  returning q.endpoint_id
)
update /*p*/webhook_deliveries d
set state = $6, attempts = d.attempts + 1, last_attempt_at = now(), last_status = $8, last_error = $9
from held h
where d.id = $4::uuid and d.endpoint_id = h.endpoint_id;

-- name: disable_endpoint
-- $1 endpoint id
-- $2 reason
update /*p*/webhook_endpoints w set is_enabled = false, disabled_reason = $2, updated_at = now()
where w.id = $1 and w.is_enabled;
