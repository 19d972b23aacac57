-- The whole schema. Every name of ours carries the marker comment, which the loader replaces by the namespace prefix;
-- unreplaced, it is a comment and the file runs in psql as it is.

create table /*p*/users (
  id uuid primary key,
  -- Audience: groups users; every look-up by address is within one.
  aud text not null,
  role text not null default '',
  email text,
  email_confirmed_at timestamptz,
  phone text,
  phone_confirmed_at timestamptz,
  confirmed_at timestamptz generated always as (least(email_confirmed_at, phone_confirmed_at)) stored,
  password_hash text,
  invited_at timestamptz,
  confirmation_sent_at timestamptz,
  recovery_sent_at timestamptz,
  new_email text,
  email_change_sent_at timestamptz,
  -- With double confirmation: how many of the two sides have been confirmed.
  email_change_confirmations smallint not null default 0,
  new_phone text,
  phone_change_sent_at timestamptz,
  reauthentication_sent_at timestamptz,
  last_sign_in_at timestamptz,
  app_metadata jsonb not null default '{}',
  user_metadata jsonb not null default '{}',
  is_sso_user boolean not null default false,
  is_anonymous boolean not null default false,
  banned_until timestamptz,
  deleted_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
) with (fillfactor = 85);

-- An address belongs to one account, whatever its audience. Single sign-on accounts are told apart by their identity.
create unique index /*p*/users_email_key on /*p*/users (email) where not is_sso_user;
create unique index /*p*/users_phone_key on /*p*/users (phone) where not is_sso_user;
create index /*p*/users_new_phone_idx on /*p*/users (new_phone) where new_phone is not null;
create index /*p*/users_list_idx on /*p*/users (aud, created_at desc, id desc);

create table /*p*/identities (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references /*p*/users (id) on delete cascade,
  provider text not null,
  provider_id text not null,
  identity_data jsonb not null,
  email text generated always as (lower(identity_data ->> 'email')) stored,
  last_sign_in_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create unique index /*p*/identities_provider_key on /*p*/identities (provider, provider_id);
create index /*p*/identities_user_idx on /*p*/identities (user_id);
create index /*p*/identities_email_idx on /*p*/identities (email);

-- One row a session, none a refresh token: the token carries (id, generation) under a MAC, the row holds the generation
-- that is current. A refresh updates columns without an index, so it stays a heap-only update.
create table /*p*/sessions (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references /*p*/users (id) on delete cascade,
  generation bigint not null default 0,
  refreshed_at timestamptz,
  aal text not null default 'aal1',
  amr jsonb not null default '[]',
  user_agent text,
  ip inet,
  tag text,
  not_after timestamptz,
  -- Set when a used token came back: the family is dead, and its row stays to say so until it is pruned.
  revoked_at timestamptz,
  created_at timestamptz not null default now()
) with (fillfactor = 85);

create index /*p*/sessions_user_idx on /*p*/sessions (user_id);

-- Codes and links that are out. Only keyed hashes are stored. A row without a user is a pending sign-up.
create table /*p*/one_time_tokens (
  id uuid primary key default gen_random_uuid(),
  user_id uuid references /*p*/users (id) on delete cascade,
  kind text not null,
  recipient text not null,
  link_hash text,
  code_hash text,
  wrong_tries smallint not null default 0,
  -- A reauthentication code serves only the session that asked for it.
  session_id uuid references /*p*/sessions (id) on delete cascade,
  -- Of a link asked for with PKCE: redeeming it hands out a code of this flow instead of tokens.
  flow_state_id uuid,
  -- Of a pending sign-up: audience, metadata and what else is needed to make the account.
  sign_up jsonb,
  created_at timestamptz not null default now(),
  constraint /*p*/one_time_tokens_owner_check check (user_id is not null or sign_up is not null)
);

create unique index /*p*/one_time_tokens_kind_key on /*p*/one_time_tokens (user_id, kind) where user_id is not null;
create unique index /*p*/one_time_tokens_pending_key on /*p*/one_time_tokens (recipient, kind) where user_id is null;
create unique index /*p*/one_time_tokens_link_key on /*p*/one_time_tokens (link_hash);
create index /*p*/one_time_tokens_session_idx on /*p*/one_time_tokens (session_id) where session_id is not null;

-- A sign-in that leaves for a provider, or for a mailbox with PKCE (RFC 7636), and comes back.
create table /*p*/flow_states (
  id uuid primary key default gen_random_uuid(),
  user_id uuid references /*p*/users (id) on delete cascade,
  authentication_method text not null,
  provider text not null default '',
  auth_code_hash text,
  auth_code_issued_at timestamptz,
  code_challenge text,
  code_challenge_method text,
  -- What binds the flow to the browser that began it.
  browser_hash text,
  provider_state jsonb,
  provider_access_token text,
  provider_refresh_token text,
  redirect_to text,
  invite_token_hash text,
  linking_target_id uuid,
  used_at timestamptz,
  created_at timestamptz not null default now()
);

create unique index /*p*/flow_states_auth_code_key on /*p*/flow_states (auth_code_hash);
create index /*p*/flow_states_user_idx on /*p*/flow_states (user_id, authentication_method, created_at desc);
create index /*p*/flow_states_created_idx on /*p*/flow_states (created_at);

create table /*p*/audit_log (
  id uuid primary key default gen_random_uuid(),
  payload jsonb not null,
  ip_address text not null default '',
  created_at timestamptz not null default now()
);

create index /*p*/audit_log_created_idx on /*p*/audit_log (created_at desc, id desc);

-- Counters of the rate limits and of wrong passwords. Unlogged: losing them in a crash only forgives, and one upsert
-- costs a third.
create unlogged table /*p*/rate_counters (
  name text not null,
  key text not null,
  level double precision not null,
  updated_at timestamptz not null default now(),
  primary key (name, key)
) with (fillfactor = 70);
