-- name: schema_version
-- Number of the newest migration. A server is not ready while its schema is older.
-- read
select coalesce(max(m.migration_id), 0)::int as version from /*p*/migrations m;

-- name: clock
-- In seconds since the epoch.
-- read
select extract(epoch from clock_timestamp())::float8 as seconds;

-- name: primary_position
-- Position of the primary in the write-ahead log, in bytes. Fails on a replica.
-- read
select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as position;

-- name: replay_position
-- Replay position of a replica in that log; null on a server that never was one.
-- read
select pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::float8 as position;
