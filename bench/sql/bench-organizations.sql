-- What `npm run bench:organizations` needs of its databases.

-- name: join_five
-- Five organizations of which all of the accounts are members.
-- $1 addresses
with added as (
  insert into /*p*/organizations (name, slug)
  select 'Company ' || n, 'company-' || n from generate_series(1, 5) n
  returning id
)
insert into /*p*/organization_members (organization_id, user_id, roles, via)
select a.id, u.id, '{admin}', 'admin' from added a, /*p*/users u where u.email = any($1::text[]);

-- name: people
-- The users by number.
do $$
begin
  create unlogged table bench_people as
    select row_number() over (order by u.created_at, u.id)::int as n, u.id, u.email from /*p*/users u;
  create unique index on bench_people (n);
  analyze bench_people;
end
$$;

-- name: companies
-- $1 how many
insert into /*p*/organizations (id, name, slug, created_at)
select ('c0000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'Company Number ' || n, 'company-' || n,
  now() - n * interval '1 minute'
from generate_series(1, $1::int) n;

-- name: heavy
-- The first user is a member of many.
-- $1 how many
insert into /*p*/organization_members (organization_id, user_id, roles, via, joined_at)
select ('c0000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, (select p.id from bench_people p where p.n = 1),
  '{admin}', 'admin', now() - n * interval '1 hour'
from generate_series(1, $1::int) n;

-- name: members
-- Five members of each of some organizations; the first of them is the owner.
-- $1 number of the first organization
-- $2 number of the last one
-- $3 how many users there are
insert into /*p*/organization_members (organization_id, user_id, roles, via, joined_at)
select ('c0000000-0000-4000-8000-' || lpad(to_hex(o.n), 12, '0'))::uuid, p.id,
  case k when 0 then '{owner}'::text[] when 1 then '{admin}' else '{member}' end, 'admin',
  now() - o.n * interval '1 minute' + k * interval '1 second'
from generate_series($1::int, $2::int) o (n)
cross join generate_series(0, 4) k
join bench_people p on p.n = (o.n * 7 + k * 131) % $3::int + 1
on conflict do nothing;

-- name: crowd
-- Members of the first organization, some of them by number of the user.
-- $1 number of the first user
-- $2 number of the last one
insert into /*p*/organization_members (organization_id, user_id, roles, via, joined_at)
select 'c0000000-0000-4000-8000-000000000001'::uuid, p.id, '{member}', 'admin', now() - p.n * interval '1 second'
from bench_people p
where p.n between $1::int and $2::int
on conflict do nothing;

-- name: session
-- A session of the first user.
with opened as (
  insert into /*p*/sessions (user_id) select p.id from bench_people p where p.n = 1
  returning id, user_id
)
select o.id as session_id, o.user_id, p.email, '' as created_at
from opened o join bench_people p on p.id = o.user_id;
