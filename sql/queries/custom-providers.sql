-- Identity providers that administrators add (docs/decisions.md, Providers in the database).

-- name: by_identifier
-- read
-- $1 identifier
select c.id, c.identifier, c.provider_type, c.settings, c.sealed_secret, c.discovery_document, c.organization_id,
  c.roles, c.role_mapping, c.version, c.created_at, c.updated_at
from /*p*/custom_providers c
where c.identifier = $1;

-- name: list
-- Newest first.
-- read
-- $1 type, or '' for all
select c.id, c.identifier, c.provider_type, c.settings, c.sealed_secret, c.discovery_document, c.organization_id,
  c.roles, c.role_mapping, c.version, c.created_at, c.updated_at
from /*p*/custom_providers c
where $1::text in ('', c.provider_type)
order by c.created_at desc, c.id desc;

-- name: page
-- The same a page at a time.
-- read
-- $1 type, or '' for all
-- $2 created_at of the last one of the page before, or null
-- $3 id of that one, or null
-- $4 how many
select c.id, c.identifier, c.provider_type, c.settings, c.sealed_secret, c.discovery_document, c.organization_id,
  c.roles, c.role_mapping, c.version, c.created_at, c.updated_at
from /*p*/custom_providers c
where $1::text in ('', c.provider_type)
  and ($2::timestamptz is null or (c.created_at, c.id) < ($2::timestamptz, $3::uuid))
order by c.created_at desc, c.id desc
limit $4::bigint;

-- name: sealed_page
-- Secrets to seal anew, by id.
-- read
-- $1 id of the last one of the page before, or null
-- $2 how many
select c.id, c.sealed_secret as sealed from /*p*/custom_providers c
where $1::uuid is null or c.id > $1::uuid
order by c.id
limit $2::bigint;

-- name: of_organization
-- Those of OpenID Connect, oldest first.
-- read
-- $1 organization id
select c.id, c.identifier, c.provider_type, c.settings, c.sealed_secret, c.discovery_document, c.organization_id,
  c.roles, c.role_mapping, c.version, c.created_at, c.updated_at
from /*p*/custom_providers c
where c.organization_id = $1 and c.provider_type = 'oidc'
order by c.created_at, c.id;

-- name: for_sign_in
-- The one of OpenID Connect at which people of an organization sign in: the oldest that is enabled, else the oldest.
-- read
-- $1 organization id, or null
-- $2 its slug, or null
-- $3 a domain that it has verified, or null
select c.identifier, c.settings @> '{"enabled": true}' as is_enabled
from /*p*/custom_providers c
where c.provider_type = 'oidc' and c.organization_id = coalesce($1::uuid,
  (select o.id from /*p*/organizations o where o.slug = $2),
  (select d.organization_id from /*p*/organization_domains d where d.domain = $3 and d.verified_at is not null))
order by is_enabled desc, c.created_at, c.id
limit 1;

-- name: any_domain
-- Whether people of any domain sign in at one of OpenID Connect.
-- read
select exists (
  select from /*p*/custom_providers c
  join /*p*/organization_domains d on d.organization_id = c.organization_id and d.verified_at is not null
  where c.organization_id is not null and c.provider_type = 'oidc' and c.settings @> '{"enabled": true}'
) as is_any;

-- name: count
-- Without those of organizations.
-- read
select count(*)::int as rows from /*p*/custom_providers where organization_id is null;

-- name: lock_quota
-- Of several requests that add one, the later ones count the earlier ones. Ends with the transaction.
select pg_advisory_xact_lock(hashtextextended('/*p*/custom_providers', 0));

-- name: insert
-- An identifier that exists is a unique violation. No row: there are as many as there may be.
-- $1 id
-- $2 identifier
-- $3 type
-- $4 settings
-- $5 sealed secret
-- $6 discovery document, or null
-- $7 organization, or null
-- $8 roles of those who join it, sorted
-- $9 other roles by what claims say, array
-- $10 most rows without an organization, or 0
-- $11 audit entries, array
with added as (
  insert into /*p*/custom_providers (id, identifier, provider_type, settings, sealed_secret, discovery_document,
    organization_id, roles, role_mapping)
  select $1, $2, $3, $4::jsonb, $5, $6::jsonb, $7, $8::text[], $9::jsonb
  where $10::int = 0 or (select count(*) from /*p*/custom_providers where organization_id is null) < $10::int
  returning *
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from added, jsonb_array_elements($11::jsonb) e
)
select a.id, a.identifier, a.provider_type, a.settings, a.sealed_secret, a.discovery_document, a.organization_id,
  a.roles, a.role_mapping, a.version, a.created_at, a.updated_at
from added a;

-- name: update
-- No row: it was changed or deleted since it was read.
-- $1 id
-- $2 version that was read
-- $3 settings
-- $4 sealed secret
-- $5 discovery document, or null
-- $6 organization, or null
-- $7 roles of those who join it, sorted
-- $8 other roles by what claims say, array
-- $9 audit entries, array
with changed as (
  update /*p*/custom_providers c
  set settings = $3::jsonb, sealed_secret = $4, discovery_document = $5::jsonb, organization_id = $6,
    roles = $7::text[], role_mapping = $8::jsonb, version = c.version + 1, updated_at = now()
  where c.id = $1 and c.version = $2
  returning *
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from changed, jsonb_array_elements($9::jsonb) e
)
select c.id, c.identifier, c.provider_type, c.settings, c.sealed_secret, c.discovery_document, c.organization_id,
  c.roles, c.role_mapping, c.version, c.created_at, c.updated_at
from changed c;

-- name: reseal
-- The same secret, sealed with the current key. A change in between wins.
-- $1 id
-- $2 sealed secret that was read
-- $3 sealed secret
update /*p*/custom_providers c set sealed_secret = $3 where c.id = $1 and c.sealed_secret = $2;

-- name: delete
-- $1 identifier
-- $2 organization that it has to belong to, or null
-- $3 audit entries, array
with removed as (
  delete from /*p*/custom_providers c
  where c.identifier = $1 and ($2::uuid is null or c.organization_id = $2::uuid)
  returning c.id
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from removed, jsonb_array_elements($3::jsonb) e
)
select r.id from removed r;
