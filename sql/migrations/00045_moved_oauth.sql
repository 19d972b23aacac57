-- What `users import --from-gotrue` brought of OAuth clients, of what users have allowed them, and of providers that
-- administrators added. As with moved_accounts these rows outlive what they are about: what was deleted here does not come back.
create table /*p*/moved_clients (
  client_id uuid primary key,
  -- Of the client as it was read.
  digest text not null,
  -- oauth_clients.version as imported. A higher one now: the client has changed here since.
  version integer not null
);

create table /*p*/moved_consents (
  consent_id uuid primary key,
  user_id uuid not null,
  client_id uuid not null,
  digest text not null,
  -- As imported. Other values now: the user has decided anew here.
  granted_at timestamptz not null,
  revoked_at timestamptz
);

create table /*p*/moved_providers (
  provider_id uuid primary key,
  digest text not null,
  -- custom_providers.version as imported.
  version integer not null
);
