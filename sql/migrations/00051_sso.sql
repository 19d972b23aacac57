-- Sign-in at the identity providers of companies (SAML 2.0).
create table /*p*/sso_providers (
  id uuid primary key default gen_random_uuid(),
  -- An id that the administrator chose.
  resource_id text,
  disabled boolean,
  entity_id text not null,
  metadata_xml text not null,
  -- Where the metadata comes from; null: an administrator sent it.
  metadata_url text,
  -- What sign-ins need of the metadata: addresses, certificates, times.
  metadata jsonb not null,
  metadata_refreshed_at timestamptz not null default now(),
  -- When it was last tried, with or without success.
  metadata_tried_at timestamptz not null default now(),
  -- Why the last refresh failed; null: it did not.
  metadata_error text,
  attribute_mapping jsonb not null default '{}',
  -- Null: persistent.
  name_id_format text,
  -- What an administrator may also set: idp_initiated, force_authn, authn_context.
  options jsonb not null default '{}',
  -- Rises with each change by an administrator.
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create unique index /*p*/sso_providers_entity_id_key on /*p*/sso_providers (entity_id);
create unique index /*p*/sso_providers_resource_id_key on /*p*/sso_providers (resource_id text_pattern_ops)
  where resource_id is not null;
create index /*p*/sso_providers_list_idx on /*p*/sso_providers (created_at, id);

create table /*p*/sso_domains (
  -- Lower case.
  domain text primary key,
  provider_id uuid not null references /*p*/sso_providers (id) on delete cascade,
  created_at timestamptz not null default now()
);

create index /*p*/sso_domains_provider_idx on /*p*/sso_domains (provider_id);

-- Sign-ins that left for an identity provider.
create table /*p*/saml_relay_states (
  id uuid primary key,
  provider_id uuid not null,
  -- ID of our AuthnRequest, which the answer must name.
  request_id text not null,
  redirect_to text not null,
  -- PKCE of the client, or null.
  code_challenge text,
  code_challenge_method text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);

create index /*p*/saml_relay_states_expires_idx on /*p*/saml_relay_states (expires_at);

-- Assertions that were used, so that none is used again (SAML Profiles 4.1.4.5).
create table /*p*/saml_assertions (
  -- SHA-256 of the provider and of the id of the assertion.
  id bytea primary key,
  expires_at timestamptz not null
);

create index /*p*/saml_assertions_expires_idx on /*p*/saml_assertions (expires_at);

-- Sessions that such a sign-in opened, so that the end of the provider ends them.
alter table /*p*/sessions add column sso_provider_id uuid;
-- NameID and SessionIndex, by which the provider names the session.
alter table /*p*/sessions add column saml jsonb;
create index /*p*/sessions_sso_provider_idx on /*p*/sessions (sso_provider_id) where sso_provider_id is not null;
-- What the session gets for which the code of a flow is exchanged: provider_id, not_after, saml.
alter table /*p*/flow_states add column sso jsonb;
