-- Of accounts with an address that nobody has proven yet: what an operator set or imported, which the first proof of the
-- address keeps, and whether the sign-ups for it agreed. An account without a row was made by one ordinary sign-up.
create table /*p*/account_origins (
  user_id uuid primary key references /*p*/users (id) on delete cascade,
  -- Any of password, email, phone.
  operator_set text[] not null default '{}',
  operator_metadata jsonb not null default '{}',
  operator_identities uuid[] not null default '{}',
  -- Two sign-ups for the address carried different passwords.
  is_contested boolean not null default false
);

-- A session that a ban ended is not one whose refresh token was used twice.
alter table /*p*/sessions add column ended_by_ban boolean not null default false;

-- A change of the password ends the linking flows of the account.
create index /*p*/flow_states_linking_idx on /*p*/flow_states (linking_target_id) where linking_target_id is not null;
