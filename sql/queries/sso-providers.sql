-- Identity providers of companies, as administrators add them.

-- name: by_id
-- read
-- $1 id
select p.id, p.resource_id, p.disabled, p.entity_id, p.metadata_xml, p.metadata_url, p.metadata, p.metadata_refreshed_at,
  p.metadata_tried_at, p.metadata_error, p.attribute_mapping, p.name_id_format, p.options, p.organization_id, p.roles,
  p.role_mapping, p.version, p.created_at, p.updated_at,
  array(select d.domain from /*p*/sso_domains d where d.provider_id = p.id order by d.created_at, d.domain) as domains,
  array(
    select json_build_object('domain', d.domain, 'proof', d.proof, 'is_verified', d.verified_at is not null)
    from /*p*/sso_domains d
    where d.provider_id = p.id
    order by d.created_at, d.domain
  ) as domain_proofs
from /*p*/sso_providers p
where p.id = $1;

-- name: by_resource_id
-- read
-- $1 resource id
select p.id, p.resource_id, p.disabled, p.entity_id, p.metadata_xml, p.metadata_url, p.metadata, p.metadata_refreshed_at,
  p.metadata_tried_at, p.metadata_error, p.attribute_mapping, p.name_id_format, p.options, p.organization_id, p.roles,
  p.role_mapping, p.version, p.created_at, p.updated_at,
  array(select d.domain from /*p*/sso_domains d where d.provider_id = p.id order by d.created_at, d.domain) as domains,
  array(
    select json_build_object('domain', d.domain, 'proof', d.proof, 'is_verified', d.verified_at is not null)
    from /*p*/sso_domains d
    where d.provider_id = p.id
    order by d.created_at, d.domain
  ) as domain_proofs
from /*p*/sso_providers p
where p.resource_id = $1;

-- name: by_domain
-- read
-- $1 domain, lower case
-- $2 only if it is verified
select p.id, p.resource_id, p.disabled, p.entity_id, '' as metadata_xml, p.metadata_url, p.metadata,
  p.metadata_refreshed_at, p.metadata_tried_at, p.metadata_error, p.attribute_mapping, p.name_id_format, p.options,
  p.organization_id, p.roles, p.role_mapping, p.version, p.created_at, p.updated_at, array[o.domain] as domains
from /*p*/sso_domains o join /*p*/sso_providers p on p.id = o.provider_id
where o.domain = $1 and (not $2::boolean or o.verified_at is not null);

-- name: by_entity_id
-- read
-- $1 entity id
select p.id, p.resource_id, p.disabled, p.entity_id, '' as metadata_xml, p.metadata_url, p.metadata,
  p.metadata_refreshed_at, p.metadata_tried_at, p.metadata_error, p.attribute_mapping, p.name_id_format, p.options,
  p.organization_id, p.roles, p.role_mapping, p.version, p.created_at, p.updated_at, array[]::text[] as domains
from /*p*/sso_providers p
where p.entity_id = $1;

-- name: list
-- Oldest first, without their metadata.
-- read
-- $1 resource id, or null for any
-- $2 beginning of the resource id as a pattern of like, or null for any
select p.id, p.resource_id, p.disabled, p.entity_id, '' as metadata_xml, p.metadata_url, p.metadata,
  p.metadata_refreshed_at, p.metadata_tried_at, p.metadata_error, p.attribute_mapping, p.name_id_format, p.options,
  p.organization_id, p.roles, p.role_mapping, p.version, p.created_at, p.updated_at,
  array(select d.domain from /*p*/sso_domains d where d.provider_id = p.id order by d.created_at, d.domain) as domains,
  array(
    select json_build_object('domain', d.domain, 'proof', d.proof, 'is_verified', d.verified_at is not null)
    from /*p*/sso_domains d
    where d.provider_id = p.id
    order by d.created_at, d.domain
  ) as domain_proofs
from /*p*/sso_providers p
where ($1::text is null or p.resource_id = $1) and ($2::text is null or p.resource_id like $2)
order by p.created_at, p.id;

-- name: of_organization
-- Those of an organization, oldest first, without their metadata.
-- read
-- $1 organization id
select p.id, p.resource_id, p.disabled, p.entity_id, '' as metadata_xml, p.metadata_url, p.metadata,
  p.metadata_refreshed_at, p.metadata_tried_at, p.metadata_error, p.attribute_mapping, p.name_id_format, p.options,
  p.organization_id, p.roles, p.role_mapping, p.version, p.created_at, p.updated_at,
  array(select d.domain from /*p*/sso_domains d where d.provider_id = p.id order by d.created_at, d.domain) as domains,
  array(
    select json_build_object('domain', d.domain, 'proof', d.proof, 'is_verified', d.verified_at is not null)
    from /*p*/sso_domains d
    where d.provider_id = p.id
    order by d.created_at, d.domain
  ) as domain_proofs
from /*p*/sso_providers p
where p.organization_id = $1
order by p.created_at, p.id;

-- name: by_organization
-- The one at which people of an organization sign in: the oldest that is not disabled, else the oldest.
-- read
-- $1 organization id, or null
-- $2 slug of the organization, where there is no id
select p.id, p.resource_id, p.disabled, p.entity_id, '' as metadata_xml, p.metadata_url, p.metadata,
  p.metadata_refreshed_at, p.metadata_tried_at, p.metadata_error, p.attribute_mapping, p.name_id_format, p.options,
  p.organization_id, p.roles, p.role_mapping, p.version, p.created_at, p.updated_at, array[]::text[] as domains
from /*p*/sso_providers p
where p.organization_id = coalesce($1::uuid, (select o.id from /*p*/organizations o where o.slug = $2))
order by p.disabled is true, p.created_at, p.id
limit 1;

-- name: count_of_organization
-- Those of OpenID Connect, too.
-- read
-- $1 organization id
select ((select count(*) from /*p*/sso_providers p where p.organization_id = $1)
  + (select count(*) from /*p*/custom_providers c where c.organization_id = $1))::int as providers;

-- name: given_roles
-- What the organization of a provider gave to people of its accounts, each combination of roles once. A sign-in there finds those who
-- are provisioned, too, owners excepted (scim-users.provisioned).
-- read
-- $1 organization id
-- $2 provider of the identity: sso:<id>, or an identifier; empty: it is new
select m.roles
from /*p*/organization_members m join /*p*/identities i on i.user_id = m.user_id
where m.organization_id = $1 and i.provider = $2
union
select m.roles
from /*p*/organization_members m join /*p*/scim_users s on s.user_id = m.user_id
where m.organization_id = $1 and not 'owner' = any(m.roles) and s.owns_account and s.deleted_at is null
  and s.scope_id in (select $1::uuid union all select p.id from /*p*/sso_providers p where p.organization_id = $1);

-- name: names
-- What some of them are called by.
-- read
-- $1 ids
select p.id, p.resource_id, p.entity_id,
  array(select d.domain from /*p*/sso_domains d where d.provider_id = p.id order by d.created_at, d.domain) as domains
from /*p*/sso_providers p
where p.id = any($1::uuid[]);

-- name: company_domains
-- Domains whose people sign in at their provider, some of them only there.
-- read
-- $1 only those that are verified
select d.domain, d.provider_id, p.options @> '{"enforced": true}' as is_enforced
from /*p*/sso_domains d join /*p*/sso_providers p on p.id = d.provider_id
where p.disabled is not true and (not $1::boolean or d.verified_at is not null);

-- name: taken_domain
-- The first of these domains that another provider has.
-- read
-- $1 domains, lower case
-- $2 provider that may have them, or null
select d.domain, d.provider_id
from /*p*/sso_domains d
where d.domain = any($1::text[]) and d.provider_id is distinct from $2
order by d.domain
limit 1;

-- name: insert
-- A domain, an entity id or a resource id that another provider has is a unique violation. Of an organization, call it with that
-- locked: its domains that are proven need no other proof.
-- $1 id
-- $2 entity id
-- $3 resource id, or null
-- $4 disabled, or null
-- $5 metadata as XML
-- $6 address of the metadata, or null
-- $7 metadata as it is used
-- $8 attribute mapping
-- $9 format of the NameID, or null
-- $10 options
-- $11 domains, lower case
-- $12 organization, or null
-- $13 roles of those who join it, sorted
-- $14 other roles by what an assertion says, array
-- $15 audit entries, array
with added as (
  insert into /*p*/sso_providers (id, entity_id, resource_id, disabled, metadata_xml, metadata_url, metadata,
    attribute_mapping, name_id_format, options, organization_id, roles, role_mapping)
  values ($1, $2, $3, $4, $5, $6, $7::jsonb, $8::jsonb, $9, $10::jsonb, $12, $13::text[], $14::jsonb)
  returning id, organization_id
), new_domains as (
  insert into /*p*/sso_domains (domain, provider_id, verified_at)
  select d.domain, a.id, (
    select now() from /*p*/organization_domains o
    where o.organization_id = a.organization_id and o.domain = d.domain and o.verified_at is not null)
  from added a, unnest($11::text[]) as d (domain)
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from added, jsonb_array_elements($15::jsonb) e
)
select a.id from added a;

-- name: update
-- No row: it was changed or deleted since it was read. Clashes are unique violations. Of an organization, call it with that
-- locked: its domains that are proven need no other proof, and those of a former organization need one.
-- $1 id
-- $2 version that was read
-- $3 resource id, or null
-- $4 disabled, or null
-- $5 metadata as XML
-- $6 address of the metadata, or null
-- $7 metadata as it is used
-- $8 attribute mapping
-- $9 format of the NameID, or null
-- $10 options
-- $11 domains, lower case
-- $12 organization, or null
-- $13 roles of those who join it, sorted
-- $14 other roles by what an assertion says, array
-- $15 the metadata is new
-- $16 audit entries, array
with before as (
  select p.organization_id from /*p*/sso_providers p where p.id = $1
), changed as (
  update /*p*/sso_providers p
  set resource_id = $3, disabled = $4, metadata_xml = $5, metadata_url = $6, metadata = $7::jsonb,
    attribute_mapping = $8::jsonb, name_id_format = $9, options = $10::jsonb, organization_id = $12,
    roles = $13::text[], role_mapping = $14::jsonb, version = p.version + 1, updated_at = now(),
    metadata_refreshed_at = case when $15::boolean then now() else p.metadata_refreshed_at end,
    metadata_tried_at = case when $15::boolean then now() else p.metadata_tried_at end,
    metadata_error = case when $15::boolean then null else p.metadata_error end
  where p.id = $1 and p.version = $2
  returning p.id, p.disabled, p.organization_id
), proven as (
  select o.domain from changed c join /*p*/organization_domains o on o.organization_id = c.organization_id
  where o.verified_at is not null
), left_domains as (
  delete from /*p*/sso_domains d using changed c where d.provider_id = c.id and d.domain <> all($11::text[])
), kept_domains as (
  -- One without a time of its own was proven by the organization.
  update /*p*/sso_domains d
  set verified_at = case
      when d.domain in (select n.domain from proven n) then coalesce(d.verified_at, now())
      when d.looked_at is not null then d.verified_at end,
    seen_at = case when d.domain not in (select n.domain from proven n) then d.seen_at end,
    looked_at = case when d.domain not in (select n.domain from proven n) then d.looked_at end
  from changed c, before b
  where d.provider_id = c.id and d.domain = any($11::text[])
    and (b.organization_id is not null or c.organization_id is not null)
), new_domains as (
  insert into /*p*/sso_domains (domain, provider_id, verified_at)
  select n.domain, c.id, (select now() from proven o where o.domain = n.domain)
  from changed c, unnest($11::text[]) as n (domain)
  where not exists (select from /*p*/sso_domains o where o.domain = n.domain and o.provider_id = c.id)
), ended as (
  delete from /*p*/sessions s using changed c where c.disabled and s.sso_provider_id = c.id
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from changed, jsonb_array_elements($16::jsonb) e
)
select c.id from changed c;

-- name: try_refresh
-- Marks that the metadata is being fetched. No row: it was tried in the last seconds, or has no address.
-- $1 id
-- $2 seconds between two tries
update /*p*/sso_providers p
set metadata_tried_at = now()
where p.id = $1 and p.metadata_url is not null and p.metadata_tried_at <= now() - make_interval(secs => $2)
returning p.id;

-- name: store_refresh
-- What came of a refresh. A failed one leaves the metadata as it was.
-- $1 id
-- $2 address that was read
-- $3 metadata as XML, or null
-- $4 metadata as it is used, or null
-- $5 why it failed, or null
update /*p*/sso_providers p
set metadata_tried_at = now(), metadata_error = $5,
  metadata_xml = coalesce($3, p.metadata_xml), metadata = coalesce($4::jsonb, p.metadata),
  metadata_refreshed_at = case when $4::jsonb is null then p.metadata_refreshed_at else now() end
where p.id = $1 and p.metadata_url = $2
returning p.id;

-- name: delete
-- Its sessions end with it; its accounts stay.
-- $1 id
-- $2 organization that it must belong to, null: any or none
-- $3 audit entries, array
with removed as (
  delete from /*p*/sso_providers p
  where p.id = $1 and ($2::uuid is null or p.organization_id = $2)
  returning p.id
), ended as (
  delete from /*p*/sessions s using removed r where s.sso_provider_id = r.id
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from removed, jsonb_array_elements($3::jsonb) e
)
select r.id from removed r;

-- name: due_refreshes
-- Providers whose metadata should be read again: after a day or three quarters of the time for which it may be kept, or
-- half a day before it ends. What failed is tried again after ten minutes.
-- read
-- $1 how many at most
select p.id, p.metadata_url, p.entity_id
from /*p*/sso_providers p
where p.metadata_url is not null and p.disabled is not true and p.metadata_tried_at < now() - interval '10 minutes'
  and (p.metadata_refreshed_at < now() - make_interval(
      secs => least(86400, 0.75 * coalesce((p.metadata ->> 'cache_seconds')::double precision, 115200)))
    or (p.metadata ->> 'valid_until')::timestamptz < now() + interval '12 hours')
order by p.metadata_tried_at
limit $1;
