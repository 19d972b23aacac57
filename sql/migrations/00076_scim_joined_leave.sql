-- An account that joined is provisioned as long as it is a member of the organization (docs/scim.md). One that the identity provider has
-- deleted is no member either, and stays banned.

create function /*p*/forget_joined_people() returns trigger
language plpgsql
set search_path from current
as $$
declare
  person record;
begin
  for person in
    delete from /*p*/scim_users s
    using old_rows o, /*p*/scim_scopes c left join /*p*/sso_providers p on p.id = c.provider_id
    where s.user_id = o.user_id and not s.owns_account and s.deleted_at is null and c.id = s.scope_id
      and coalesce(c.organization_id, p.organization_id) = o.organization_id
    returning s.*
  loop
    delete from /*p*/scim_group_members m where m.user_id = person.user_id and m.scope_id = person.scope_id;
    update /*p*/users u set app_metadata = u.app_metadata - 'scim', updated_at = now() where u.id = person.user_id;
    perform /*p*/record_event('scim.user_deleted', person.user_id, /*p*/scim_place(person.scope_id) || jsonb_build_object(
      'user_name', person.user_name, 'external_id', person.external_id, 'active', person.active));
  end loop;
  return null;
end
$$;

create trigger /*p*/members_forget_joined
after delete on /*p*/organization_members
referencing old table as old_rows
for each statement execute function /*p*/forget_joined_people();
