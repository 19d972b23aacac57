-- Lists of the console. None counts its rows, and each page is found in an index.

-- name: users
-- Newest first. At most a number of accounts is looked at, so that a filter that few match costs no more than one that
-- many match. The last row of a page that is not full has no user and is where that ended:
-- the next one goes on there.
-- read
-- $1 audience
-- $2 created_at of the last row of the previous page
-- $3 its id
-- $4 created at or after this, or null
-- $5 accounts to look at
-- $6 accounts to find
-- $7 provider, or null
-- $8 has a confirmed address, or null
-- $9 is banned, or null
-- $10 is anonymous, or null
-- $11 last signed in at or after this, or null
-- $12 last signed in before this, or never, or null
-- $13 part of the address or number, or null
with seen as materialized (
  select w.id, w.created_at, row_number() over (order by w.created_at desc, w.id desc) as position,
    w.deleted_at is null
    and ($7::text is null or w.app_metadata -> 'providers' ? $7)
    and ($8::boolean is null
      or (w.email_confirmed_at is not null or w.phone_confirmed_at is not null) = $8)
    and ($9::boolean is null or coalesce(w.banned_until > now(), false) = $9)
    and ($10::boolean is null or w.is_anonymous = $10)
    and ($11::timestamptz is null or w.last_sign_in_at >= $11)
    and ($12::timestamptz is null or w.last_sign_in_at is null or w.last_sign_in_at < $12)
    and ($13::text is null or strpos(w.email, $13) > 0 or strpos(w.phone, $13) > 0) as is_match
  from (
    select u.* from /*p*/users u
    where u.aud = $1 and (u.created_at, u.id) < ($2::timestamptz, $3::uuid)
      and u.created_at >= coalesce($4::timestamptz, '-infinity')
    order by u.created_at desc, u.id desc
    limit $5
  ) w
), page as (
  select s.id, s.created_at, s.position from seen s
  -- The order in which they were seen, so that none is looked at beyond the page (Postgres 17 and later).
  where s.is_match order by s.created_at desc, s.id desc limit $6
)
select p.id, p.position::int, to_json(p.created_at) as created_at,
  (select row_to_json(u) from /*p*/users u where u.id = p.id) as "user",
  (select json_agg(i order by i.created_at, i.id) from /*p*/identities i where i.user_id = p.id) as identities
from page p
union all
(
  -- A page that is full asks for no end, so that no more accounts are looked at than it has.
  select s.id, s.position::int, to_json(s.created_at), null, null from seen s
  where (select count(*) from page) < $6
  order by s.position desc
  limit 1
);

-- name: users_by_email
-- By the beginning of the address, in its order.
-- read
-- $1 where the page begins: the beginning of the address, or that of the last row
-- $2 end of the range
-- $3 id of the last row, or null
-- $4 limit
select row_to_json(u) as "user",
  (select json_agg(i order by i.created_at, i.id) from /*p*/identities i where i.user_id = u.id) as identities
from (
  select c.* from /*p*/users c
  where c.email ~>=~ $1 and c.email ~<~ $2 and ($3::uuid is null or c.email <> $1 or c.id > $3::uuid)
    and c.deleted_at is null
  order by c.email using ~<~, c.id
  limit $4
) u
order by u.email using ~<~, u.id;

-- name: users_by_phone
-- The same by the beginning of the number.
-- read
-- $1 where the page begins: the beginning of the number, or that of the last row
-- $2 end of the range
-- $3 id of the last row, or null
-- $4 limit
select row_to_json(u) as "user",
  (select json_agg(i order by i.created_at, i.id) from /*p*/identities i where i.user_id = u.id) as identities
from (
  select c.* from /*p*/users c
  where c.phone ~>=~ $1 and c.phone ~<~ $2 and ($3::uuid is null or c.phone <> $1 or c.id > $3::uuid)
    and c.deleted_at is null
  order by c.phone using ~<~, c.id
  limit $4
) u
order by u.phone using ~<~, u.id;

-- name: users_by_id
-- The same by the beginning of the id.
-- read
-- $1 first id
-- $2 last id
-- $3 id of the last row of the previous page, or null
-- $4 limit
select row_to_json(u) as "user",
  (select json_agg(i order by i.created_at, i.id) from /*p*/identities i where i.user_id = u.id) as identities
from (
  select c.* from /*p*/users c
  where c.id between $1::uuid and $2::uuid and ($3::uuid is null or c.id > $3::uuid)
  order by c.id
  limit $4
) u
order by u.id;

-- name: about_users
-- How many there were when Postgres last looked.
-- read
select greatest(c.reltuples, 0)::bigint::int as about from pg_class c where c.oid = '/*p*/users'::regclass;

-- name: activity
-- Audit entries, newest first, as in users: at most a number of them is looked at, and the last row of a page
-- that is not full is where that ended.
-- read
-- $1 created_at of the last row of the previous page
-- $2 its id
-- $3 entries to look at
-- $4 entries to find
-- $5 action, or null
with seen as materialized (
  select a.id, a.created_at, row_number() over (order by a.created_at desc, a.id desc) as position,
    $5::text is null or a.payload ->> 'action' = $5 as is_match
  from (
    select l.* from /*p*/audit_log l
    where (l.created_at, l.id) < ($1::timestamptz, $2::uuid)
    order by l.created_at desc, l.id desc
    limit $3
  ) a
), page as (
  select s.id, s.created_at, s.position from seen s
  -- The order in which they were seen, so that none is looked at beyond the page (Postgres 17 and later).
  where s.is_match order by s.created_at desc, s.id desc limit $4
)
select p.id, p.position::int, to_json(p.created_at) as created_at,
  (select l.payload from /*p*/audit_log l where l.id = p.id) as payload,
  (select l.ip_address from /*p*/audit_log l where l.id = p.id) as ip_address
from page p
union all
(
  select s.id, s.position::int, to_json(s.created_at), null, null from seen s
  where (select count(*) from page) < $4
  order by s.position desc
  limit 1
);

-- name: activity_of
-- What somebody did and what was done to somebody, newest first, as in activity.
-- read
-- $1 id of a user or operator
-- $2 created_at of the last row of the previous page
-- $3 its id
-- $4 entries to look at
-- $5 entries to find
-- $6 action, or null
with seen as materialized (
  select w.id, w.created_at, row_number() over (order by w.created_at desc, w.id desc) as position,
    $6::text is null or w.action = $6 as is_match
  from (
    (
      select a.id, a.created_at, a.payload ->> 'action' as action from /*p*/audit_log a
      where a.payload ->> 'actor_id' = $1 and (a.created_at, a.id) < ($2::timestamptz, $3::uuid)
      order by a.created_at desc, a.id desc
      limit $4
    )
    union
    (
      select a.id, a.created_at, a.payload ->> 'action' from /*p*/audit_log a
      where a.payload #>> '{traits,user_id}' = $1 and (a.created_at, a.id) < ($2::timestamptz, $3::uuid)
      order by a.created_at desc, a.id desc
      limit $4
    )
    order by created_at desc, id desc
    limit $4
  ) w
), page as (
  select s.id, s.created_at, s.position from seen s
  where s.is_match order by s.created_at desc, s.id desc limit $5
)
select p.id, p.position::int, to_json(p.created_at) as created_at,
  (select l.payload from /*p*/audit_log l where l.id = p.id) as payload,
  (select l.ip_address from /*p*/audit_log l where l.id = p.id) as ip_address
from page p
union all
(
  select s.id, s.position::int, to_json(s.created_at), null, null from seen s
  where (select count(*) from page) < $5
  order by s.position desc
  limit 1
);

-- name: activity_of_organization
-- What concerns an organization, newest first, as in activity.
-- read
-- $1 organization id, as text
-- $2 created_at of the last row of the previous page
-- $3 its id
-- $4 entries to look at
-- $5 entries to find
-- $6 action, or null
-- $7 id of a user or operator who did it, or to whom it was done, or null
with seen as materialized (
  select a.id, a.created_at, row_number() over (order by a.created_at desc, a.id desc) as position,
    ($6::text is null or a.payload ->> 'action' = $6)
    and ($7::text is null or a.payload ->> 'actor_id' = $7 or a.payload #>> '{traits,user_id}' = $7) as is_match
  from (
    select l.* from /*p*/audit_log l
    where l.payload #>> '{traits,organization_id}' = $1 and (l.created_at, l.id) < ($2::timestamptz, $3::uuid)
    order by l.created_at desc, l.id desc
    limit $4
  ) a
), page as (
  select s.id, s.created_at, s.position from seen s
  where coalesce(s.is_match, false) order by s.created_at desc, s.id desc limit $5
)
select p.id, p.position::int, to_json(p.created_at) as created_at,
  (select l.payload from /*p*/audit_log l where l.id = p.id) as payload,
  (select l.ip_address from /*p*/audit_log l where l.id = p.id) as ip_address
from page p
union all
(
  select s.id, s.position::int, to_json(s.created_at), null, null from seen s
  where (select count(*) from page) < $5
  order by s.position desc
  limit 1
);

-- name: activity_since
-- The entries after one, oldest first. A transaction may commit entries that are a little older than those that are
-- there, so the range can begin earlier.
-- read
-- $1 created_at of the newest row that is known
-- $2 its id
-- $3 seconds to look back
-- $4 limit
select a.id, to_json(a.created_at) as created_at, a.payload, a.ip_address
from /*p*/audit_log a
where (a.created_at, a.id) > ($1::timestamptz - make_interval(secs => $3::double precision), $2::uuid)
order by a.created_at, a.id
limit $4;

-- name: client_grants
-- The users who have allowed a client something, newest first.
-- read
-- $1 client id
-- $2 granted_at of the last row of the previous page
-- $3 its user id
-- $4 limit
select k.user_id, u.email, u.phone, k.scopes, to_json(k.granted_at) as granted_at
from /*p*/oauth_consents k join /*p*/users u on u.id = k.user_id
where k.client_id = $1 and k.revoked_at is null and (k.granted_at, k.user_id) < ($2::timestamptz, $3::uuid)
order by k.granted_at desc, k.user_id desc
limit $4::bigint;
