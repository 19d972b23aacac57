-- The last calls of each scope of provisioning, for the console. Written in batches after the answers, and 200 a scope are kept.
create table /*p*/scim_calls (
  id uuid primary key default gen_random_uuid(),
  scope_id uuid not null references /*p*/scim_scopes (id) on delete cascade,
  called_at timestamptz not null,
  request_id text not null,
  -- That of the token when it called.
  token_name text not null,
  method text not null,
  -- Below /scim/v2, without values that a filter looks for.
  path text not null,
  status integer not null,
  scim_type text,
  detail text,
  -- What it was to change: attributes, without their values.
  changes text[] not null,
  -- Without reference: it may be gone.
  resource_id uuid
);

create index /*p*/scim_calls_scope_idx on /*p*/scim_calls (scope_id, called_at desc, id desc);
