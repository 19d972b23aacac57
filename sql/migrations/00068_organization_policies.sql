-- What an organization demands of the sessions that act for it, and which addresses may join (docs/organizations.md, Policies).

-- Null: nothing. Sessions compare the version of the row at each refresh, so that a change of it is seen there.
alter table /*p*/organizations add column policies jsonb;

-- Policies with what they depend on besides: `identity_providers` are those of the organization, for require_sso.
create function /*p*/policies_in_force(organization uuid, policies jsonb) returns jsonb
language sql stable
set search_path from current
as $$
  select case
    when policies -> 'require_sso' = 'true' then policies || jsonb_build_object('identity_providers', (
      select coalesce(jsonb_agg(p.id), '[]') from /*p*/sso_providers p where p.organization_id = organization))
    else policies end
$$;

-- Another provider is another version of the organization, which sessions compare.
create function /*p*/renew_organization_of_provider() returns trigger
language plpgsql
set search_path from current
as $$
begin
  update /*p*/organizations o set updated_at = now()
  where o.id in (case when tg_op <> 'INSERT' then old.organization_id end, case when tg_op <> 'DELETE' then new.organization_id end);
  return null;
end
$$;

create trigger /*p*/sso_providers_of_organization
after insert or delete or update of organization_id on /*p*/sso_providers
for each row execute function /*p*/renew_organization_of_provider();

-- The domains of an organization as its members see them, array of {domain, status}; null: none. They are here so that no list
-- reads them by row, and so that a change of them is another version of the row.
alter table /*p*/organizations add column domains jsonb;

create function /*p*/renew_organization_domains(organization uuid) returns void
language sql
set search_path from current
as $$
  update /*p*/organizations o
  set updated_at = now(), domains = (
    select jsonb_agg(jsonb_build_object('domain', d.domain,
      'status', case when d.verified_at is null then 'pending' else 'verified' end) order by d.domain)
    from /*p*/organization_domains d where d.organization_id = o.id)
  where o.id = organization
$$;

do $$
begin
  perform /*p*/renew_organization_domains(o.id) from /*p*/organizations o
  where exists (select from /*p*/organization_domains d where d.organization_id = o.id);
end
$$;

create function /*p*/list_organization_domains() returns trigger
language plpgsql
set search_path from current
as $$
begin
  perform /*p*/renew_organization_domains(case when tg_op = 'DELETE' then old.organization_id else new.organization_id end);
  return null;
end
$$;

create trigger /*p*/organization_domains_changed
after insert or delete or update of verified_at on /*p*/organization_domains
for each row execute function /*p*/list_organization_domains();

create or replace function /*p*/record_organization_events() returns trigger
language plpgsql
set search_path from current
as $$
declare
  changed text[];
begin
  if tg_op = 'INSERT' then
    perform /*p*/record_event('organization.created', null,
      jsonb_build_object('organization_id', new.id, 'name', new.name, 'slug', new.slug));
    return null;
  end if;
  if tg_op = 'DELETE' then
    perform /*p*/record_event('organization.deleted', null,
      jsonb_build_object('organization_id', old.id, 'name', old.name, 'slug', old.slug));
    return null;
  end if;
  changed := array_remove(array[
    case when new.name <> old.name then 'name' end,
    case when new.slug <> old.slug then 'slug' end,
    case when new.logo_url is distinct from old.logo_url then 'logo_url' end,
    case when new.metadata <> old.metadata then 'metadata' end,
    case when new.max_members is distinct from old.max_members then 'max_members' end,
    case when new.policies is distinct from old.policies then 'policies' end
  ], null);
  if changed <> '{}' then
    perform /*p*/record_event('organization.updated', null,
      jsonb_build_object('organization_id', new.id, 'changed', changed));
  end if;
  return null;
end
$$;
