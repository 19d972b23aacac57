-- Accounts as those see them who run the server: which of them are provisioned.

-- name: of_user
-- By whom an account is provisioned, the oldest first.
-- read
-- $1 user id
select k.provider_id, k.organization_id, o.name as organization_name, s.user_name, s.active, to_json(s.deleted_at) as deleted_at,
  to_json(s.updated_at) as updated_at,
  array(
    select g.display_name
    from /*p*/scim_group_members m join /*p*/scim_groups g on g.id = m.group_id
    where m.user_id = s.user_id and m.scope_id = s.scope_id
    order by g.display_name, g.id
    limit 100
  ) as groups
from /*p*/scim_users s
join /*p*/scim_scopes k on k.id = s.scope_id
left join /*p*/organizations o on o.id = k.organization_id
where s.user_id = $1
order by s.created_at, s.scope_id;
