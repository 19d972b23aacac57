-- The organization that a session acts for. A membership is locked before its session, as its end does it: either that end
-- comes later and takes the organization from the session, or the membership is gone and nothing is entered.

-- name: enter
-- Makes an organization the active one of a session. No row: the user is no member of it, or the session has ended.
-- $1 session id
-- $2 user id
-- $3 organization id
-- $4 only where it demands a second factor
with member as materialized (
  select m.organization_id, m.roles from /*p*/organization_members m
  where m.organization_id = $3 and m.user_id = $2
  for key share
)
update /*p*/sessions s set organization_id = o.id
from member m join /*p*/organizations o on o.id = m.organization_id
where s.id = $1 and s.user_id = $2 and (not $4::boolean or o.policies -> 'require_aal2' = 'true')
returning json_build_object('id', o.id, 'slug', o.slug, 'roles', m.roles, 'version', o.xmin::text,
  'policies', /*p*/policies_in_force(o.id, o.policies)) as organization;

-- name: leave
-- $1 session id
-- $2 user id
update /*p*/sessions s set organization_id = null
where s.id = $1 and s.user_id = $2 and s.organization_id is not null;

-- name: leave_at_refresh
-- The organization does not admit the session any more, which goes on without it. What the refresh has counted up is taken back,
-- so that the token that the client has is still the newest.
-- $1 session id
-- $2 user id
-- $3 organization id
-- $4 generation that the session has
-- $5 generation of the token
update /*p*/sessions s set organization_id = null, generation = $5
where s.id = $1 and s.user_id = $2 and s.organization_id = $3 and s.generation = $4;

-- name: admission
-- What decides whether a session may act for an organization of its user. Level and methods are null where the session has ended.
-- read
-- $1 organization id
-- $2 user id
-- $3 session id, or null
-- $4 policies in place of its own, or null
select m.roles, /*p*/policies_in_force(o.id, coalesce($4::jsonb, o.policies)) as policies, s.aal, s.amr
from /*p*/organizations o
join /*p*/organization_members m on m.organization_id = o.id and m.user_id = $2
left join /*p*/sessions s on s.id = $3::uuid and s.user_id = $2 and s.revoked_at is null
where o.id = $1;

-- name: of_session
-- read
-- $1 session id
select json_build_object('id', o.id, 'slug', o.slug, 'roles', m.roles, 'version', o.xmin::text,
  'policies', /*p*/policies_in_force(o.id, o.policies)) as organization
from /*p*/sessions s
join /*p*/organizations o on o.id = s.organization_id
join /*p*/organization_members m on m.organization_id = o.id and m.user_id = s.user_id
where s.id = $1;

-- name: switch
-- Makes another organization the active one of the session of a bearer token, or none, and renews its refresh token. No row: the
-- user is no member of it, or the session could not be refreshed either (sessions.refresh_state).
-- $1 session id
-- $2 user id
-- $3 organization id, null for none
-- $4 maximum age of a session in seconds, or null
-- $5 maximum idle time of a session in seconds, or null
-- $6 tags, separated by commas: only the newest session of each stays valid; null: all do
-- $7 user agent
-- $8 ip
-- $9 also one that has policies, which the caller asks
with member as materialized (
  select m.organization_id, m.roles from /*p*/organization_members m
  where m.organization_id = $3::uuid and m.user_id = $2
  for key share
), switched as (
  update /*p*/sessions s
  set organization_id = $3::uuid, generation = s.generation + 1, refreshed_at = now(), user_agent = $7, ip = $8::inet
  from /*p*/users u
  where s.id = $1 and s.user_id = $2 and u.id = s.user_id and u.deleted_at is null
    and (u.banned_until is null or u.banned_until <= now()) and s.revoked_at is null and s.oauth_client_id is null and s.act is null
    and ($3::uuid is null or exists (select from member))
    and ($9::boolean or not exists (
      select from /*p*/organizations o where o.id = $3::uuid and o.policies is not null))
    and (s.not_after is null or s.not_after > now())
    and ($4::double precision is null or s.created_at > now() - make_interval(secs => $4::double precision))
    and ($5::double precision is null
      or coalesce(s.refreshed_at, s.created_at) > now() - make_interval(secs => $5::double precision))
    and ($6::text is null or not /*p*/is_superseded_by_tag(
      s.id, s.user_id, s.tag, coalesce(s.refreshed_at, s.created_at), $6, $4::double precision))
  returning s.*
)
select row_to_json(u) as "user",
  (select json_agg(i order by i.created_at, i.id) from /*p*/identities i where i.user_id = u.id) as identities,
  s.id as session_id, s.generation, s.aal, s.amr,
  (
    select json_build_object('id', o.id, 'slug', o.slug, 'roles', m.roles, 'version', o.xmin::text,
      'policies', /*p*/policies_in_force(o.id, o.policies))
    from member m join /*p*/organizations o on o.id = m.organization_id
  ) as organization
from switched s join /*p*/users u on u.id = s.user_id;
