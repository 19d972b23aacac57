-- Identity providers that administrators add while the server runs.
create table /*p*/custom_providers (
  id uuid primary key default gen_random_uuid(),
  -- custom:<name>, the provider of its identities.
  identifier text not null,
  -- oauth2 or oidc
  provider_type text not null,
  -- What the admin API reads and writes, without the secret.
  settings jsonb not null,
  -- AES-256-GCM with the id as context: a dump alone has no client secret.
  sealed_secret text not null,
  -- As it was fetched when the row was written; used while the issuer cannot be reached.
  discovery_document jsonb,
  -- Rises with each change, so that threads know what they have opened already.
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create unique index /*p*/custom_providers_identifier_key on /*p*/custom_providers (identifier);
create index /*p*/custom_providers_list_idx on /*p*/custom_providers (created_at desc, id desc);
