-- Provisioning by SCIM 2.0 (docs/scim.md): for whom, and by which tokens.

-- Whose people and groups are apart from those of others: an identity provider, or an organization.
create table /*p*/scim_scopes (
  -- That of the provider or organization.
  id uuid primary key,
  provider_id uuid references /*p*/sso_providers (id) on delete cascade,
  organization_id uuid references /*p*/organizations (id) on delete cascade,
  created_at timestamptz not null default now(),
  constraint /*p*/scim_scopes_one check (id = coalesce(provider_id, organization_id)
    and (provider_id is null) <> (organization_id is null))
);

create unique index /*p*/scim_scopes_provider_key on /*p*/scim_scopes (provider_id) where provider_id is not null;
create unique index /*p*/scim_scopes_organization_key on /*p*/scim_scopes (organization_id)
  where organization_id is not null;

create table /*p*/scim_tokens (
  id uuid primary key default gen_random_uuid(),
  scope_id uuid not null references /*p*/scim_scopes (id) on delete cascade,
  name text not null,
  -- HMAC of the token, base64url.
  token_hash text not null,
  -- Made by an administrator, or by an owner of the organization: it may end owners.
  reaches_owners boolean not null,
  created_at timestamptz not null default now(),
  -- Null: it does not expire.
  expires_at timestamptz,
  -- To the hour.
  last_used_at timestamptz
);

create unique index /*p*/scim_tokens_hash_key on /*p*/scim_tokens (token_hash);
create index /*p*/scim_tokens_scope_idx on /*p*/scim_tokens (scope_id, created_at, id);
