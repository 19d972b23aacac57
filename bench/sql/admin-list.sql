-- The accounts that bench/admin-list.ts lists.

-- name: populate
-- Made over a year, in no order of their ids, each with an identity and a name.
-- $1 how many
with new_users as (
  insert into /*p*/users (id, aud, role, email, email_confirmed_at, app_metadata, user_metadata, created_at)
  select gen_random_uuid(), 'authenticated', 'authenticated', 'person-' || n || '@example.com', now(),
    '{"provider": "email", "providers": ["email"]}',
    jsonb_build_object('full_name', 'Person Number ' || n, 'email_verified', true, 'plan', 'free'),
    now() - random() * interval '365 days'
  from generate_series(1, $1::int) n
  returning id, email, created_at
)
insert into /*p*/identities (user_id, provider, provider_id, identity_data, last_sign_in_at, created_at)
select u.id, 'email', u.id::text, jsonb_build_object('sub', u.id, 'email', u.email), now(), u.created_at
from new_users u;

-- name: sign_in
-- What a day does to the table: every tenth row has a new version, and its page is no longer known to be visible to all.
update /*p*/users u set last_sign_in_at = now(), updated_at = now()
where ('x' || left(u.id::text, 2))::bit(8)::int % 10 = 0;
