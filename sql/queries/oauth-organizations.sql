-- name: candidates
-- The organizations of a user that the request of a client may be for, the newest membership first.
-- read
-- $1 user id
-- $2 the only organization that the client serves, or null
-- $3 id or slug of the one that the client names, or null
-- $4 how many at most
select o.id, o.name, o.slug
from /*p*/organization_members m
join /*p*/organizations o on o.id = m.organization_id
where m.user_id = $1 and ($2::uuid is null or m.organization_id = $2::uuid)
  and ($3::text is null or o.slug = $3::text or o.id::text = lower($3::text))
order by m.joined_at desc, m.organization_id desc
limit $4::bigint;
