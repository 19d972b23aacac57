-- Domains of organizations. What writes them has locked the organization (organizations.lock).

-- name: all
-- read
-- $1 organization id
select d.domain, d.proof, d.created_at, d.verified_at, d.auto_join, d.roles from /*p*/organization_domains d
where d.organization_id = $1
order by d.domain;

-- name: by_name
-- read
-- $1 organization id
-- $2 domain, lower case
select d.domain, d.proof, d.created_at, d.verified_at, d.auto_join, d.roles from /*p*/organization_domains d
where d.organization_id = $1 and d.domain = $2;

-- name: is_vouched_for
-- Whether a provider of an organization vouches for an address. That of a member with a role that the provider does not give is left
-- out, unless it is the same person: whoever set the provider up may not have that role, and could act with it.
-- read
-- $1 organization id
-- $2 domain, lower case
-- $3 address, lower case
-- $4 roles that the provider gives
-- $5 provider of the identity
-- $6 subject
select exists (
    select from /*p*/organization_domains d
    where d.organization_id = $1 and d.domain = $2 and d.verified_at is not null)
  and not exists (
    select from /*p*/organization_members m
    where m.organization_id = $1 and not m.roles <@ $4::text[]
      and m.user_id in (
        select u.id from /*p*/users u where u.email = $3 and not u.is_sso_user
        union all
        select i.user_id from /*p*/identities i
        where i.email = $3 and i.identity_data @> '{"email_verified": true}')
      and not exists (
        select from /*p*/identities k where k.user_id = m.user_id and k.provider = $5 and k.provider_id = $6)
  ) as is_vouched_for;

-- name: insert
-- No row: the organization has it already, or as many as it may have.
-- $1 organization id
-- $2 domain, lower case
-- $3 how many an organization may have
-- $4 whether those who have proven an address of it join
-- $5 with which roles, sorted
insert into /*p*/organization_domains (organization_id, domain, auto_join, roles)
select $1, $2, $4, $5::text[]
where (select count(*) from /*p*/organization_domains d where d.organization_id = $1) < $3::integer
on conflict do nothing
returning domain, proof, created_at, verified_at, auto_join, roles;

-- name: change
-- $1 organization id
-- $2 domain, lower case
-- $3 whether those who have proven an address of it join
-- $4 with which roles, sorted
-- $5 audit entries, array
with changed as (
  update /*p*/organization_domains d set auto_join = $3, roles = $4::text[]
  where d.organization_id = $1 and d.domain = $2
  returning d.*
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from changed, jsonb_array_elements($5::jsonb) e
)
select c.domain, c.proof, c.created_at, c.verified_at, c.auto_join, c.roles,
  /*p*/record_event('organization.updated', null,
    jsonb_build_object('organization_id', $1::uuid, 'changed', array['domains']))::text as event
from changed c;

-- name: verify
-- The record was seen, or an administrator vouches for the domain. No row: the domain was removed, or added anew, in the meantime. Where
-- another organization has it, it is a unique violation. One that counts already is neither audited nor an event again.
-- $1 organization id
-- $2 domain, lower case
-- $3 proof that was seen; null: an administrator vouches for it
-- $4 audit entries, array
with before as (
  select d.domain, d.verified_at from /*p*/organization_domains d
  where d.organization_id = $1 and d.domain = $2 and ($3::text is null or d.proof = $3)
), verified as (
  update /*p*/organization_domains d
  set verified_at = coalesce(d.verified_at, now()), by_admin = $3::text is null, seen_at = now(), looked_at = now()
  from before b
  where d.organization_id = $1 and d.domain = b.domain and ($3::text is null or d.proof = $3)
  returning d.domain, d.proof, d.created_at, d.verified_at, d.auto_join, d.roles, b.verified_at is null as is_new
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from verified v, jsonb_array_elements($4::jsonb) e where v.is_new
)
select v.domain, v.proof, v.created_at, v.verified_at, v.auto_join, v.roles, v.is_new,
  case when v.is_new then /*p*/record_event('organization.domain_verified', null,
    jsonb_build_object('organization_id', $1::uuid, 'domain', v.domain))::text end as event
from verified v;

-- name: unverify
-- An administrator takes the proof back. No row: the organization has no such domain, or it was not verified.
-- $1 organization id
-- $2 domain, lower case
-- $3 audit entries, array
with lost as (
  update /*p*/organization_domains d set verified_at = null, by_admin = false
  where d.organization_id = $1 and d.domain = $2 and d.verified_at is not null
  returning d.*
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from lost, jsonb_array_elements($3::jsonb) e
)
select l.domain, l.proof, l.created_at, l.verified_at, l.auto_join, l.roles,
  /*p*/record_event('organization.domain_lost', null,
    jsonb_build_object('organization_id', $1::uuid, 'domain', l.domain))::text as event
from lost l;

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

-- name: all_joining
-- Domains by which users join.
-- read
-- $1 how many at most
select d.domain from /*p*/organization_domains d
where d.auto_join and d.verified_at is not null
order by d.domain
limit $1::bigint;

-- name: joining
-- The organization that a user joins by the domain of the address. No row: none, the user is a member, or has been one. is_proven: the
-- user has proven an address of the domain, which is the account's.
-- read
-- $1 domain, lower case
-- $2 user id
select d.organization_id, d.domain, d.roles, exists (
    select from /*p*/users u
    where u.id = $2 and split_part(u.email, '@', 2) = d.domain and u.email in (u.proven_email, u.vouched_email)
      and u.deleted_at is null) as is_proven
from /*p*/organization_domains d
where d.domain = $1 and d.auto_join and d.verified_at is not null
  and not exists (
    select from /*p*/organization_members m where m.organization_id = d.organization_id and m.user_id = $2)
  and not exists (
    select from /*p*/organization_former_members f where f.organization_id = d.organization_id and f.user_id = $2);

-- name: claim_due
-- Verified domains whose record should be looked for again. Of several processes one gets a domain.
-- $1 days after which one is looked at again
-- $2 the same while its record is missing
-- $3 how many at most
update /*p*/organization_domains d
set looked_at = now()
from (
  select o.organization_id, o.domain
  from /*p*/organization_domains o
  where o.verified_at is not null and not o.by_admin
    and coalesce(o.looked_at, o.verified_at) < now() - make_interval(
      days => case when o.looked_at > coalesce(o.seen_at, o.verified_at) then $2::int else $1::int end)
  order by coalesce(o.looked_at, o.verified_at)
  limit $3
  for update skip locked
) due
where d.organization_id = due.organization_id and d.domain = due.domain
returning d.organization_id, d.domain, d.proof, coalesce(d.seen_at, d.verified_at) as seen_at;

-- name: note_seen
-- $1 organization id
-- $2 domain, lower case
-- $3 proof that was seen
update /*p*/organization_domains d set seen_at = now(), looked_at = now()
where d.organization_id = $1 and d.domain = $2 and d.proof = $3;

-- name: lose
-- The domain counts no more, where its record was not seen for so long. Call it with the organization locked.
-- $1 organization id
-- $2 domain, lower case
-- $3 proof that was missing
-- $4 days
-- $5 audit entries, array
with lost as (
  update /*p*/organization_domains d set verified_at = null
  where d.organization_id = $1 and d.domain = $2 and d.proof = $3 and d.verified_at is not null and not d.by_admin
    and coalesce(d.seen_at, d.verified_at) < now() - make_interval(days => $4)
  returning d.domain
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from lost, jsonb_array_elements($5::jsonb) e
)
select l.domain, /*p*/record_event('organization.domain_lost', null,
  jsonb_build_object('organization_id', $1::uuid, 'domain', l.domain))::text as event
from lost l;
