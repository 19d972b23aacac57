-- name: candidates
-- The organizations of a user that the request of a client may be for, the newest membership first.
-- read
-- $1 user id
-- $2 the only organization that the client serves, or null
-- $3 id of the one that the client names, or null
-- $4 its slug, where the client names it so, or null
-- $5 how many at most
select o.id, o.name, o.slug
from /*p*/organization_members m
join /*p*/organizations o on o.id = m.organization_id
where m.user_id = $1 and ($2::uuid is null or m.organization_id = $2::uuid)
  and ($3::uuid is null or o.id = $3::uuid) and ($4::text is null or o.slug = $4::text)
order by m.joined_at desc, m.organization_id desc
limit $5::bigint;
