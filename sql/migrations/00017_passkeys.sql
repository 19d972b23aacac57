-- Passkeys: discoverable WebAuthn credentials, with which users sign in (docs/passkeys.md).

create table /*p*/passkeys (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references /*p*/users (id) on delete cascade,
  credential_id bytea not null,
  -- COSE key (RFC 9052).
  public_key bytea not null,
  attestation_format text not null,
  aaguid uuid not null,
  sign_count bigint not null,
  transports jsonb not null default '[]',
  backup_eligible boolean not null,
  backed_up boolean not null,
  friendly_name text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_used_at timestamptz
);

create unique index /*p*/passkeys_credential_key on /*p*/passkeys (credential_id);
create index /*p*/passkeys_user_idx on /*p*/passkeys (user_id);

-- Challenges are not stored; their ids say until when they are valid. One row for each that was used, so that it is not
-- used again.
create table /*p*/used_challenges (
  id uuid primary key,
  expires_at timestamptz not null
);

create index /*p*/used_challenges_expires_idx on /*p*/used_challenges (expires_at);
