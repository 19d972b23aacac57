-- Import of identity providers of companies (SAML 2.0) of supabase/auth.

-- name: providers
-- One batch. Returns a verdict for each: imported, changed (there, and not here), same, kept (changed here since it was
-- imported), deleted (here since), there (it was not imported), raced (its id was taken while the batch ran), or what another
-- provider has of it: entity_id, resource_id, domain. Then taken and taken_by say which domain and who has it. Metadata that was
-- read here from the same address later than there stays.
-- $1 array of {position, id, resource_id, disabled, entity_id, metadata_xml, metadata_url, metadata, metadata_refreshed_at,
--    attribute_mapping, name_id_format, domains, created_at, updated_at, digest}
with given as (
  select r.* from jsonb_to_recordset($1::jsonb) as r (position int, id uuid, resource_id text, disabled boolean,
    entity_id text, metadata_xml text, metadata_url text, metadata jsonb, metadata_refreshed_at timestamptz,
    attribute_mapping jsonb, name_id_format text, domains text[], created_at timestamptz, updated_at timestamptz,
    digest text)
), judged as (
  select g.*, m.version as moved_version, t.domain as taken, t.provider_id as taken_by,
    case
      when m.provider_id is null and p.id is not null then 'there'
      when m.provider_id is not null and p.id is null then 'deleted'
      when m.digest = g.digest then 'same'
      when p.version <> m.version then 'kept'
      when exists (
        select from /*p*/sso_providers o where o.entity_id = g.entity_id and o.id <> g.id) then 'entity_id'
      when exists (
        select from /*p*/sso_providers o where o.resource_id = g.resource_id and o.id <> g.id) then 'resource_id'
      when t.domain is not null then 'domain'
      when p.id is null then 'imported'
      else 'changed'
    end as verdict
  from given g
  left join /*p*/moved_sso_providers m on m.provider_id = g.id
  left join /*p*/sso_providers p on p.id = g.id
  left join lateral (
    select d.domain, d.provider_id
    from /*p*/sso_domains d
    where d.domain = any (g.domains) and d.provider_id <> g.id
    order by d.domain
    limit 1
  ) t on true
), new_providers as (
  insert into /*p*/sso_providers (id, resource_id, disabled, entity_id, metadata_xml, metadata_url, metadata,
    metadata_refreshed_at, metadata_tried_at, attribute_mapping, name_id_format, created_at, updated_at)
  select j.id, j.resource_id, j.disabled, j.entity_id, j.metadata_xml, j.metadata_url, j.metadata,
    j.metadata_refreshed_at, j.metadata_refreshed_at, j.attribute_mapping, j.name_id_format, j.created_at, j.updated_at
  from judged j
  where j.verdict = 'imported'
  on conflict do nothing
  returning id, version
), changed_providers as (
  update /*p*/sso_providers p
  set resource_id = j.resource_id, disabled = j.disabled, entity_id = j.entity_id, metadata_url = j.metadata_url,
    metadata_xml = case when k.keeps then p.metadata_xml else j.metadata_xml end,
    metadata = case when k.keeps then p.metadata else j.metadata end,
    metadata_refreshed_at = case when k.keeps then p.metadata_refreshed_at else j.metadata_refreshed_at end,
    metadata_tried_at = case when k.keeps then p.metadata_tried_at else j.metadata_refreshed_at end,
    metadata_error = case when k.keeps then p.metadata_error end,
    attribute_mapping = j.attribute_mapping, name_id_format = j.name_id_format, updated_at = j.updated_at,
    version = p.version + 1
  from judged j
  join /*p*/sso_providers o on o.id = j.id
  cross join lateral (
    select coalesce(o.metadata_url = j.metadata_url and o.entity_id = j.entity_id
      and o.metadata_refreshed_at >= j.metadata_refreshed_at, false) as keeps
  ) k
  -- Checked again on the row as it is now: it may have changed in between.
  where p.id = j.id and j.verdict = 'changed' and p.version = j.moved_version
  returning p.id, p.version, p.disabled
), left_domains as (
  delete from /*p*/sso_domains d
  using changed_providers c join judged j on j.id = c.id
  where d.provider_id = c.id and d.domain <> all (j.domains)
), stored as (
  select n.id, n.version from new_providers n
  union all
  select c.id, c.version from changed_providers c
), new_domains as (
  insert into /*p*/sso_domains (domain, provider_id)
  select n.domain, j.id
  from judged j join stored d on d.id = j.id cross join unnest(j.domains) as n (domain)
  where not exists (select from /*p*/sso_domains o where o.domain = n.domain and o.provider_id = j.id)
), ended_sessions as (
  delete from /*p*/sessions s using changed_providers c where c.disabled and s.sso_provider_id = c.id
), noted as (
  insert into /*p*/moved_sso_providers (provider_id, digest, version)
  select j.id, j.digest, d.version
  from judged j join stored d on d.id = j.id
  on conflict (provider_id) do update set digest = excluded.digest, version = excluded.version
)
select j.position, j.taken, j.taken_by,
  case
    when d.id is not null or j.verdict not in ('imported', 'changed') then j.verdict
    when j.verdict = 'changed' then 'kept'
    else 'raced'
  end as verdict
from judged j left join stored d on d.id = j.id;

-- name: remove_gone_providers
-- Deletes providers that an earlier run brought, are as they were, and are no longer there, with their sessions. Accounts stay.
-- $1 id after which to look, null: from the beginning
-- $2 last id, null: to the end
-- $3 ids that are still there
with gone as (
  select m.provider_id, m.version
  from /*p*/moved_sso_providers m
  where m.provider_id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000')
    and m.provider_id <= coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    and not exists (select from unnest($3::uuid[]) p where p = m.provider_id)
), removed as (
  delete from /*p*/sso_providers p using gone g where p.id = g.provider_id and p.version = g.version returning p.id
), ended as (
  delete from /*p*/sessions s using removed r where s.sso_provider_id = r.id
)
select r.id from removed r;
