-- Operators of the console. They are no accounts: no sign-up, claim or metadata can make one.

create table /*p*/operators (
  id uuid primary key default gen_random_uuid(),
  -- Lower case.
  name text not null,
  role text not null,
  password_hash text,
  -- Sealed.
  totp_secret text,
  totp_last_step bigint,
  created_at timestamptz not null default now(),
  last_sign_in_at timestamptz,
  constraint /*p*/operators_role_check check (role in ('viewer', 'support', 'admin', 'owner')),
  -- A password alone is not enough.
  constraint /*p*/operators_factor_check check ((password_hash is null) = (totp_secret is null))
);

create unique index /*p*/operators_name_key on /*p*/operators (name);

create table /*p*/operator_passkeys (
  id uuid primary key default gen_random_uuid(),
  operator_id uuid not null references /*p*/operators (id) on delete cascade,
  credential_id bytea not null,
  -- COSE key (RFC 9052).
  public_key bytea not null,
  sign_count bigint not null,
  transports jsonb not null default '[]',
  backup_eligible boolean not null,
  friendly_name text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz
);

create unique index /*p*/operator_passkey_credential_key on /*p*/operator_passkeys (credential_id);
create index /*p*/operator_passkeys_operator_idx on /*p*/operator_passkeys (operator_id);

create table /*p*/operator_sessions (
  id uuid primary key default gen_random_uuid(),
  operator_id uuid not null references /*p*/operators (id) on delete cascade,
  -- SHA-256 of the cookie, which a step-up renews.
  token_hash text not null,
  -- passkey, password or link
  method text not null,
  user_agent text,
  ip inet,
  -- When a passkey, or password and code, was shown last.
  proven_at timestamptz not null default now(),
  used_at timestamptz not null default now(),
  created_at timestamptz not null default now()
);

create unique index /*p*/operator_sessions_token_key on /*p*/operator_sessions (token_hash);
create index /*p*/operator_sessions_operator_idx on /*p*/operator_sessions (operator_id);
create index /*p*/operator_sessions_created_idx on /*p*/operator_sessions (created_at);

-- Links with which operators set up how they sign in.
create table /*p*/operator_links (
  token_hash text primary key,
  operator_id uuid not null references /*p*/operators (id) on delete cascade,
  -- True: the link itself signs in, for development.
  signs_in boolean not null,
  -- Sealed; of the authenticator app that is being set up.
  totp_secret text,
  expires_at timestamptz not null
);

create index /*p*/operator_links_operator_idx on /*p*/operator_links (operator_id);
