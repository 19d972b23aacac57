-- Tests of sign-ins at companies, whose traces are beside those of other providers.

-- Of a sign-in that is a test: it signs no one in. Null: it is none.
alter table /*p*/saml_relay_states add column trace_id uuid;
-- What the identity provider of a company said of the person: name id and attributes, whole, to try a mapping on.
alter table /*p*/provider_traces add column said jsonb;
