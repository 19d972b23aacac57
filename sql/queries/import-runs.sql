-- Imports of files by operators, piece by piece.

-- name: start
-- $1 id of the operator
-- $2 name of the operator
-- $3 name of the file
-- $4 its length in bytes
-- $5 fingerprint
-- $6 layout
-- $7 whether nothing is stored
-- $8 place of the first row
-- $9 counts
-- $10 audit entries, array
with started as (
  insert into /*p*/import_runs (operator_id, operator_name, file_name, file_bytes, fingerprint, layout, is_dry, place, counts)
  values ($1, $2, $3, $4, $5, $6::jsonb, $7, $8::jsonb, $9::jsonb)
  returning id
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from started, jsonb_array_elements($10::jsonb) e
)
select s.id from started s;

-- name: list
-- Newest first.
-- read
-- $1 most
select r.id, r.operator_id, r.operator_name, r.file_name, r.file_bytes::float8 as file_bytes, r.fingerprint, r.layout, r.is_dry,
  r.place, r.counts, to_json(r.created_at) as created_at, to_json(r.updated_at) as updated_at,
  to_json(r.ended_at) as ended_at
from /*p*/import_runs r
order by r.created_at desc
limit $1;

-- name: run
-- $1 id
select r.id, r.operator_id, r.operator_name, r.file_name, r.file_bytes::float8 as file_bytes, r.fingerprint, r.layout, r.is_dry,
  r.place, r.counts, to_json(r.created_at) as created_at, to_json(r.updated_at) as updated_at,
  to_json(r.ended_at) as ended_at
from /*p*/import_runs r
where r.id = $1;

-- name: lock
-- The run, which no other request moves on meanwhile. No row: another one has.
-- $1 id
-- $2 byte at which it stands
select r.counts from /*p*/import_runs r
where r.id = $1 and (r.place ->> 'offset')::bigint = $2::bigint and r.ended_at is null
for update;

-- name: progress
-- In the transaction of lock.
-- $1 id
-- $2 byte at which the piece begins
-- $3 place after it
-- $4 counts
-- $5 results of the rows, array
-- $6 whether that was the last piece
-- $7 audit entries, array
with moved as (
  update /*p*/import_runs r
  set place = $3::jsonb, counts = $4::jsonb, updated_at = now(), ended_at = case when $6::boolean then now() end
  where r.id = $1
), noted as (
  insert into /*p*/import_results (run_id, position, results)
  select $1, $2::bigint, $5::jsonb where jsonb_array_length($5::jsonb) > 0
), tried as (
  delete from /*p*/import_keys k where k.run_id = $1 and $6::boolean
)
insert into /*p*/audit_log (payload) select e.value from jsonb_array_elements($7::jsonb) e;

-- name: seen
-- Notes keys of rows, and finds those that an earlier piece had.
-- $1 id of the run
-- $2 keys, array
-- $3 their lines, array
with given as (
  select g.key_hash, g.line from unnest($2::text[], $3::int[]) as g (key_hash, line)
), new_keys as (
  insert into /*p*/import_keys (run_id, key_hash, line)
  select $1, g.key_hash, min(g.line) from given g group by g.key_hash
  on conflict do nothing
)
select k.key_hash, k.line from /*p*/import_keys k
where k.run_id = $1 and k.key_hash = any ($2::text[]);

-- name: results
-- Pieces in their order.
-- read
-- $1 id of the run
-- $2 byte of the last piece of the page before, -1: from the beginning
-- $3 most pieces
select r.position::float8 as position, r.results from /*p*/import_results r
where r.run_id = $1 and r.position > $2::bigint
order by r.position
limit $3;
