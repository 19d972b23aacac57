-- Accounts that were there before the mirror, in batches. Each returns the last id, or null once there are no more.

-- name: users
-- $1 id of the last one; null: from the beginning
-- $2 how many
with next as (
  select u.id from /*p*/users u where $1::uuid is null or u.id > $1 order by u.id limit $2
), done as (
  select /*p*/mirror_users(array(select n.id from next n))
)
select (select n.id from next n order by n.id desc limit 1) as last from done;

-- name: identities
-- $1 id of the last one; null: from the beginning
-- $2 how many
with next as (
  select i.id from /*p*/identities i where $1::uuid is null or i.id > $1 order by i.id limit $2
), done as (
  select /*p*/mirror_identities(array(select n.id from next n))
)
select (select n.id from next n order by n.id desc limit 1) as last from done;
