-- The databases of bench/growth.ts.

-- name: fill
-- Users with a password and an identity, half of them with a session. As in production, ids are random and times ascend.
-- $1 number of the first
-- $2 number of the last
-- $3 how many there will be in total
with new_users as (
  insert into /*p*/users (
    id, aud, role, email, email_confirmed_at, last_sign_in_at, password_hash, app_metadata, user_metadata, created_at,
    updated_at)
  select gen_random_uuid(), 'authenticated', 'authenticated', 'person-' || n || '@example.com', made.at, made.at,
    '$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g',
    '{"provider": "email", "providers": ["email"]}',
    jsonb_build_object('full_name', 'Person Number ' || n, 'email_verified', true), made.at, made.at
  from generate_series($1::bigint, $2::bigint) n
  cross join lateral (select now() - interval '365 days' * (1 - n::double precision / $3::bigint) as at) made
  returning id, email, created_at
), new_identities as (
  insert into /*p*/identities (user_id, provider, provider_id, identity_data, last_sign_in_at, created_at, updated_at)
  select u.id, 'email', u.id::text, jsonb_build_object('sub', u.id, 'email', u.email, 'email_verified', true),
    u.created_at, u.created_at, u.created_at
  from new_users u
)
insert into /*p*/sessions (user_id, amr, user_agent, ip, created_at)
select u.id, jsonb_build_array(jsonb_build_object('method', 'password', 'timestamp', extract(epoch from u.created_at)::bigint)),
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  '192.0.2.1', u.created_at
from new_users u
where substr(u.email, 8, strpos(u.email, '@') - 8)::bigint % 2 = 0;

-- name: indexes
-- Those of no constraint: dropped while the tables are filled and built once at the end, in a fraction of the time.
select i.indexname as name, i.indexdef as definition
from pg_indexes i
where i.schemaname = current_schema() and i.tablename in ('users', 'identities', 'sessions')
  and not exists (select from pg_constraint c where c.conname = i.indexname)
order by i.indexname;

-- name: sizes
select t.relname as name, pg_relation_size(t.oid)::float8 as "table", pg_indexes_size(t.oid)::float8 as indexes
from pg_class t
where t.relnamespace = current_schema()::regnamespace and t.relname in ('users', 'identities', 'sessions');

-- name: sample
-- Sessions from all parts of the table, with their users.
-- $1 how many
select s.id as session_id, s.user_id, u.email,
  to_char(u.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || '+00:00' as created_at
from /*p*/sessions s join /*p*/users u on u.id = s.user_id
order by random()
limit $1::bigint;

-- name: generations
-- $1 session ids
select s.id as session_id, s.generation::float8 as generation from /*p*/sessions s where s.id = any($1::uuid[]);
