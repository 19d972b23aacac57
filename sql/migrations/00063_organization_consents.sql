-- A client asks for the organization of its user (docs/organizations.md, Signing in to applications).
alter table /*p*/oauth_authorizations
  -- Id or slug of the one that the client names, as it came.
  add column asked_organization text,
  -- The user chooses in any case.
  add column asks_organization boolean not null default false;

-- The organizations for which the user has allowed it.
alter table /*p*/oauth_consents add column organization_ids uuid[] not null default '{}';
