-- What happened in one sign-in at a provider, hop by hop, for the operator who opened the trace. For a day.
create table /*p*/provider_traces (
  id uuid primary key,
  -- Lower case; custom: in front of one that is not built in.
  provider text not null,
  -- It ends before anything about an account is written.
  is_dry boolean not null,
  operator_name text not null,
  -- Objects, oldest first. No tokens, codes or secrets.
  steps jsonb not null default '[]',
  -- session, code, dry_run, denied or failed; null: not yet.
  outcome text,
  created_at timestamptz not null default now(),
  -- When it can no longer be begun.
  expires_at timestamptz not null,
  started_at timestamptz,
  ended_at timestamptz
);

create index /*p*/provider_traces_provider_idx on /*p*/provider_traces (provider, created_at desc);
create index /*p*/provider_traces_created_idx on /*p*/provider_traces (created_at);

-- Of a flow that is such an attempt.
alter table /*p*/flow_states add column trace_id uuid;
