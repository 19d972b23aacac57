-- Single log-out at the identity providers of companies.

-- The message of a log-out that began here, in XML; null: a sign-in.
alter table /*p*/saml_relay_states add column logout_request text;
-- A provider names sessions by the name of the person.
create index /*p*/sessions_sso_name_idx on /*p*/sessions (sso_provider_id, (saml ->> 'name_id'))
  where sso_provider_id is not null;
drop index /*p*/sessions_sso_provider_idx;
create index /*p*/flow_states_sso_idx on /*p*/flow_states ((sso ->> 'provider_id')) where sso is not null;
