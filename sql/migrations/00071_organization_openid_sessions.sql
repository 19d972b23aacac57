-- A sign-in at the OpenID Connect provider of an organization fulfils require_sso as one at its SAML provider does
-- (docs/organizations.md, Policies). Sessions name either by its id, which no later provider gets.
create or replace function /*p*/policies_in_force(organization uuid, policies jsonb) returns jsonb
language sql stable
set search_path from current
as $$
  select case
    when policies -> 'require_sso' = 'true' then policies || jsonb_build_object('identity_providers', (
      select coalesce(jsonb_agg(p.id), '[]')
      from (
        select s.id from /*p*/sso_providers s where s.organization_id = organization
        union all
        select c.id from /*p*/custom_providers c
        where c.organization_id = organization and c.settings -> 'enabled' = 'true'
      ) p))
    else policies end
$$;

create trigger /*p*/custom_providers_of_org
after insert or delete or update of organization_id, settings on /*p*/custom_providers
for each row execute function /*p*/renew_organization_of_provider();
