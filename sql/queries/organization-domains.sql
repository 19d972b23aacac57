-- Domains of organizations. What writes them has locked the organization (organizations.lock).

-- name: all
-- read
-- $1 organization id
select d.domain, d.proof, d.created_at, d.verified_at from /*p*/organization_domains d
where d.organization_id = $1
order by d.domain;

-- name: by_name
-- read
-- $1 organization id
-- $2 domain, lower case
select d.domain, d.proof, d.created_at, d.verified_at from /*p*/organization_domains d
where d.organization_id = $1 and d.domain = $2;

-- name: is_verified
-- read
-- $1 organization id
-- $2 domain, lower case
select exists (
  select from /*p*/organization_domains d
  where d.organization_id = $1 and d.domain = $2 and d.verified_at is not null) as is_verified;

-- name: insert
-- No row: the organization has it already, or as many as it may have.
-- $1 organization id
-- $2 domain, lower case
-- $3 how many an organization may have
insert into /*p*/organization_domains (organization_id, domain)
select $1, $2
where (select count(*) from /*p*/organization_domains d where d.organization_id = $1) < $3::integer
on conflict do nothing
returning domain, proof, created_at, verified_at;

-- name: verify
-- The record was seen. No row: the domain was removed, or added anew, in the meantime. Where another organization has it, it is a
-- unique violation. One that counts already is neither audited nor an event again.
-- $1 organization id
-- $2 domain, lower case
-- $3 proof that was seen
-- $4 audit entries, array
with before as (
  select d.domain, d.verified_at from /*p*/organization_domains d
  where d.organization_id = $1 and d.domain = $2 and d.proof = $3
), verified as (
  update /*p*/organization_domains d set verified_at = coalesce(d.verified_at, now())
  from before b
  where d.organization_id = $1 and d.domain = b.domain and d.proof = $3
  returning d.domain, d.proof, d.created_at, d.verified_at, b.verified_at is null as is_new
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from verified v, jsonb_array_elements($4::jsonb) e where v.is_new
)
select v.domain, v.proof, v.created_at, v.verified_at, v.is_new,
  case when v.is_new then /*p*/record_event('organization.domain_verified', null,
    jsonb_build_object('organization_id', $1::uuid, 'domain', v.domain))::text end as event
from verified v;

-- name: delete
-- $1 organization id
-- $2 domain, lower case
-- $3 audit entries of a verified one, array
with deleted as (
  delete from /*p*/organization_domains d where d.organization_id = $1 and d.domain = $2
  returning d.domain, d.verified_at is not null as was_verified
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from deleted d, jsonb_array_elements($3::jsonb) e where d.was_verified
)
select d.domain, d.was_verified,
  case when d.was_verified then /*p*/record_event('organization.domain_lost', null,
    jsonb_build_object('organization_id', $1::uuid, 'domain', d.domain))::text end as event
from deleted d;
