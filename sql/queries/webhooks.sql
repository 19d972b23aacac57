-- Endpoints that administrators manage, and their deliveries.

-- name: list
-- read
-- $1 endpoint id, or null for all
select w.id, w.name, w.url, w.patterns, w.include, w.description, w.sealed_secrets, w.is_enabled, w.disabled_reason,
  w.created_at, w.updated_at
from /*p*/webhook_endpoints w
where ($1::uuid is null or w.id = $1) and w.url is not null
order by w.created_at, w.id;

-- name: health
-- How many deliveries wait or were given up, and why the newest of these was.
-- read
-- $1 endpoint id, or null for all
-- $2 where counting ends
select w.id,
  (
    select count(*)::int from (
      select from /*p*/webhook_deliveries d where d.endpoint_id = w.id and d.state = 'pending' limit $2::bigint
    ) p
  ) as pending,
  (
    select count(*)::int from (
      select from /*p*/webhook_deliveries d where d.endpoint_id = w.id and d.state = 'dead' limit $2::bigint
    ) p
  ) as dead,
  n.last_error, n.last_status, n.last_attempt_at
from /*p*/webhook_endpoints w
left join lateral (
  select d.last_error, d.last_status, d.last_attempt_at from /*p*/webhook_deliveries d
  where d.endpoint_id = w.id and d.state = 'dead'
  order by d.position desc
  limit 1
) n on true
where ($1::uuid is null or w.id = $1) and w.url is not null;

-- name: create
-- $1 endpoint id
-- $2 URL
-- $3 types, families and *
-- $4 parts to include
-- $5 description
-- $6 sealed secrets
-- $7 is enabled
-- $8 audit entries, array
with added as (
  insert into /*p*/webhook_endpoints (id, url, patterns, include, description, sealed_secrets, is_enabled)
  values ($1, $2, $3, $4, $5, $6, $7)
  returning *
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from added, jsonb_array_elements($8::jsonb) e
)
select a.id, a.name, a.url, a.patterns, a.include, a.description, a.sealed_secrets, a.is_enabled, a.disabled_reason,
  a.created_at, a.updated_at
from added a;

-- name: change
-- A null parameter leaves its column unchanged. An endpoint of the configuration is never changed.
-- $1 endpoint id
-- $2 URL
-- $3 types, families and *
-- $4 parts to include
-- $5 description
-- $6 is enabled
-- $7 audit entries, array
with changed as (
  update /*p*/webhook_endpoints w
  set url = coalesce($2, w.url), patterns = coalesce($3, w.patterns), include = coalesce($4, w.include),
    description = coalesce($5, w.description), is_enabled = coalesce($6::boolean, w.is_enabled),
    disabled_reason = case when $6::boolean then null else w.disabled_reason end, updated_at = now()
  where w.id = $1 and w.name is null
  returning *
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from changed, jsonb_array_elements($7::jsonb) e
)
select c.id, c.name, c.url, c.patterns, c.include, c.description, c.sealed_secrets, c.is_enabled, c.disabled_reason,
  c.created_at, c.updated_at
from changed c;

-- name: rotate_secret
-- No row: another request has rotated it.
-- $1 endpoint id
-- $2 sealed secrets that were read
-- $3 new sealed secrets
-- $4 audit entries, array
with changed as (
  update /*p*/webhook_endpoints w
  set sealed_secrets = $3, updated_at = now()
  where w.id = $1 and w.name is null and w.sealed_secrets = $2
  returning w.id
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from changed, jsonb_array_elements($4::jsonb) e
)
select c.id from changed c;

-- name: delete
-- With its deliveries.
-- $1 endpoint id
-- $2 audit entries, array
with deleted as (
  delete from /*p*/webhook_endpoints w where w.id = $1 and w.name is null returning w.id
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from deleted, jsonb_array_elements($2::jsonb) e
)
select d.id from deleted d;

-- name: deliveries
-- Newest first.
-- read
-- $1 endpoint id
-- $2 state
-- $3 only positions before this one, or null
-- $4 limit
select d.id, d.state, d.attempts, d.last_attempt_at, d.last_status, d.last_error, d.created_at, d.position,
  e.id as event_id, e.type as event_type, e.user_id
from /*p*/webhook_deliveries d join /*p*/events e on e.sequence = d.event_sequence
where d.endpoint_id = $1 and d.state = $2 and ($3::bigint is null or d.position < $3)
order by d.position desc
limit $4;

-- name: replay
-- Delivers one event again, from the first attempt on. A running attempt loses its claim, so that it cannot settle what is
-- delivered again; its lease ends first. The queue is locked before the delivery, as by events.settle.
-- $1 endpoint id
-- $2 delivery id
-- $3 seconds a claim lasts
-- $4 audit entries, array
with wanted as (
  select d.id, d.endpoint_id, d.ordering_key, d.position from /*p*/webhook_deliveries d
  where d.id = $2 and d.endpoint_id = $1
), queued as (
  insert into /*p*/webhook_queues as q (endpoint_id, ordering_key, last_position)
  select n.endpoint_id, n.ordering_key, n.position from wanted n
  on conflict (endpoint_id, ordering_key) do update
  set last_position = greatest(q.last_position, excluded.last_position), claims = q.claims + 1,
    next_attempt_at = case
      when q.next_attempt_at = 'infinity' then now()
      else least(q.next_attempt_at, now() + make_interval(secs => $3)) end
  returning q.endpoint_id
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from queued, jsonb_array_elements($4::jsonb) e
)
update /*p*/webhook_deliveries d
set state = 'pending', attempts = 0
from queued q
where d.id = $2 and d.endpoint_id = q.endpoint_id
returning d.id;

-- name: replay_since
-- Delivers again what was given up, and what the endpoint missed while it was disabled or did not exist; oldest first.
-- Queues are locked before deliveries, as by events.settle.
-- $1 endpoint id
-- $2 time
-- $3 seconds a claim lasts
-- $4 maximum number of events
-- $5 only events before this time, or null
-- $6 audit entries, array
with wanted as materialized (
  select w.id as endpoint_id, e.sequence, e.position, coalesce(e.user_id, e.id) as ordering_key
  from /*p*/webhook_endpoints w
  join /*p*/events e on e.created_at >= $2::timestamptz and e.created_at < coalesce($5::timestamptz, 'infinity')
    and e.position is not null
    and /*p*/matches_event(w.patterns, e.type)
  left join /*p*/webhook_deliveries d on d.event_sequence = e.sequence and d.endpoint_id = w.id
  where w.id = $1 and (d.id is null or d.state = 'dead')
  order by e.created_at
  limit $4::bigint
), queued as (
  insert into /*p*/webhook_queues as q (endpoint_id, ordering_key, last_position)
  select n.endpoint_id, n.ordering_key, max(n.position) from wanted n group by n.endpoint_id, n.ordering_key
  order by n.endpoint_id, n.ordering_key
  on conflict (endpoint_id, ordering_key) do update
  set last_position = greatest(q.last_position, excluded.last_position), claims = q.claims + 1,
    next_attempt_at = case
      when q.next_attempt_at = 'infinity' then now()
      else least(q.next_attempt_at, now() + make_interval(secs => $3)) end
  returning q.endpoint_id, q.ordering_key
), again as (
  insert into /*p*/webhook_deliveries as d (endpoint_id, event_sequence, position, ordering_key)
  select n.endpoint_id, n.sequence, n.position, n.ordering_key
  from queued q join wanted n on n.endpoint_id = q.endpoint_id and n.ordering_key = q.ordering_key
  order by n.ordering_key, n.position
  on conflict (event_sequence, endpoint_id) do update set state = 'pending', attempts = 0 where d.state = 'dead'
  returning d.id
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from jsonb_array_elements($6::jsonb) e
)
select count(*)::int as replayed from again;
