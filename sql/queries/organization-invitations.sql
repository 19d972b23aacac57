-- Invitations to organizations. What writes them has locked the organization (organizations.lock).

-- name: standing
-- What the rules of a new one depend on.
-- read
-- $1 organization id
-- $2 address
select
  exists (select from /*p*/organization_members m where m.organization_id = $1 and m.email_key = lower($2))
    as is_member,
  (select count(*)::int from /*p*/organization_invitations i
    where i.organization_id = $1 and i.state = 'pending' and i.expires_at > now() and i.email <> $2) as others;

-- name: insert
-- It replaces the invitation of the address, and removes those that have expired.
-- $1 id
-- $2 organization id
-- $3 address
-- $4 roles, sorted
-- $5 user id of the inviter; null: an administrator
-- $6 how long it can be accepted, in seconds
-- $7 audit entries, array
-- $8 hash of the link
-- $9 where the link leads, or null
-- $10 mails, array of at most one {id, kind, recipient_hash, sealed}
with stale as (
  delete from /*p*/organization_invitations i
  where i.organization_id = $2 and i.expires_at < now() and i.email <> $3
), added as (
  insert into /*p*/organization_invitations as i
    (id, organization_id, email, roles, invited_by, expires_at, link_hash, redirect_to)
  values ($1, $2, $3, $4::text[], $5, now() + make_interval(secs => $6::double precision), $8, $9)
  on conflict (organization_id, email) do update
  set id = excluded.id, roles = excluded.roles, invited_by = excluded.invited_by, state = 'pending', accepted_by = null,
    created_at = now(), expires_at = excluded.expires_at, link_hash = excluded.link_hash, redirect_to = excluded.redirect_to
  returning i.id, i.organization_id, i.email, i.roles, i.invited_by, i.created_at, i.expires_at
), older_mails as (
  delete from /*p*/outbox o
  using added, jsonb_to_recordset($10::jsonb) as m (kind text, recipient_hash text)
  where o.recipient_hash = m.recipient_hash and o.kind = m.kind and o.data_started_at is null
), new_mails as (
  insert into /*p*/outbox (id, kind, recipient_hash, sealed)
  select m.id, m.kind, m.recipient_hash, m.sealed
  from added, jsonb_to_recordset($10::jsonb) as m (id uuid, kind text, recipient_hash text, sealed text)
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from added, jsonb_array_elements($7::jsonb) e
)
select a.id, a.organization_id, a.email, a.roles, a.invited_by, a.created_at, a.expires_at from added a;

-- name: renew
-- A new link takes the place of the former one, for as long as that of a new invitation. No row: none of the organization is
-- pending under this id.
-- $1 id
-- $2 organization id
-- $3 user id of the inviter from now on; null: an administrator
-- $4 how long it can be accepted, in seconds
-- $5 audit entries, array
-- $6 hash of the link
-- $7 where the link leads, or null
-- $8 mails, array of at most one {id, kind, recipient_hash, sealed}
with renewed as (
  update /*p*/organization_invitations i
  set invited_by = $3, expires_at = now() + make_interval(secs => $4::double precision), link_hash = $6, redirect_to = $7
  where i.id = $1 and i.organization_id = $2 and i.state = 'pending' and i.expires_at > now()
  returning i.id, i.organization_id, i.email, i.roles, i.invited_by, i.created_at, i.expires_at
), older_mails as (
  delete from /*p*/outbox o
  using renewed, jsonb_to_recordset($8::jsonb) as m (kind text, recipient_hash text)
  where o.recipient_hash = m.recipient_hash and o.kind = m.kind and o.data_started_at is null
), new_mails as (
  insert into /*p*/outbox (id, kind, recipient_hash, sealed)
  select m.id, m.kind, m.recipient_hash, m.sealed
  from renewed, jsonb_to_recordset($8::jsonb) as m (id uuid, kind text, recipient_hash text, sealed text)
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from renewed, jsonb_array_elements($5::jsonb) e
)
select r.id, r.organization_id, r.email, r.roles, r.invited_by, r.created_at, r.expires_at from renewed r;

-- name: of_organization
-- Pending ones, newest first, with what they depend on: the inviter's rights, as organizations.standing reads them, and the policies.
-- read
-- $1 organization id
-- $2 created_at of the last one of the page before, or null
-- $3 its id, or null
-- $4 how many at most
select i.id, i.organization_id, i.email, i.roles, i.invited_by, i.created_at, i.expires_at, o.policies,
  (select m.roles from /*p*/organization_members m join /*p*/users g on g.id = m.user_id
    where m.organization_id = i.organization_id and m.user_id = i.invited_by
      and g.deleted_at is null and (g.banned_until > now()) is not true) as inviter_roles
from /*p*/organization_invitations i
join /*p*/organizations o on o.id = i.organization_id
where i.organization_id = $1 and i.state = 'pending' and i.expires_at > now()
  and ($2::timestamptz is null or (i.created_at, i.id) < ($2::timestamptz, $3::uuid))
order by i.created_at desc, i.id desc
limit $4::bigint;

-- name: of_address
-- Pending ones of an address, newest first, with the organization, and what they depend on as in of_organization.
-- read
-- $1 address
-- $2 created_at of the last one of the page before, or null
-- $3 its id, or null
-- $4 how many at most
-- $5 user id of the account that has the address
select i.id, i.organization_id, i.email, i.roles, i.invited_by, i.created_at, i.expires_at,
  o.name, o.slug, o.logo_url, o.policies,
  exists (
    select from /*p*/organization_members j where j.organization_id = i.organization_id and j.user_id = $5) as is_member,
  (select m.roles from /*p*/organization_members m join /*p*/users g on g.id = m.user_id
    where m.organization_id = i.organization_id and m.user_id = i.invited_by
      and g.deleted_at is null and (g.banned_until > now()) is not true) as inviter_roles
from (
  select n.* from /*p*/organization_invitations n
  where n.email = $1 and n.state = 'pending' and n.expires_at > now()
    and ($2::timestamptz is null or (n.created_at, n.id) < ($2::timestamptz, $3::uuid))
  order by n.created_at desc, n.id desc
  limit $4::bigint
) i
join /*p*/organizations o on o.id = i.organization_id
order by i.created_at desc, i.id desc;

-- name: by_id
-- read
-- $1 id
select i.id, i.organization_id, i.email, i.roles, i.invited_by, i.state, i.accepted_by, i.created_at, i.expires_at,
  i.link_hash, i.redirect_to
from /*p*/organization_invitations i
where i.id = $1;

-- name: by_link
-- With the organization, what it depends on as in of_organization, and what a redemption needs of the account that has the address.
-- read
-- $1 hash of the link
select i.id, i.organization_id, i.email, i.roles, i.invited_by, i.state, i.accepted_by, i.created_at, i.expires_at,
  i.link_hash, i.redirect_to, o.name, o.slug, o.logo_url, o.policies, i.expires_at <= now() as is_expired,
  (select m.roles from /*p*/organization_members m join /*p*/users g on g.id = m.user_id
    where m.organization_id = i.organization_id and m.user_id = i.invited_by
      and g.deleted_at is null and (g.banned_until > now()) is not true) as inviter_roles,
  s.aud as audience, u.id as holder_id, coalesce(u.banned_until > now(), false) as is_banned,
  u.email_confirmed_at is not null as is_confirmed, u.proven_email is distinct from u.email as is_unproven, u.user_metadata
from /*p*/organization_invitations i
join /*p*/organizations o on o.id = i.organization_id
-- Looked up for the one invitation: a join could also read the index of addresses whole.
left join lateral (
  select * from /*p*/users a where a.email = i.email and not a.is_sso_user and a.deleted_at is null limit 1
) u on true
left join /*p*/users s on s.id = i.invited_by
where i.link_hash = $1;

-- name: answer
-- Accepts or declines. No row: it is not pending, or the account does not have its address, confirmed. Call it with the account
-- locked; two at once wait for each other at the row.
-- $1 id
-- $2 accepted or declined
-- $3 user id
-- $4 audit entries, array
with answered as (
  update /*p*/organization_invitations i
  set state = $2, accepted_by = case when $2 = 'accepted' then $3::uuid end
  where i.id = $1 and i.state = 'pending' and i.expires_at > now() and exists (
    select from /*p*/users u
    where u.id = $3 and u.email = i.email and u.email_confirmed_at is not null and u.deleted_at is null)
  returning i.id, i.roles
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from answered, jsonb_array_elements($4::jsonb) e
)
select a.id, a.roles from answered a;

-- name: decline_linked
-- No row: none is pending with this link.
-- $1 hash of the link
-- $2 audit entries, array
with declined as (
  update /*p*/organization_invitations i set state = 'declined'
  where i.link_hash = $1 and i.state = 'pending' and i.expires_at > now()
  returning i.id
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from declined, jsonb_array_elements($2::jsonb) e
)
select d.id from declined d;

-- name: revoke
-- No row: none of the organization is pending under this id.
-- $1 id
-- $2 organization id
-- $3 audit entries, array
with revoked as (
  update /*p*/organization_invitations i set state = 'revoked'
  where i.id = $1 and i.organization_id = $2 and i.state = 'pending'
  returning i.id
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from revoked, jsonb_array_elements($3::jsonb) e
)
select r.id from revoked r;
