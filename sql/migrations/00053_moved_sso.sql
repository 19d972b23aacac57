-- What `users import --from-gotrue` brought of the identity providers of companies, as moved_providers of custom ones.
create table /*p*/moved_sso_providers (
  provider_id uuid primary key,
  -- Of the provider and its domains as they were read.
  digest text not null,
  -- sso_providers.version as imported. A higher one now: an administrator has changed it here since.
  version integer not null
);
