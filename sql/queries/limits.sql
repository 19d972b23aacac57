-- Counters of the rate limits. The sign of `level` is the result of the last request: above zero granted, below zero
-- rejected. So one statement counts and answers under the lock of the row, exact under any concurrency (SEC-67).

-- name: take_from_bucket
-- A leaky bucket: it drains at a steady rate, and each granted request adds one.
-- $1 name of the limit
-- $2 key
-- $3 capacity of the bucket, at least 1
-- $4 drain per second, above 0
insert into /*p*/rate_counters as c (name, key, level, updated_at)
values ($1, $2, 1, now())
on conflict (name, key) do update
set (level, updated_at) = (
  select case when d.level + 1 <= $3::double precision then d.level + 1 else -abs(c.level) end,
    case when d.level + 1 <= $3::double precision then greatest(now(), c.updated_at) else c.updated_at end
  from (
    -- A request that waited for the row's lock started before the other one ended: the elapsed time is zero, not
    -- negative.
    select greatest(0, abs(c.level)
      - greatest(0, extract(epoch from now() - c.updated_at)::double precision) * $4::double precision) as level
  ) d
)
returning case when c.level > 0 then 0 else
  (abs(c.level) - greatest(0, extract(epoch from now() - c.updated_at)::double precision) * $4::double precision
    + 1 - $3::double precision) / $4::double precision
  end as wait_seconds;

-- name: take_from_window
-- A number of requests per window; the first request starts the window.
-- $1 name of the limit
-- $2 key
-- $3 number of requests, at least 1
-- $4 length of the window in seconds
insert into /*p*/rate_counters as c (name, key, level, updated_at)
values ($1, $2, 1, now())
on conflict (name, key) do update
set (level, updated_at) = (
  select
    case when w.is_over then 1
      when abs(c.level) + 1 <= $3::double precision then abs(c.level) + 1
      else -abs(c.level) end,
    case when w.is_over then now() else c.updated_at end
  from (select c.updated_at <= now() - make_interval(secs => $4::double precision) as is_over) w
)
returning case when c.level > 0 then 0 else
  least($4::double precision, extract(epoch from c.updated_at - now())::double precision + $4::double precision)
  end as wait_seconds;

-- name: give_back
-- Takes back one granted request of a window.
-- $1 name of the limit
-- $2 key
update /*p*/rate_counters c
set level = sign(c.level) * (abs(c.level) - 1)
where c.name = $1 and c.key = $2 and abs(c.level) >= 1;

-- name: forget
-- $1 name of the limit
-- $2 key
delete from /*p*/rate_counters c where c.name = $1 and c.key = $2;

-- name: prune
-- Deletes expired counters. Those that are locked are left for the next time.
-- $1 age in seconds
-- $2 limit
with pruned as (
  -- By ctid: the key has two columns, and an array of pairs uses no index.
  delete from /*p*/rate_counters c
  where c.ctid = any (array(
      select o.ctid from /*p*/rate_counters o
      where o.updated_at < now() - make_interval(secs => $1::double precision)
      limit $2
      for update skip locked
    ))
  returning c.name
)
select count(*)::int as pruned from pruned;

-- name: held_back
-- Counters that refuse the next request, in the order of the key. At most a number of them is looked at; the last row,
-- without name, is where that ended. `wait_seconds` as in the statements that count.
-- read
-- $1 names of the limits, array
-- $2 kinds of their rules, array: bucket, window or delay
-- $3 how many requests each grants, array
-- $4 drain per second of a bucket or length of a window in seconds, array
-- $5 name of the last row of the previous page
-- $6 its key
-- $7 counters to look at
-- $8 counters to find
with rules as (
  select * from unnest($1::text[], $2::text[], $3::double precision[], $4::double precision[])
    as r (name, kind, most, pace)
), seen as materialized (
  select row_number() over (order by c.name, c.key) as position, c.name, c.key, c.level, c.updated_at
  from (
    select o.* from /*p*/rate_counters o where (o.name, o.key) > ($5, $6) order by o.name, o.key limit $7
  ) c
), held as (
  select s.position, s.name, s.key, abs(s.level) as level, w.wait_seconds
  from seen s
  join rules r on r.name = s.name
  cross join lateral (
    select extract(epoch from s.updated_at - now())::double precision as left_seconds
  ) t
  cross join lateral (
    select case r.kind when 'delay' then t.left_seconds when 'window' then t.left_seconds + r.pace
      else (abs(s.level) - greatest(0, -t.left_seconds) * r.pace + 1 - r.most) / r.pace end as wait_seconds
  ) w
  where w.wait_seconds > 0 and (r.kind = 'delay' or s.level < 0)
  order by s.position
  limit $8
)
select h.position::int, h.name, h.key, ceil(h.level) as level, h.wait_seconds,
  to_json(now() + make_interval(secs => h.wait_seconds)) as until
from held h
union all
(
  select s.position::int, null, jsonb_build_array(s.name, s.key)::text, null, null, null
  from seen s order by s.position desc limit 1
);

-- name: counters_of
-- Named counters, as far as they exist and have not expired.
-- read
-- $1 names of the limits, array
-- $2 keys, array
-- $3 kinds of their rules, array
-- $4 how many requests each grants, array
-- $5 drain per second of a bucket or length of a window in seconds, array
select c.name, c.key, ceil(l.level) as level, greatest(0, w.wait_seconds) as wait_seconds, c.level < 0 as was_refused,
  case when w.wait_seconds > 0 then to_json(now() + make_interval(secs => w.wait_seconds)) end as until
from unnest($1::text[], $2::text[], $3::text[], $4::double precision[], $5::double precision[])
  as r (name, key, kind, most, pace)
join /*p*/rate_counters c on c.name = r.name and c.key = r.key
cross join lateral (
  select extract(epoch from c.updated_at - now())::double precision as left_seconds
) t
cross join lateral (
  select case r.kind when 'bucket' then greatest(0, abs(c.level) - greatest(0, -t.left_seconds) * r.pace)
    when 'window' then case when t.left_seconds + r.pace > 0 then abs(c.level) else 0 end
    else abs(c.level) end as level
) l
cross join lateral (
  select case when r.kind = 'delay' then t.left_seconds when l.level + 1 <= r.most then 0
    when r.kind = 'window' then t.left_seconds + r.pace else (l.level + 1 - r.most) / r.pace end as wait_seconds
) w
where l.level > 0
order by c.name, c.key;

-- name: forgive
-- Deletes a counter. The state it had goes into the audit entries. No row: there is none.
-- $1 name of the limit
-- $2 key
-- $3 audit entries, array
with forgiven as (
  delete from /*p*/rate_counters c where c.name = $1 and c.key = $2
  returning ceil(abs(c.level)) as level, c.updated_at
), new_audit as (
  insert into /*p*/audit_log (payload)
  select jsonb_set(e.value, '{traits,before}', jsonb_build_object('count', f.level, 'updated_at', f.updated_at))
  from forgiven f, jsonb_array_elements($3::jsonb) e
)
select f.level from forgiven f;
