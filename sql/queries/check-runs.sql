-- Runs of checks by operators: the last one of each check and argument.

-- name: start
-- No row: it runs already, on whatever machine. Runs of more than a week ago go.
-- $1 name
-- $2 argument, or empty
-- $3 id of the run
-- $4 name of the operator
-- $5 name of the machine
-- $6 seconds after which a run counts as lost
-- $7 audit entries, array
with forgotten as (
  delete from /*p*/check_runs r
  where r.started_at < now() - interval '7 days' and (r.name, r.argument) <> ($1, $2)
), started as (
  insert into /*p*/check_runs as r (name, argument, run_id, operator_name, host)
  values ($1, $2, $3, $4, $5)
  on conflict (name, argument) do update
  set run_id = excluded.run_id, state = 'running', output = '', operator_name = excluded.operator_name,
    host = excluded.host, started_at = now(), ended_at = null
  where r.state <> 'running' or r.started_at < now() - make_interval(secs => $6::double precision)
  returning r.name
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from started, jsonb_array_elements($7::jsonb) e
)
select s.name from started s;

-- name: progress
-- No row: another run has taken its place.
-- $1 name
-- $2 argument
-- $3 id of the run
-- $4 what it has printed
-- $5 state
update /*p*/check_runs r
set output = $4, state = $5, ended_at = case when $5 = 'running' then null else now() end
where r.name = $1 and r.argument = $2 and r.run_id = $3 and r.state = 'running'
returning r.name;

-- name: list
-- read
-- $1 seconds after which a run counts as lost
select r.name, r.argument, r.operator_name, r.host, to_json(r.started_at) as started_at,
  to_json(r.ended_at) as ended_at,
  case when r.state = 'running' and r.started_at < now() - make_interval(secs => $1::double precision)
    then 'lost' else r.state end as state
from /*p*/check_runs r
order by r.name, r.argument;

-- name: run
-- read
-- $1 name
-- $2 argument
-- $3 seconds after which a run counts as lost
select r.name, r.argument, r.operator_name, r.host, to_json(r.started_at) as started_at,
  to_json(r.ended_at) as ended_at,
  case when r.state = 'running' and r.started_at < now() - make_interval(secs => $3::double precision)
    then 'lost' else r.state end as state,
  r.output
from /*p*/check_runs r
where r.name = $1 and r.argument = $2;
