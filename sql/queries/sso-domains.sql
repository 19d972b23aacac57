-- Proof by DNS that a domain of a company is its own.

-- name: proof
-- read
-- $1 provider
-- $2 domain, lower case
select d.proof from /*p*/sso_domains d where d.provider_id = $1 and d.domain = $2;

-- name: verify
-- The record was seen. No row: the domain was removed, or added anew, in the meantime.
-- $1 provider
-- $2 domain, lower case
-- $3 proof that was seen
-- $4 audit entries, array
with verified as (
  update /*p*/sso_domains d
  set verified_at = coalesce(d.verified_at, now()), seen_at = now(), looked_at = now()
  where d.domain = $2 and d.provider_id = $1 and d.proof = $3
  returning d.domain
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from verified, jsonb_array_elements($4::jsonb) e
)
select v.domain from verified v;

-- name: claim_due
-- Verified domains whose record should be looked for again. Of several processes one gets a domain.
-- $1 days after which one is looked at again
-- $2 the same while its record is missing
-- $3 how many at most
update /*p*/sso_domains d
set looked_at = now()
from (
  select o.domain
  from /*p*/sso_domains o
  where o.verified_at is not null
    and o.looked_at < now() - make_interval(days => case when o.looked_at > o.seen_at then $2::int else $1::int end)
  order by o.looked_at
  limit $3
  for update skip locked
) due
where d.domain = due.domain
returning d.domain, d.provider_id, d.proof, d.seen_at;

-- name: note_seen
-- $1 domain
-- $2 proof that was seen
update /*p*/sso_domains d set seen_at = now(), looked_at = now() where d.domain = $1 and d.proof = $2;

-- name: lose
-- The domain counts no more, where its record was not seen for so long.
-- $1 domain
-- $2 proof that was missing
-- $3 days
-- $4 audit entries, array
with lost as (
  update /*p*/sso_domains d
  set verified_at = null
  where d.domain = $1 and d.proof = $2 and d.verified_at is not null and d.seen_at < now() - make_interval(days => $3)
  returning d.domain
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from lost, jsonb_array_elements($4::jsonb) e
)
select l.domain from lost l;
