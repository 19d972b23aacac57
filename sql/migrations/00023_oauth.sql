-- The OAuth 2.1 authorization server (docs/oauth-server.md).
create table /*p*/oauth_clients (
  id uuid primary key default gen_random_uuid(),
  -- Of a change: what a server remembers of a client is compared with it.
  version integer not null default 1,
  name text not null default '',
  client_type text not null,
  auth_method text not null,
  -- SHA-256, base64url. The secret has 256 random bits, so nothing slower is needed.
  secret_hash text,
  redirect_uris text[] not null,
  grant_types text[] not null,
  uri text not null default '',
  logo_uri text not null default '',
  -- The only scopes it may ask for; null: any.
  scopes text[],
  registration text not null,
  -- Lifetime of its sessions from their beginning, and without a refresh; null: as configured.
  refresh_ttl_seconds integer,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  constraint /*p*/oauth_client_type_check check (client_type in ('public', 'confidential')),
  constraint /*p*/oauth_client_method_check
    check (auth_method in ('none', 'client_secret_basic', 'client_secret_post')),
  constraint /*p*/oauth_client_origin_check check (registration in ('dynamic', 'manual'))
);

create index /*p*/oauth_clients_created_idx on /*p*/oauth_clients (created_at, id) where deleted_at is null;

-- Requests for authorization, from /oauth/authorize to the redemption of their code.
create table /*p*/oauth_authorizations (
  id text primary key,
  client_id uuid not null references /*p*/oauth_clients (id) on delete cascade,
  status text not null default 'pending',
  redirect_uri text not null,
  -- As sent, for the answer of the details call.
  scope text not null,
  scopes text[] not null,
  state text,
  nonce text,
  resources text[] not null default '{}',
  code_challenge text,
  code_challenge_method text,
  asks_consent boolean not null default false,
  max_age_seconds integer,
  login_hint text,
  -- The first user who opened it.
  user_id uuid references /*p*/users (id) on delete cascade,
  -- What the client's session takes over from the session that approved.
  aal text,
  amr jsonb,
  second_factors jsonb,
  auth_time timestamptz,
  -- SHA-256, base64url.
  code_hash text,
  approved_at timestamptz,
  -- Opened by the code. No foreign key: it would slow down the end of every session.
  issued_session_id uuid,
  created_at timestamptz not null default now(),
  constraint /*p*/oauth_request_status_check check (status in ('pending', 'approved', 'denied', 'redeemed'))
);

create unique index /*p*/oauth_request_code_key on /*p*/oauth_authorizations (code_hash);
create index /*p*/oauth_request_user_idx on /*p*/oauth_authorizations (user_id);
create index /*p*/oauth_request_client_idx on /*p*/oauth_authorizations (client_id);
create index /*p*/oauth_request_age_idx on /*p*/oauth_authorizations (created_at);
create index /*p*/oauth_request_waiting_idx on /*p*/oauth_authorizations (created_at) where user_id is null;

-- What users have allowed clients to do.
create table /*p*/oauth_consents (
  user_id uuid not null references /*p*/users (id) on delete cascade,
  client_id uuid not null references /*p*/oauth_clients (id) on delete cascade,
  scopes text[] not null,
  granted_at timestamptz not null default now(),
  revoked_at timestamptz,
  primary key (user_id, client_id)
);

create index /*p*/oauth_consents_client_idx on /*p*/oauth_consents (client_id);

-- Null: the session of the user. No foreign key, as above: clients keep their row.
alter table /*p*/sessions add column oauth_client_id uuid;
-- Claims of the client's access tokens: client_id, scope and, if the client asked for resources, aud.
alter table /*p*/sessions add column client jsonb;

create index /*p*/sessions_client_idx on /*p*/sessions (oauth_client_id, user_id) where oauth_client_id is not null;
