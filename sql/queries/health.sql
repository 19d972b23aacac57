-- name: schema_version
-- Number of the newest migration, so that a server does not call itself ready on a schema it does not know.
-- read
select coalesce(max(m.migration_id), 0)::int as version from /*p*/migrations m;
