-- What the bench puts into the database and reads back.

-- name: populate
-- Users without load, each with an identity and a session. On a table of a page or two Postgres plans sequential scans,
-- which read every dead version of the rows that the load updates; no real deployment looks like that.
-- $1 how many
with new_users as (
  insert into /*p*/users (id, aud, role, email, email_confirmed_at, last_sign_in_at, app_metadata)
  select gen_random_uuid(), 'authenticated', 'authenticated', 'idle-' || n || '@example.com', now(), now(),
    '{"provider": "email", "providers": ["email"]}'
  from generate_series(1, $1::int) n
  returning id, email
), new_identities as (
  insert into /*p*/identities (user_id, provider, provider_id, identity_data, last_sign_in_at)
  select u.id, 'email', u.id::text, jsonb_build_object('sub', u.id, 'email', u.email), now() from new_users u
)
insert into /*p*/sessions (user_id, user_agent, ip)
select u.id, 'Mozilla/5.0', '192.0.2.1' from new_users u;

-- name: analyze
-- For the planner, and so that no measurement pays for the dead rows of another.
vacuum (analyze);

-- name: open
-- Sessions for the loops that talk to the database directly, one for each client; replaces those of earlier rounds.
-- $1 how many
with ended as (
  delete from /*p*/sessions where tag = 'bench'
), opened as (
  insert into /*p*/sessions (user_id, tag)
  select u.id, 'bench' from /*p*/users u order by u.created_at, u.id limit $1
  returning id, user_id
)
select o.id, o.user_id, concat_ws(' ', u.updated_at, u.xmin) as version
from opened o join /*p*/users u on u.id = o.user_id;

-- name: redeemed
-- How many times they were redeemed, which must agree with the count of the loop.
select coalesce(sum(s.generation), 0)::int as redeemed from /*p*/sessions s where s.tag = 'bench';

-- name: lost
-- Acknowledged tokens whose session is missing or has an earlier generation.
-- $1 session ids
-- $2 generations
select count(*)::int as lost
from unnest($1::uuid[], $2::bigint[]) as acknowledged (id, generation)
left join /*p*/sessions s on s.id = acknowledged.id
where s.id is null or s.generation < acknowledged.generation;
