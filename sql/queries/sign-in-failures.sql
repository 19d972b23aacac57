-- Consecutive wrong passwords, counted among the rate limits by address, whether it has an account or not, so that a
-- delay reveals nothing. `level` is their number, negative when the last try was made during a delay. `updated_at` is
-- the time of the next allowed try, which is in the future only during a delay.

-- name: count
-- $1 key
-- $2 failures until the first delay
-- $3 first delay in seconds; each further one is twice as long
-- $4 longest delay in seconds
-- $5 age in seconds at which failures are forgotten
insert into /*p*/rate_counters as c (name, key, level, updated_at)
values ('sign_in', $1, 1, now())
on conflict (name, key) do update
set (level, updated_at) = (
  select
    case when f.is_delayed then -abs(c.level) else f.failures end,
    case when f.is_delayed then c.updated_at
      when f.failures < $2 then greatest(now(), c.updated_at)
      else now() + make_interval(
        -- The exponent is bounded, since an account may be under attack for years.
        secs => least($4::double precision, $3::double precision * power(2, least(f.failures - $2, 30)))) end
  from (
    select
      -- Below the limit updated_at may be slightly later than a request that waited for the row.
      abs(c.level) >= $2::double precision and c.updated_at > now() as is_delayed,
      case when c.updated_at < now() - make_interval(secs => $5::double precision) then 1
        else abs(c.level) + 1 end as failures
  ) f
)
returning c.level < 0 as is_throttled,
  case when abs(c.level) < $2 then 0
    else greatest(0, extract(epoch from c.updated_at - now())::double precision) end as wait_seconds;

-- name: delay
-- read
-- $1 key
select coalesce(max(extract(epoch from c.updated_at - clock_timestamp())), 0)::double precision as wait_seconds
from /*p*/rate_counters c
where c.name = 'sign_in' and c.key = $1 and c.updated_at > clock_timestamp();
