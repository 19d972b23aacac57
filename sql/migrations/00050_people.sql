-- People in the console: imports of files, notes on users, saved filters.

-- A file that is imported in pieces, as far as it has come. For a week.
create table /*p*/import_runs (
  id uuid primary key default gen_random_uuid(),
  operator_id uuid not null,
  operator_name text not null,
  file_name text not null,
  file_bytes bigint not null,
  -- Of its first bytes, so that the same file is known again.
  fingerprint text not null,
  -- Format, delimiter, columns and what they become.
  layout jsonb not null,
  -- Nothing is stored but what would become of the rows.
  is_dry boolean not null,
  -- Byte and line after the last row, and what is known of a row that is left out.
  place jsonb not null,
  counts jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  ended_at timestamptz
);

create index /*p*/import_runs_created_idx on /*p*/import_runs (created_at);

-- What became of the rows of a piece: lines, ids and reasons, no values.
create table /*p*/import_results (
  run_id uuid not null references /*p*/import_runs (id) on delete cascade,
  -- Byte of the file at which the piece begins.
  position bigint not null,
  results jsonb not null,
  primary key (run_id, position)
);

-- What no two rows of a file may have in common, while it is tried: keyed hashes with the first line.
create table /*p*/import_keys (
  run_id uuid not null references /*p*/import_runs (id) on delete cascade,
  key_hash text not null,
  line int not null,
  primary key (run_id, key_hash)
);

-- What operators note about a user. No answer to the user, and no token, has it.
create table /*p*/user_notes (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references /*p*/users (id) on delete cascade,
  operator_id uuid not null,
  operator_name text not null,
  body text not null,
  created_at timestamptz not null default now(),
  constraint /*p*/user_notes_body_check check (octet_length(body) <= 4096)
);

create index /*p*/user_notes_user_idx on /*p*/user_notes (user_id, created_at desc, id desc);

-- Filters of the list of users that operators have given a name.
create table /*p*/saved_filters (
  id uuid primary key default gen_random_uuid(),
  operator_id uuid not null references /*p*/operators (id) on delete cascade,
  name text not null,
  -- Names of parameters with their texts.
  query jsonb not null,
  -- All operators see it.
  is_shared boolean not null,
  created_at timestamptz not null default now()
);

create unique index /*p*/saved_filters_name_key on /*p*/saved_filters (operator_id, name);
