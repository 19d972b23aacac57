-- name: schema_version
-- Number of the newest migration, so that a server does not call itself ready on a schema it does not know.
-- read
select coalesce(max(m.migration_id), 0)::int as version from /*p*/migrations m;

-- name: primary_position
-- How far the primary has written, in bytes of its log. Fails on a server that is a replica.
-- read
select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as position;

-- name: replay_position
-- How far a replica has got in the same log; null on a server that never was one.
-- read
select pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::float8 as position;
