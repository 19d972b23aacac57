-- The leaked password that a notice was sent about, so that there is one notice for each password.
create table /*p*/leak_notices (
  user_id uuid primary key references /*p*/users (id) on delete cascade,
  -- SHA-256 of the stored hash.
  password_digest bytea not null,
  noticed_at timestamptz not null default now()
);
