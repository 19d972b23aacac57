-- Keys of access tokens with AUTH_JWT_KEYS_SOURCE=database. A dump alone signs nothing, because private keys are sealed.
create table /*p*/signing_keys (
  kid text primary key,
  alg text not null,
  -- The members that may be published (RFC 7517).
  public_jwk jsonb not null,
  -- The whole key, AES-256-GCM; null where there is no private part, or no longer one.
  sealed text,
  -- standby: published; active: signs; previous: verifies; retired: refused.
  state text not null check (state in ('standby', 'active', 'previous', 'retired')),
  created_at timestamptz not null default now(),
  since timestamptz not null default now(),
  -- When the state ends by itself: standby becomes active, previous becomes retired. Null: never.
  due_at timestamptz,
  last_used_at timestamptz
);

create unique index /*p*/signing_keys_active_idx on /*p*/signing_keys (state) where state = 'active';
