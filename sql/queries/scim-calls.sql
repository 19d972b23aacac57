-- The last calls of each scope of provisioning.

-- name: insert
-- What belongs to a scope that is gone is left out.
-- $1 list of calls
insert into /*p*/scim_calls
  (scope_id, called_at, request_id, token_name, method, path, status, scim_type, detail, changes, resource_id)
select s.id, c.called_at, c.request_id, c.token_name, c.method, c.path, c.status, c.scim_type, c.detail, c.changes, c.resource_id
from json_to_recordset($1::json) as c (
  scope_id uuid, called_at timestamptz, request_id text, token_name text, method text, path text, status integer,
  scim_type text, detail text, changes text[], resource_id uuid
)
join /*p*/scim_scopes s on s.id = c.scope_id;

-- name: trim
-- Of each scope only the newest stay.
-- $1 scope ids
-- $2 how many stay
delete from /*p*/scim_calls c
where c.id = any(array(
  select d.id
  from unnest($1::uuid[]) as s (id)
  cross join lateral (
    select l.id from /*p*/scim_calls l
    where l.scope_id = s.id
    order by l.called_at desc, l.id desc
    offset $2::bigint
    for update skip locked
  ) d
));

-- name: list
-- Newest first.
-- read
-- $1 scope id
-- $2 limit
select c.id, to_json(c.called_at) as called_at, c.request_id, c.token_name, c.method, c.path, c.status, c.scim_type, c.detail,
  c.changes, c.resource_id
from /*p*/scim_calls c
where c.scope_id = $1
order by c.called_at desc, c.id desc
limit $2;
