-- Settings in the database. A set is what was changed at once; what is in force is the last change of each name, so a set that
-- is there is there whole, and every earlier state can be read.
create table /*p*/setting_sets (
  version integer primary key,
  changed_at timestamptz not null default now(),
  -- Name of the operator, or of the command.
  changed_by text not null,
  comment text not null default '',
  -- The version whose state it restored.
  restored integer
);

create table /*p*/setting_changes (
  version integer not null references /*p*/setting_sets (version) on delete cascade,
  name text not null,
  -- As the environment would have it; null: the set removed the name.
  text text,
  -- AES-256-GCM in place of a secret.
  is_sealed boolean not null default false,
  primary key (version, name)
);

create index /*p*/setting_changes_name_idx on /*p*/setting_changes (name, version desc);

-- Which set each process uses.
create table /*p*/setting_processes (
  id uuid primary key,
  host text not null,
  version integer not null,
  -- Why it does not use the newest set.
  error text,
  seen_at timestamptz not null default now()
);
