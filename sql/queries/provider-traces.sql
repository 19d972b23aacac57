-- Traces of sign-ins at providers. An operator opens one for one attempt.

-- name: open
-- $1 id
-- $2 provider
-- $3 whether it ends before anything is written
-- $4 name of the operator
-- $5 seconds in which it can be begun
-- $6 audit entries, array
with opened as (
  insert into /*p*/provider_traces (id, provider, is_dry, operator_name, expires_at)
  values ($1, $2, $3, $4, now() + make_interval(secs => $5::double precision))
  returning expires_at
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from opened, jsonb_array_elements($6::jsonb) e
)
select to_json(o.expires_at) as expires_at from opened o;

-- name: begin
-- Once. No row: it is unknown, used, expired, or of another provider.
-- $1 id
-- $2 provider
update /*p*/provider_traces t
set started_at = now()
where t.id = $1 and t.provider = $2 and t.started_at is null and t.expires_at > now()
returning t.is_dry;

-- name: waiting
-- read
-- $1 id
-- $2 provider
select t.is_dry from /*p*/provider_traces t
where t.id = $1 and t.provider = $2 and t.started_at is null and t.expires_at > now();

-- name: begun
-- read
-- $1 id
select t.is_dry, t.provider, t.ended_at is not null as is_ended
from /*p*/provider_traces t where t.id = $1 and t.started_at is not null;

-- name: note
-- The lock on the row keeps steps in order. What comes after the end is left out.
-- $1 id
-- $2 steps, array
-- $3 outcome, or null
-- $4 most steps
update /*p*/provider_traces t
set steps = t.steps || $2::jsonb, outcome = $3, ended_at = case when $3::text is not null then now() end
where t.id = $1 and t.ended_at is null and ($3::text is not null or jsonb_array_length(t.steps) < $4);

-- name: of_provider
-- read
-- $1 provider
-- $2 seconds after the beginning in which a browser may come back
-- $3 limit
select t.id, t.provider, t.is_dry, t.operator_name, to_json(t.created_at) as created_at,
  to_json(t.expires_at) as expires_at, to_json(t.started_at) as started_at, to_json(t.ended_at) as ended_at,
  case when t.outcome is not null then t.outcome
    when t.started_at is null and t.expires_at > now() then 'waiting'
    when t.started_at is null then 'expired'
    when t.started_at > now() - make_interval(secs => $2::double precision) then 'running'
    else 'abandoned' end as state
from /*p*/provider_traces t
where t.provider = $1
order by t.created_at desc
limit $3;

-- name: trace
-- read
-- $1 id
-- $2 seconds after the beginning in which a browser may come back
-- $3 number of steps that are known already
select t.id, t.provider, t.is_dry, t.operator_name, to_json(t.created_at) as created_at,
  to_json(t.expires_at) as expires_at, to_json(t.started_at) as started_at, to_json(t.ended_at) as ended_at,
  case when t.outcome is not null then t.outcome
    when t.started_at is null and t.expires_at > now() then 'waiting'
    when t.started_at is null then 'expired'
    when t.started_at > now() - make_interval(secs => $2::double precision) then 'running'
    else 'abandoned' end as state,
  coalesce((select jsonb_agg(s.value order by s.ordinality) from jsonb_array_elements(t.steps) with ordinality s
    where s.ordinality > $3), '[]') as steps
from /*p*/provider_traces t
where t.id = $1;

-- name: keep_said
-- What an identity provider said of the person.
-- $1 id
-- $2 object
update /*p*/provider_traces t set said = $2 where t.id = $1 and t.ended_at is null;

-- name: last_said
-- The newest.
-- read
-- $1 provider
select t.id, to_json(t.ended_at) as ended_at, t.said
from /*p*/provider_traces t
where t.provider = $1 and t.said is not null
order by t.created_at desc
limit 1;
