-- What nodes have written down for the coordinator, by shard (sql/citus/session-records.sql).

-- name: waiting
-- The first of them after one, as one array; null: none.
-- read
-- $1 session id of that one
-- $2 its id
select jsonb_agg(to_jsonb(w) order by w.session_id, w.id) as records
from (
  select * from /*p*/session_records r
  where /*s*/ (r.session_id, r.id) > ($1::uuid, $2::uuid)
  order by r.session_id, r.id
  limit 200
) w;

-- name: remove
-- Those that the coordinator has taken.
-- $1 session ids
-- $2 ids
delete from /*p*/session_records r
where /*s*/ (r.session_id, r.id) in (select * from unnest($1::uuid[], $2::uuid[]));
