-- Whoever has signed in before being provisioned is found by what the provider has said (docs/scim.md). The condition keeps all other
-- identities out of the index.
create index /*p*/identities_scim_user_name_idx on /*p*/identities (lower(coalesce(
  identity_data -> 'custom_claims' ->> 'scim_user_name',
  identity_data ->> 'scim_user_name',
  case when provider like 'custom:%' then identity_data ->> 'preferred_username' end)))
where provider like 'sso:%' or provider like 'custom:%';
