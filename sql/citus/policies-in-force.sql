-- In the place of policies_in_force(o.id, o.policies) in statements of one session: a function could not look at tables in a part of a
-- statement that Citus sends to a node.
(case when o.policies -> 'require_sso' = 'true' then o.policies || jsonb_build_object('identity_providers', (
  select coalesce(jsonb_agg(p.id), '[]')
  from (
    select sp.id from /*p*/sso_providers sp where sp.organization_id = o.id
    union all
    select cp.id from /*p*/custom_providers cp where cp.organization_id = o.id and cp.settings -> 'enabled' = 'true'
  ) p))
  else o.policies end)
