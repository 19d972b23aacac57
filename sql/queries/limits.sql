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
