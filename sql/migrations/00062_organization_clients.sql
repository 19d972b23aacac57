-- Clients of the authorization server that serve one organization (docs/organizations.md, Clients).
alter table /*p*/oauth_clients
  -- No foreign key: the row of a deleted client stays. What sets it has locked the organization.
  add column organization_id uuid,
  -- What the client is in it when it gets a token for itself. Sorted.
  add column org_roles text[] not null default '{}';

create index /*p*/oauth_clients_organization_idx on /*p*/oauth_clients (organization_id, created_at, id)
  where organization_id is not null and deleted_at is null;
create index /*p*/oauth_clients_roles_idx on /*p*/oauth_clients using gin (org_roles)
  where org_roles <> '{}';

-- The organization that the session of the client will act for, once it is approved.
alter table /*p*/oauth_authorizations add column organization_id uuid;

-- Its name sorts after those of the triggers of foreign keys: memberships are gone by then, so that no code can be exchanged any
-- more, and the sessions of all that were exchanged are seen.
create function /*p*/end_organization_clients() returns trigger
language plpgsql
set search_path from current
as $$
declare
  ended uuid[];
begin
  with changed as (
    update /*p*/oauth_clients c
    set deleted_at = now(), version = c.version + 1, secret_hash = null
    where c.organization_id = old.id and c.deleted_at is null
    returning c.id
  )
  select array_agg(c.id) into ended from changed c;
  if ended is null then
    return null;
  end if;
  delete from /*p*/oauth_authorizations a where a.client_id = any(ended);
  delete from /*p*/oauth_consents k where k.client_id = any(ended);
  delete from /*p*/sessions s where s.oauth_client_id = any(ended);
  return null;
end
$$;

create trigger /*p*/organizations_end_clients
after delete on /*p*/organizations
for each row execute function /*p*/end_organization_clients();
