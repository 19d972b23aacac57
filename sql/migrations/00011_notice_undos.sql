-- Links that take a replaced email address back. They outlive every other change of the account.
create table /*p*/address_undos (
  -- SHA-256 of the link's token.
  link_hash text primary key,
  user_id uuid not null references /*p*/users (id) on delete cascade,
  email text not null,
  created_at timestamptz not null default now()
);

create index /*p*/address_undos_user_idx on /*p*/address_undos (user_id);
create index /*p*/address_undos_created_idx on /*p*/address_undos (created_at);
