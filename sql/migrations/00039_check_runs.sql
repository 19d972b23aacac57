-- The last run of each check that operators started, with what it printed. Any process shows what one of them runs.
create table /*p*/check_runs (
  name text not null,
  -- Of a provider, a hook or a mail; empty: the check takes none.
  argument text not null,
  run_id uuid not null,
  -- running, passed, failed, impossible or late.
  state text not null default 'running',
  output text not null default '',
  operator_name text not null,
  -- Name of the machine: each sees a network of its own.
  host text not null,
  started_at timestamptz not null default now(),
  ended_at timestamptz,
  primary key (name, argument)
);
