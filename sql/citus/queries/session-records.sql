-- What nodes have written down for the coordinator (sql/citus/session-records.sql).

-- name: take
-- Writes it here, each once.
-- $1 rows of session_records, array
select /*p*/take_session_records($1::jsonb);
