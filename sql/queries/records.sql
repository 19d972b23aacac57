-- What is recorded for the console.

-- name: insert_refusals
-- $1 list of refusals
insert into /*p*/refusals
  (created_at, request_id, method, route, grant_type, status, error_code, error, steps, reason, limit_name, user_id, ip, left_out)
select r.created_at, r.request_id, r.method, r.route, r.grant_type, r.status, r.error_code, r.error, r.steps, r.reason,
  r.limit_name, r.user_id, r.ip, r.left_out
from json_to_recordset($1::json) as r (
  created_at timestamptz, request_id text, method text, route text, grant_type text, status integer, error_code text,
  error text, steps text, reason text, limit_name text, user_id uuid, ip inet, left_out integer
);

-- name: refusals_of_request
-- Usually one: a request id that clients choose may repeat.
-- read
-- $1 request id
-- $2 limit
select r.id, to_json(r.created_at) as created_at, r.request_id, r.method, r.route, r.grant_type, r.status, r.error_code,
  r.error, r.steps, r.reason, r.limit_name, r.user_id, host(r.ip) as ip, r.left_out
from /*p*/refusals r
where r.request_id = $1
order by r.created_at desc, r.id desc
limit $2;

-- name: refusals
-- Newest first.
-- read
-- $1 created_at of the last row of the previous page
-- $2 its id
-- $3 created at or after this
-- $4 limit
select r.id, to_json(r.created_at) as created_at, r.request_id, r.method, r.route, r.grant_type, r.status, r.error_code,
  r.error, r.steps, r.reason, r.limit_name, r.user_id, host(r.ip) as ip, r.left_out
from /*p*/refusals r
where (r.created_at, r.id) < ($1::timestamptz, $2::uuid) and r.created_at >= $3::timestamptz
order by r.created_at desc, r.id desc
limit $4;

-- name: refusals_with_code
-- Those with one error_code.
-- read
-- $1 created_at of the last row of the previous page
-- $2 its id
-- $3 created at or after this
-- $4 limit
-- $5 error code
select r.id, to_json(r.created_at) as created_at, r.request_id, r.method, r.route, r.grant_type, r.status, r.error_code,
  r.error, r.steps, r.reason, r.limit_name, r.user_id, host(r.ip) as ip, r.left_out
from /*p*/refusals r
where r.error_code = $5 and (r.created_at, r.id) < ($1::timestamptz, $2::uuid) and r.created_at >= $3::timestamptz
order by r.created_at desc, r.id desc
limit $4;

-- name: refusals_of_user
-- Those of one user, with any error_code or with one.
-- read
-- $1 created_at of the last row of the previous page
-- $2 its id
-- $3 created at or after this
-- $4 limit
-- $5 user id
-- $6 error code, or null
select r.id, to_json(r.created_at) as created_at, r.request_id, r.method, r.route, r.grant_type, r.status, r.error_code,
  r.error, r.steps, r.reason, r.limit_name, r.user_id, host(r.ip) as ip, r.left_out
from /*p*/refusals r
where r.user_id = $5::uuid and (r.created_at, r.id) < ($1::timestamptz, $2::uuid) and r.created_at >= $3::timestamptz
  and ($6::text is null or r.error_code = $6)
order by r.created_at desc, r.id desc
limit $4;

-- name: add_counts
-- What a thread counted since the last time.
-- $1 list of counts
insert into /*p*/stats_daily as s (day, name, method, result, count)
select c.day, c.name, c.method, c.result, c.count
from json_to_recordset($1::json) as c (day date, name text, method text, result text, count bigint)
order by 1, 2, 3, 4
on conflict (day, name, method, result) do update set count = s.count + excluded.count;

-- name: count_active
-- How many users were active today, yesterday, within a week and within a month: by the last use of their sessions, which has
-- no index, since each refresh would pay for it. Reads all sessions, by one instance an hour.
with claimed as (
  insert into /*p*/stats_daily (day, name, method, result, count)
  values (
    (now() at time zone 'utc')::date, 'scan', to_char(now() at time zone 'utc', 'HH24'), '',
    floor(extract(epoch from now()))::bigint
  )
  on conflict do nothing
  returning day, day::timestamp at time zone 'utc' as since
), used as materialized (
  select s.user_id, coalesce(s.refreshed_at, s.created_at) as at
  from /*p*/sessions s
  where exists (select from claimed)
    and coalesce(s.refreshed_at, s.created_at) >= now() - interval '30 days'
), people as materialized (
  select u.user_id, max(u.at) as at, bool_or(u.at < c.since and u.at >= c.since - interval '1 day') as is_of_yesterday
  from used u cross join claimed c
  group by u.user_id
), counts as (
  select c.day, 'day' as span, (select count(*) from people p where p.at >= c.since) as count from claimed c
  union all
  select c.day - 1, 'day', (select count(*) from people p where p.is_of_yesterday) from claimed c
  union all
  select c.day, 'week', (select count(*) from people p where p.at >= now() - interval '7 days') from claimed c
  union all
  select c.day, 'month', (select count(*) from people p) from claimed c
)
insert into /*p*/stats_daily as s (day, name, method, result, count)
select n.day, 'active', n.span, '', n.count from counts n
on conflict (day, name, method, result) do update set count = greatest(s.count, excluded.count);

-- name: active_now
-- How many users were active today, within a week and within a month, if there are not too many sessions; and when all sessions
-- were counted last (the count of `scan`, which earlier releases had as 1).
-- read
-- $1 most sessions that are read
with used as (
  select s.user_id, coalesce(s.refreshed_at, s.created_at) as at
  from /*p*/sessions s
  limit $1::integer + 1
)
select count(*) > $1::integer as is_partial,
  (count(distinct s.user_id)
    filter (where s.at >= (now() at time zone 'utc')::date::timestamp at time zone 'utc'))::float8 as day,
  (count(distinct s.user_id) filter (where s.at >= now() - interval '7 days'))::float8 as week,
  (count(distinct s.user_id) filter (where s.at >= now() - interval '30 days'))::float8 as month,
  (
    select max(d.count)::float8
    from /*p*/stats_daily d
    where d.day >= (now() at time zone 'utc')::date - 1 and d.name = 'scan' and d.count > 1
  ) as scanned_at
from used s;

-- name: days
-- The counts of some days.
-- read
-- $1 days before today
select to_char(s.day, 'YYYY-MM-DD') as day, s.name, s.method, s.result, s.count::float8 as count
from /*p*/stats_daily s
where s.day > (now() at time zone 'utc')::date - $1::integer and s.name <> 'scan'
order by s.day, s.name, s.method, s.result;

-- name: put_figures
-- $1 id of the thread
-- $2 its figures
insert into /*p*/live_figures as f (thread_id, figures, updated_at)
values ($1::uuid, $2::jsonb, now())
on conflict (thread_id) do update set figures = excluded.figures, updated_at = excluded.updated_at;

-- name: remove_figures
-- A thread that ends.
-- $1 id of the thread
delete from /*p*/live_figures f where f.thread_id = $1::uuid;

-- name: figures
-- Of the threads that run.
-- read
-- $1 seconds in which each of them has reported
select f.figures from /*p*/live_figures f
where f.updated_at > now() - make_interval(secs => $1::double precision);
