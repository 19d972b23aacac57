-- What nodes have written down for the coordinator, by shard (sql/citus/session-records.sql).

-- name: waiting
-- The first of them, as one array; null: none.
-- read
select jsonb_agg(to_jsonb(w)) as records
from (select * from /*p*/session_records r where /*s*/ true order by r.created_at, r.id limit 200) w;

-- name: remove
-- Those that the coordinator has taken.
-- $1 ids
delete from /*p*/session_records r where /*s*/ r.id = any($1::uuid[]);
