-- Clients of the authorization server that serve an organization.

-- name: page
-- Newest first.
-- read
-- $1 organization id
-- $2 created_at of the last one of the page before, or null
-- $3 its id, or null
-- $4 how many at most
select row_to_json(c) as client, c.created_at
from /*p*/oauth_clients c
where c.organization_id = $1 and c.deleted_at is null
  and ($2::timestamptz is null or (c.created_at, c.id) < ($2::timestamptz, $3::uuid))
order by c.created_at desc, c.id desc
limit $4::bigint;

-- name: count
-- Call it with the organization locked.
-- $1 organization id
select count(*)::int as clients from /*p*/oauth_clients c where c.organization_id = $1 and c.deleted_at is null;

-- name: lock
-- Call it with the organization locked.
-- $1 client id
-- $2 organization id
select row_to_json(c) as client from /*p*/oauth_clients c
where c.id = $1 and c.organization_id = $2 and c.deleted_at is null
for no key update;
