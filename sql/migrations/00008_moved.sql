-- What `users import --from-gotrue` brought, so that a later run knows what has changed since, here and there. These rows
-- outlive their account and session: what was deleted here does not come back.
create table /*p*/moved_accounts (
  user_id uuid primary key,
  -- Of the account as it was read.
  digest text not null,
  -- users.updated_at as imported. Another value now: the account has changed here since.
  updated_at timestamptz not null
);

create table /*p*/moved_sessions (
  session_id uuid primary key,
  digest text not null,
  -- sessions.generation as imported. A higher one now: the session has been refreshed here.
  generation bigint not null,
  -- Of tokens that name their session: the key of their MAC, sealed.
  token_key text
);

-- Keyed hashes of opaque refresh tokens, and the generation of ours that each stands for.
create table /*p*/moved_tokens (
  token_hash text primary key,
  session_id uuid not null references /*p*/sessions (id) on delete cascade,
  generation bigint not null
);

create index /*p*/moved_tokens_session_idx on /*p*/moved_tokens (session_id);
