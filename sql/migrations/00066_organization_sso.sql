-- Identity providers of organizations (docs/organizations.md, Single sign-on).
alter table /*p*/sso_providers
  -- Null: it belongs to the installation.
  add column organization_id uuid references /*p*/organizations (id) on delete cascade,
  -- Of those who join the organization by a sign-in there. Sorted.
  add column roles text[] not null default '{member}',
  -- Other roles by what an assertion says: array of {attribute, value, roles}.
  add column role_mapping jsonb not null default '[]';

create index /*p*/sso_providers_organization_idx on /*p*/sso_providers (organization_id, created_at, id)
  where organization_id is not null;

-- A domain that is no longer proven leads no one to a provider of the organization, and is free for others.
create function /*p*/end_organization_domain() returns trigger
language plpgsql
set search_path from current
as $$
begin
  delete from /*p*/sso_domains d using /*p*/sso_providers p
  where d.domain = old.domain and p.id = d.provider_id and p.organization_id = old.organization_id;
  return null;
end
$$;

create trigger /*p*/organization_domains_lost
after update of verified_at on /*p*/organization_domains
for each row when (old.verified_at is not null and new.verified_at is null)
execute function /*p*/end_organization_domain();

create trigger /*p*/organization_domains_gone
after delete on /*p*/organization_domains
for each row when (old.verified_at is not null)
execute function /*p*/end_organization_domain();
