-- Pages of accounts. Each statement finds the ids of its page in an index and then reads the rows, so skipped rows are
-- never read. Pages beyond the middle are read from the other end, since an offset costs per row. The row is a
-- subquery: the planner does not know the page's length and would read the whole table for a join. The first row has
-- the total even when the page is empty.

-- name: newest
-- read
-- $1 audience
-- $2 limit
-- $3 offset
with total as materialized (
  select count(*) as rows from /*p*/users u where u.aud = $1
), page as (
  (
    select u.id, u.created_at from /*p*/users u
    where u.aud = $1
    order by u.created_at desc, u.id desc
    limit (select case when $3::bigint <= t.rows / 2 then $2::bigint else 0 end from total t)
    offset $3::bigint
  )
  union all
  (
    select u.id, u.created_at from /*p*/users u
    where u.aud = $1
    order by u.created_at, u.id
    limit (select case when $3::bigint > t.rows / 2 then greatest(0, least($2::bigint, t.rows - $3::bigint)) else 0 end
      from total t)
    offset (select greatest(0, t.rows - $3::bigint - $2::bigint) from total t)
  )
)
select t.rows as total,
  (select row_to_json(u) from /*p*/users u where u.id = p.id) as "user",
  (select json_agg(i order by i.created_at, i.id) from /*p*/identities i where i.user_id = p.id) as identities
from total t
left join page p on true
order by p.created_at desc, p.id desc;

-- name: oldest
-- read
-- $1 audience
-- $2 limit
-- $3 offset
with total as materialized (
  select count(*) as rows from /*p*/users u where u.aud = $1
), page as (
  (
    select u.id, u.created_at from /*p*/users u
    where u.aud = $1
    order by u.created_at, u.id
    limit (select case when $3::bigint <= t.rows / 2 then $2::bigint else 0 end from total t)
    offset $3::bigint
  )
  union all
  (
    select u.id, u.created_at from /*p*/users u
    where u.aud = $1
    order by u.created_at desc, u.id desc
    limit (select case when $3::bigint > t.rows / 2 then greatest(0, least($2::bigint, t.rows - $3::bigint)) else 0 end
      from total t)
    offset (select greatest(0, t.rows - $3::bigint - $2::bigint) from total t)
  )
)
select t.rows as total,
  (select row_to_json(u) from /*p*/users u where u.id = p.id) as "user",
  (select json_agg(i order by i.created_at, i.id) from /*p*/identities i where i.user_id = p.id) as identities
from total t
left join page p on true
order by p.created_at, p.id;

-- name: matching
-- With a substring of the address or the full name. This reads all accounts of the audience, bounded by the statement
-- timeout. Ids and dates of the matches are materialized, so that they are counted and sorted once.
-- read
-- $1 audience
-- $2 limit
-- $3 offset
-- $4 substring of the email, or of user_metadata.full_name ignoring case
-- $5 oldest first
with matches as materialized (
  select u.id, u.created_at from /*p*/users u
  where u.aud = $1
    and (strpos(u.email, $4) > 0 or strpos(lower(u.user_metadata ->> 'full_name'), lower($4)) > 0)
), page as (
  select m.id, m.created_at from matches m
  order by case when $5::boolean then m.created_at end, case when $5::boolean then m.id end,
    m.created_at desc, m.id desc
  limit $2::bigint offset $3::bigint
), total as (
  select count(*) as rows from matches
)
select t.rows as total,
  (select row_to_json(u) from /*p*/users u where u.id = p.id) as "user",
  (select json_agg(i order by i.created_at, i.id) from /*p*/identities i where i.user_id = p.id) as identities
from total t
left join page p on true
order by case when $5::boolean then p.created_at end, case when $5::boolean then p.id end, p.created_at desc, p.id desc;

-- name: exact
-- By id, email and phone, as far as they are given; each has an index. Few rows match, since an address is unique
-- outside single sign-on.
-- read
-- $1 audience
-- $2 id, or null
-- $3 email, or null
-- $4 phone, or null
select row_to_json(u) as "user",
  (select json_agg(i order by i.created_at, i.id) from /*p*/identities i where i.user_id = u.id) as identities
from /*p*/users u
where u.id in (
    select c.id from /*p*/users c where c.id = $2::uuid
    union
    select c.id from /*p*/users c where c.email = $3::text and not c.is_sso_user
    union
    select i.user_id from /*p*/identities i where i.email = $3::text
    union
    select c.id from /*p*/users c where c.phone = $4::text and not c.is_sso_user
  )
  and u.aud = $1
  and ($2::uuid is null or u.id = $2::uuid)
  and ($3::text is null or u.email = $3::text)
  and ($4::text is null or u.phone = $4::text)
order by u.created_at desc, u.id desc;

-- name: newest_after
-- The rows after a position in the list, without a total.
-- read
-- $1 audience
-- $2 limit
-- $3 created_at of the last row of the previous page
-- $4 its id
-- $5 substring as in matching, or null
select row_to_json(u) as "user",
  (select json_agg(i order by i.created_at, i.id) from /*p*/identities i where i.user_id = u.id) as identities
from (
  select l.* from /*p*/users l
  where l.aud = $1 and (l.created_at, l.id) < ($3::timestamptz, $4::uuid)
    and ($5::text is null or strpos(l.email, $5) > 0
      or strpos(lower(l.user_metadata ->> 'full_name'), lower($5)) > 0)
  order by l.created_at desc, l.id desc
  limit $2::bigint
) u
order by u.created_at desc, u.id desc;

-- name: oldest_after
-- read
-- $1 audience
-- $2 limit
-- $3 created_at of the last row of the previous page
-- $4 its id
-- $5 substring as in matching, or null
select row_to_json(u) as "user",
  (select json_agg(i order by i.created_at, i.id) from /*p*/identities i where i.user_id = u.id) as identities
from (
  select l.* from /*p*/users l
  where l.aud = $1 and (l.created_at, l.id) > ($3::timestamptz, $4::uuid)
    and ($5::text is null or strpos(l.email, $5) > 0
      or strpos(lower(l.user_metadata ->> 'full_name'), lower($5)) > 0)
  order by l.created_at, l.id
  limit $2::bigint
) u
order by u.created_at, u.id;
