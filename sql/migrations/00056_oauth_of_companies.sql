-- Clients of people who signed in at a company.

-- What the client's session takes over from the one that approved, if a company has opened that: provider_id, not_after, saml.
alter table /*p*/oauth_authorizations add column sso jsonb;
create index /*p*/oauth_request_sso_idx on /*p*/oauth_authorizations ((sso ->> 'provider_id')) where sso is not null;
