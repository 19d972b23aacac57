-- Hosted pages (docs/pages.md).

-- A browser in which people are signed in on the pages. Its cookie holds the secret.
create table /*p*/browsers (
  id uuid primary key default gen_random_uuid(),
  secret_hash text not null,
  -- Of at most five accounts, the one in use first. Not foreign keys: ending a session costs the same without pages.
  session_ids uuid[] not null,
  used_at timestamptz not null default now(),
  created_at timestamptz not null default now()
);

create unique index /*p*/browsers_secret_key on /*p*/browsers (secret_hash);
create index /*p*/browsers_used_idx on /*p*/browsers (used_at);

-- What follows a sign-in on the pages. It stays valid after its end, so that a second tab or a second click goes on.
create table /*p*/page_flows (
  id uuid primary key,
  -- account, authorize, consent or device.
  kind text not null,
  -- Of authorize: where the auth code or the tokens go.
  redirect_to text,
  code_challenge text,
  code_challenge_method text,
  -- Of consent and device: what is decided.
  subject text,
  -- Languages that the application asks for (ui_locales).
  languages text not null default '',
  -- As the person has typed it, or as the application knows it.
  address text not null default '',
  -- Type of the code that was sent to it.
  sent_type text,
  sent_at timestamptz,
  -- The person has forgotten the password and sets a new one before the end.
  wants_password boolean not null default false,
  -- Browser that began the flow.
  browser_hash text,
  -- Session with which the person goes on.
  session_id uuid,
  created_at timestamptz not null default now()
);

create index /*p*/page_flows_created_idx on /*p*/page_flows (created_at);
create index /*p*/page_flows_waiting_idx on /*p*/page_flows (created_at) where session_id is null;

-- Of a sign-in at a provider that a page began.
alter table /*p*/flow_states add column page_flow_id uuid;
-- Of an auth code that a page gave out: the session of the code has the level and the methods of this one.
alter table /*p*/flow_states add column source_session_id uuid;
