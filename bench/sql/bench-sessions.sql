-- Sessions for the loops that talk to the database directly. Each client of a loop redeems its own.

-- name: open
-- New ones for one round; those of earlier rounds go.
-- $1 how many
with gone as (
  delete from /*p*/sessions where tag = 'bench'
)
insert into /*p*/sessions (user_id, tag)
select u.id, 'bench' from /*p*/users u order by u.created_at, u.id limit $1
returning id, user_id;

-- name: redeemed
-- How many times they were redeemed: a loop's own count has to agree.
select coalesce(sum(s.generation), 0)::int as redeemed from /*p*/sessions s where s.tag = 'bench';

-- name: lost
-- Acknowledged tokens whose session is not there, or is behind what the client was told.
-- $1 session ids
-- $2 generations
select count(*)::int as lost
from unnest($1::uuid[], $2::bigint[]) as told (id, generation)
left join /*p*/sessions s on s.id = told.id
where s.id is null or s.generation < told.generation;
