-- Browser and system of an account's sign-ins, while notices of new devices are on.
create table /*p*/known_devices (
  user_id uuid not null references /*p*/users (id) on delete cascade,
  device text not null,
  first_seen_at timestamptz not null default now(),
  primary key (user_id, device)
);
