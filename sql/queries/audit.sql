-- name: append
-- Entries that no other statement writes.
-- $1 audit entries, array
insert into /*p*/audit_log (payload) select e.value from jsonb_array_elements($1::jsonb) e;

-- name: page
-- Newest first. The first row has the total even when the page is empty.
-- read
-- $1 limit
-- $2 offset
with page as (
  select a.id, a.created_at from /*p*/audit_log a
  order by a.created_at desc, a.id desc
  limit $1::bigint offset $2::bigint
), total as (
  select count(*) as rows from /*p*/audit_log
)
select t.rows as total, a.id, a.payload, a.created_at, a.ip_address
from total t
left join page p on true
left join lateral (select * from /*p*/audit_log l where l.id = p.id limit 1) a on true
order by p.created_at desc, p.id desc;

-- name: matching
-- The same for entries with a substring in one field, ignoring case.
-- read
-- $1 limit
-- $2 offset
-- $3 scope: author, action or type
-- $4 substring
with matches as materialized (
  select a.id, a.created_at from /*p*/audit_log a
  where case $3::text
    when 'author' then strpos(lower(a.payload ->> 'actor_username'), lower($4)) > 0
      or strpos(lower(a.payload ->> 'actor_name'), lower($4)) > 0
    when 'action' then strpos(lower(a.payload ->> 'action'), lower($4)) > 0
    else strpos(lower(a.payload ->> 'log_type'), lower($4)) > 0 end
), page as (
  select m.id, m.created_at from matches m
  order by m.created_at desc, m.id desc
  limit $1::bigint offset $2::bigint
), total as (
  select count(*) as rows from matches
)
select t.rows as total, a.id, a.payload, a.created_at, a.ip_address
from total t
left join page p on true
left join lateral (select * from /*p*/audit_log l where l.id = p.id limit 1) a on true
order by p.created_at desc, p.id desc;

-- name: of_actor
-- What a user has done, newest first.
-- read
-- $1 user id, as text
-- $2 limit
select a.id, a.payload, a.created_at, a.ip_address
from /*p*/audit_log a
where a.payload ->> 'actor_id' = $1
order by a.created_at desc
limit $2::bigint;

-- name: of_organization
-- What concerns an organization, newest first.
-- read
-- $1 organization id, as text
-- $2 created_at of the last one of the page before, or null
-- $3 its id, or null
-- $4 how many at most
select a.id, a.payload, a.created_at, a.ip_address
from /*p*/audit_log a
where a.payload #>> '{traits,organization_id}' = $1
  and ($2::timestamptz is null or (a.created_at, a.id) < ($2::timestamptz, $3::uuid))
order by a.created_at desc, a.id desc
limit $4::bigint;

-- name: matching_of_organization
-- The same as in matching, among the entries of an organization.
-- read
-- $1 limit
-- $2 offset
-- $3 organization id, as text
-- $4 scope: author, action or type; null: all entries
-- $5 substring
with matches as materialized (
  select a.id, a.created_at from /*p*/audit_log a
  where a.payload #>> '{traits,organization_id}' = $3
    and case $4::text
      when 'author' then strpos(lower(a.payload ->> 'actor_username'), lower($5)) > 0
        or strpos(lower(a.payload ->> 'actor_name'), lower($5)) > 0
      when 'action' then strpos(lower(a.payload ->> 'action'), lower($5)) > 0
      when 'type' then strpos(lower(a.payload ->> 'log_type'), lower($5)) > 0
      else true end
), page as (
  select m.id, m.created_at from matches m
  order by m.created_at desc, m.id desc
  limit $1::bigint offset $2::bigint
), total as (
  select count(*) as rows from matches
)
select t.rows as total, a.id, a.payload, a.created_at, a.ip_address
from total t
left join page p on true
left join lateral (select * from /*p*/audit_log l where l.id = p.id limit 1) a on true
order by p.created_at desc, p.id desc;
