-- Where a cluster says something else than a single server, in the statements of sql/queries: parts that ask for sessions, which Citus
-- does not plan inside of a larger statement. Each part to find stands once in its statement. In all of them a session begins by a view:
-- a statement that names the sessions nowhere else is planned by Postgres alone. Tags of sessions, which may be on several nodes, are
-- compared beforehand (layout.superseded). What changes something in a condition stands over rows that are chosen before (materialized),
-- since Postgres may try a condition of one table before it joins the others.

-- in: *
-- find:
insert into /*p*/sessions
-- replace:
insert into /*p*/new_sessions

-- in: active-organization.enter
-- find:
with member as materialized (
  select m.organization_id, m.roles from /*p*/organization_members m
  where m.organization_id = $3 and m.user_id = $2
  for key share
)
update /*p*/sessions s set organization_id = o.id
from member m join /*p*/organizations o on o.id = m.organization_id
where s.id = $1 and s.user_id = $2 and (not $4::boolean or o.policies -> 'require_aal2' = 'true')
returning json_build_object('id', o.id, 'slug', o.slug, 'roles', m.roles, 'version', o.xmin::text,
  'policies', /*p*/policies_in_force(o.id, o.policies)) as organization
-- replace:
with member as materialized (
  select m.organization_id, m.roles from /*p*/organization_members m
  where m.organization_id = $3 and m.user_id = $2
  for key share
), entered as materialized (
  select o.id, json_build_object('id', o.id, 'slug', o.slug, 'roles', m.roles, 'version', o.xmin::text,
    'policies', /*p*/policies_in_force(o.id, o.policies)) as organization
  from member m join /*p*/organizations o on o.id = m.organization_id
  where not $4::boolean or o.policies -> 'require_aal2' = 'true'
)
select e.organization from entered e where /*p*/enter_organization($1, $2, e.id)

-- in: active-organization.leave
-- find:
update /*p*/sessions s set organization_id = null
where s.id = $1 and s.user_id = $2 and s.organization_id is not null
-- replace:
select /*p*/leave_organization($1, $2)

-- in: active-organization.leave_at_refresh
-- find:
update /*p*/sessions s set organization_id = null, generation = $5
where s.id = $1 and s.user_id = $2 and s.organization_id = $3 and s.generation = $4
-- replace:
select /*p*/leave_at_refresh($1, $2, $3, $4, $5)

-- in: active-organization.switch
-- find:
  update /*p*/sessions s
  set organization_id = $3::uuid, generation = s.generation + 1, refreshed_at = now(), user_agent = $7, ip = $8::inet
  from /*p*/users u
  where
-- replace:
  insert into /*p*/switched_sessions as n (id, organization_id, user_agent, ip)
  select s.id, $3::uuid, $7, $8::inet
  from /*p*/session_by_id($1) s, /*p*/users u
  where
-- find:
    and ($6::text is null or not /*p*/is_superseded_by_tag(
      s.id, s.user_id, s.tag, coalesce(s.refreshed_at, s.created_at), $6, $4::double precision))
  returning s.*
-- replace:
    and ($6::text is null or not /*p*/is_superseded(s.id, $6, $4))
  returning n.*

-- in: admin-users.soft_delete_user
-- find:
  delete from /*p*/sessions s using deleted d where s.user_id = d.id
-- replace:
  insert into /*p*/ended_sessions (id)
  select s.id from deleted d cross join lateral /*p*/sessions_of(array[d.id]) s

-- in: export.accounts
-- find:
select row_to_json(u) as "user",
-- replace:
with page as materialized (
  select * from /*p*/sessions_of(array(
    select u.id from /*p*/users u
    where u.id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000') and u.deleted_at is null
    order by u.id
    limit $2))
)
select row_to_json(u) as "user",
-- find:
      from /*p*/sessions s left join
-- replace:
      from page s left join

-- in: export.ended_sessions
-- find:
(select s.id from /*p*/sessions s where s.id = m.session_id)
-- replace:
(select s.id from /*p*/session_by_id(m.session_id) s)

-- in: factors.challenge
-- find:
  from locked l, /*p*/sessions s
-- replace:
  from locked l, /*p*/session_by_id($4) s

-- in: factors.verify
-- find:
      select from /*p*/sessions s
      where s.id = $3 and s.user_id = $2
-- replace:
      select from /*p*/session_by_id($3) s
      where s.user_id = $2
-- find:
  update /*p*/sessions s
  set aal = 'aal2', generation = s.generation + 2,
    amr = jsonb_build_array
-- replace:
  insert into /*p*/changed_sessions as n (id, aal, generation, amr, second_factors)
  select s.id, 'aal2', 2,
    jsonb_build_array
-- find:
    second_factors = coalesce(s.second_factors, '{}') || jsonb_build_object($6::text, $1)
  from used
  where s.id = $3 and s.user_id = $2 and s.revoked_at is null and (s.not_after is null or s.not_after > now())
  returning s.*
-- replace:
    coalesce(s.second_factors, '{}') || jsonb_build_object($6::text, $1)
  from used, /*p*/session_by_id($3) s
  where s.user_id = $2 and s.revoked_at is null and (s.not_after is null or s.not_after > now())
  returning n.*
-- find:
  delete from /*p*/sessions s
  using raised r
  where s.user_id = r.user_id and
-- replace:
  insert into /*p*/ended_sessions (id)
  select s.id from raised r cross join lateral /*p*/sessions_of(array[r.user_id]) s
  where

-- in: first-proof.strip
-- find:
  delete from /*p*/sessions s using account a where s.user_id = a.id returning s.id
-- replace:
  insert into /*p*/ended_sessions as n (id)
  select s.id from account a cross join lateral /*p*/sessions_of(array[a.id]) s
  returning n.id

-- in: flow-states.redeem_flow
-- find:
      select from /*p*/sessions o
      where o.id = f.source_session_id and
-- replace:
      select from /*p*/session_by_id(f.source_session_id) o
      where
-- find:
  from signed_in u cross join spent s left join /*p*/sessions o on o.id = s.source_session_id
-- replace:
  from signed_in u cross join spent s left join lateral /*p*/session_by_id(s.source_session_id) o on true
-- find:
cross join spent f left join /*p*/sessions o on o.id = f.source_session_id
-- replace:
cross join spent f left join lateral /*p*/session_by_id(f.source_session_id) o on true

-- in: import-factors.remove_passkeys passkeys.remove
-- find:
  update /*p*/sessions s
  set second_factors = /*p*/without_factor(s.second_factors, r.id),
    aal = case when /*p*/without_factor(s.second_factors, r.id) is null then 'aal1' else s.aal end
  from removed r
  where s.user_id = r.user_id and
-- replace:
  insert into /*p*/changed_sessions (id, second_factors, aal)
  select s.id, /*p*/without_factor(s.second_factors, r.id),
    case when /*p*/without_factor(s.second_factors, r.id) is null then 'aal1' else s.aal end
  from removed r cross join lateral /*p*/sessions_of(array[r.user_id]) s
  where

-- in: notices.undo_email
-- find:
  delete from /*p*/sessions s using changed u where s.user_id = u.id
-- replace:
  insert into /*p*/ended_sessions (id)
  select s.id from changed u cross join lateral /*p*/sessions_of(array[u.id]) s where s.created_at < now()

-- in: oauth-authorizations.open
-- find:
 from /*p*/sessions s
    where s.id = $3 and s.user_id = $2
-- replace:
 from /*p*/session_by_id($3) s
    where s.user_id = $2

-- in: oauth-authorizations.approve
-- find:
  from /*p*/sessions s, /*p*/oauth_clients c
-- replace:
  from /*p*/session_by_id($3) s, /*p*/oauth_clients c

-- in: prune.count
-- find:
  (select count(*) from /*p*/sessions s
    where least(s.revoked_at, s.not_after,
        s.created_at + make_interval(secs => $5::double precision),
        coalesce(s.refreshed_at, s.created_at) + make_interval(secs => $6::double precision))
      < now() - make_interval(secs => $4::double precision)) as sessions,
-- replace:
  /*p*/prune_sessions($4, $5, $6, null) as sessions,
-- find:
      and not exists (select from /*p*/sessions s where s.oauth_client_id = c.id
        and coalesce(s.refreshed_at, s.created_at) >= now() - make_interval(secs => $16::double precision))
-- replace:
      and /*p*/client_use(c.id, now() - make_interval(secs => $16::double precision)) is null

-- in: prune.sessions
-- find:
with muted as materialized (
  select set_config('latchkey.origin', '{"mute": true}', true)
), pruned as (
  delete from /*p*/sessions s
  where exists (select * from muted) and s.id = any (array(
      select o.id from /*p*/sessions o
      where least(o.revoked_at, o.not_after,
          o.created_at + make_interval(secs => $2::double precision),
          coalesce(o.refreshed_at, o.created_at) + make_interval(secs => $3::double precision))
        < now() - make_interval(secs => $1::double precision)
      limit $4
      for update skip locked
    ))
  returning s.id
)
select count(*)::int as pruned from pruned
-- replace:
select /*p*/prune_sessions($1, $2, $3, $4)::int as pruned

-- in: prune.oauth_clients
-- find:
    (
      select coalesce(s.refreshed_at, s.created_at) from /*p*/sessions s
      where s.oauth_client_id = o.id and coalesce(s.refreshed_at, s.created_at) >= o.since
      limit 1
    ),
-- replace:
    /*p*/client_use(o.id, o.since),
-- find:
  select s.id from judged j join /*p*/sessions s on s.oauth_client_id = j.id where j.used_at is null limit $2 * 10
-- replace:
  select s.id from judged j cross join lateral /*p*/sessions_of_client(j.id, $2 * 10) s
  where j.used_at is null limit $2 * 10
-- find:
  delete from /*p*/sessions s where s.id = any (array(select d.id from doomed d))
-- replace:
  insert into /*p*/ended_sessions (id) select d.id from doomed d
-- find:
      select from /*p*/sessions s where s.oauth_client_id = c.id and s.id not in (select d.id from doomed d)
-- replace:
      select from /*p*/sessions_of_client(c.id, null) s where s.id not in (select d.id from doomed d)

-- in: sessions.rename_session
-- find:
update /*p*/sessions s set id = $2 where s.id = $1 and s.user_id = $3
-- replace:
select /*p*/rename_session($1, $2, $3)

-- in: sso-providers.update
-- find:
  delete from /*p*/sessions s using changed c where c.disabled and s.sso_provider_id = c.id
-- replace:
  insert into /*p*/ended_sessions (id)
  select s.id from changed c cross join lateral /*p*/sessions_of_provider(c.id) s where c.disabled

-- in: trusted-devices.raise
-- find:
update /*p*/sessions s
set aal = 'aal2', second_factors = jsonb_build_object('mfa/trusted_device', d.factor_id),
  amr = s.amr || jsonb_build_array(jsonb_build_object(
    'method', 'mfa/trusted_device', 'timestamp', extract(epoch from d.created_at)::bigint))
from device d
where s.id = $1 and s.user_id = $2 and s.aal = 'aal1'
returning s.aal, s.amr
-- replace:
insert into /*p*/changed_sessions as n (id, aal, second_factors, amr)
select s.id, 'aal2', jsonb_build_object('mfa/trusted_device', d.factor_id),
  s.amr || jsonb_build_array(jsonb_build_object(
    'method', 'mfa/trusted_device', 'timestamp', extract(epoch from d.created_at)::bigint))
from device d, /*p*/session_by_id($1) s
where s.user_id = $2 and s.aal = 'aal1'
returning n.aal, n.amr

-- in: sessions.redeem_refresh_token
-- find:
    and (not $6::jsonb ? 'tags' or not /*p*/is_superseded_by_tag(
      s.id, s.user_id, s.tag, coalesce(s.refreshed_at, s.created_at), $6::jsonb ->> 'tags',
      ($6::jsonb ->> 'timebox_seconds')::double precision)))
-- replace:
    )

-- in: sessions.redeem_refresh_tokens
-- find:
      and (not a.conditions ? 'tags' or not /*p*/is_superseded_by_tag(
        s.id, s.user_id, s.tag, coalesce(s.refreshed_at, s.created_at), a.conditions ->> 'tags',
        (a.conditions ->> 'timebox_seconds')::double precision)))
-- replace:
      )

-- in: sessions.refresh_state
-- find:
  $5::text is not null and /*p*/is_superseded_by_tag(
    s.id, s.user_id, s.tag, coalesce(s.refreshed_at, s.created_at), $5, $3::double precision) as is_superseded
-- replace:
  $5::text is not null and false as is_superseded

-- in: active-organization.admission
-- find:
left join /*p*/sessions s on s.id = $3::uuid and s.user_id
-- replace:
left join /*p*/session_by_id($3::uuid) s on s.user_id

-- in: active-organization.of_session
-- find:
from /*p*/sessions s
join
-- replace:
from /*p*/session_by_id($1) s
join
-- find:

where s.id = $1
-- replace:

-- in: admin-users.update_user
-- find:
  delete from /*p*/sessions s using changed u where $5::text is not null and s.user_id = u.id
-- replace:
  insert into /*p*/ended_sessions (id)
  select s.id from changed u cross join lateral /*p*/sessions_of(array[u.id]) s where $5::text is not null
-- find:
  update /*p*/sessions s
  set revoked_at = now(), ended_by_ban = true
  from changed u
  where $5::text is null and $12::boolean and $13::double precision > 0
    and s.user_id = u.id and s.revoked_at is null
-- replace:
  insert into /*p*/banned_sessions (id)
  select s.id from changed u cross join lateral /*p*/sessions_of(array[u.id]) s
  where $5::text is null and $12::boolean and $13::double precision > 0 and s.revoked_at is null

-- in: factors.try
-- find:
join /*p*/sessions s on s.id = $3 and s.user_id
-- replace:
join /*p*/session_by_id($3) s on s.user_id

-- in: factors.remove
-- find:
  update /*p*/sessions s
  set second_factors = /*p*/without_factor(s.second_factors, r.id),
    aal = case when /*p*/without_factor(s.second_factors, r.id) is null then 'aal1' else s.aal end,
    amr = (
-- replace:
  insert into /*p*/changed_sessions (id, second_factors, aal, amr)
  select s.id, /*p*/without_factor(s.second_factors, r.id),
    case when /*p*/without_factor(s.second_factors, r.id) is null then 'aal1' else s.aal end,
    (
-- find:
  from removed r
  where s.user_id = r.user_id and
-- replace:
  from removed r cross join lateral /*p*/sessions_of(array[r.user_id]) s
  where

-- in: import-factors.remove_factors
-- find:
  from removed_of r join /*p*/sessions s on s.user_id = r.user_id
-- replace:
  from removed_of r cross join lateral /*p*/sessions_of(array[r.user_id]) s
-- find:
  update /*p*/sessions s
  set second_factors = d.second_factors, aal = case when d.second_factors is null then 'aal1' else s.aal end,
    amr = (
-- replace:
  insert into /*p*/changed_sessions (id, second_factors, aal, amr)
  select s.id, d.second_factors, case when d.second_factors is null then 'aal1' else s.aal end,
    (
-- find:
  from raised d
  where s.id = d.id
-- replace:
  from raised d cross join lateral /*p*/session_by_id(d.id) s

-- in: import-oauth.consents
-- find:
  delete from /*p*/sessions s using stored d
  where d.revoked_at is not null and s.oauth_client_id = d.client_id and s.user_id = d.user_id
-- replace:
  insert into /*p*/ended_sessions (id)
  select s.id from stored d cross join lateral /*p*/sessions_of(array[d.user_id]) s
  where d.revoked_at is not null and s.oauth_client_id = d.client_id

-- in: import-sessions.sessions
-- find:
  left join /*p*/sessions s on s.id = g.id
-- replace:
  left join lateral /*p*/session_by_id(g.id) s on true
-- find:
  where j.verdict = 'imported'
  on conflict do nothing

-- replace:
  where j.verdict = 'imported'

-- find:
  update /*p*/sessions s
  set generation = j.generation, refreshed_at = j.refreshed_at, aal = j.aal, amr = j.amr,
    second_factors = j.second_factors, user_agent = j.user_agent, ip = j.ip, tag = j.tag, not_after = j.not_after,
    revoked_at = j.revoked_at, sso_provider_id = j.sso_provider_id
  from judged j
  where s.id = j.id and j.verdict = 'changed' and s.generation = j.moved_generation and s.revoked_at is null
  returning s.id
-- replace:
  select r.id
  from judged j cross join lateral /*p*/replace_session(jsonb_populate_record(null::/*p*/session_shape, to_jsonb(j)),
    j.moved_generation) as r (id)
  where j.verdict = 'changed' and r.id is not null

-- in: import-sessions.end_gone
-- find:
with gone as (
-- replace:
with gone as materialized (
-- find:
  delete from /*p*/sessions s using gone g
  where s.id = g.session_id and s.generation = g.generation and s.revoked_at is null
  returning s.id
-- replace:
  select g.session_id as id from gone g where /*p*/end_generation(g.session_id, g.generation)

-- in: import-sso.providers
-- find:
  delete from /*p*/sessions s using changed_providers c where c.disabled and s.sso_provider_id = c.id
-- replace:
  insert into /*p*/ended_sessions (id)
  select s.id from changed_providers c cross join lateral /*p*/sessions_of_provider(c.id) s where c.disabled

-- in: import-sso.remove_gone_providers sso-providers.delete
-- find:
  delete from /*p*/sessions s using removed r where s.sso_provider_id = r.id
-- replace:
  insert into /*p*/ended_sessions (id)
  select s.id from removed r cross join lateral /*p*/sessions_of_provider(r.id) s

-- in: moved-tokens.token_key
-- find:
join /*p*/sessions s on s.id = m.session_id
-- replace:
join lateral /*p*/session_by_id(m.session_id) s on true

-- in: oauth-grants.revoke
-- find:
  delete from /*p*/sessions s using revoked r where s.oauth_client_id = r.client_id and s.user_id = r.user_id
-- replace:
  insert into /*p*/ended_sessions (id)
  select s.id from revoked r cross join lateral /*p*/sessions_of(array[r.user_id]) s
  where s.oauth_client_id = r.client_id

-- in: oauth-sessions.end
-- find:
  delete from /*p*/sessions s where s.id = $1 and s.oauth_client_id = $2 returning s.user_id
-- replace:
  insert into /*p*/ended_sessions as n (id)
  select s.id from /*p*/session_by_id($1) s where s.oauth_client_id = $2
  returning n.user_id

-- in: oauth-sessions.revoke_access_tokens
-- find:
  update /*p*/sessions s
  set tokens_revoked_at = to_timestamp($3::double precision)
  where s.id = $1 and s.oauth_client_id = $2 and s.revoked_at is null
    and (s.tokens_revoked_at is null or s.tokens_revoked_at < to_timestamp($3::double precision))
  returning s.user_id
-- replace:
  select r.user_id from /*p*/revoke_tokens($1, $2, to_timestamp($3::double precision)) as r (user_id)
  where r.user_id is not null

-- in: oauth-sessions.active
-- find:
from /*p*/sessions s
join
-- replace:
from /*p*/session_by_id($1) s
join
-- find:
where s.id = $1 and s.revoked_at
-- replace:
where s.revoked_at

-- in: oauth-sessions.end_of_user
-- find:
  delete from /*p*/sessions s where s.user_id = $1 and s.oauth_client_id = $2 returning s.id
-- replace:
  insert into /*p*/ended_sessions as n (id)
  select s.id from /*p*/sessions_of(array[$1::uuid]) s where s.oauth_client_id = $2
  returning n.id

-- in: organizations.of_user
-- find:
from /*p*/sessions s where s.id = $2::uuid and s.user_id
-- replace:
from /*p*/session_by_id($2::uuid) s where s.user_id

-- in: organizations.delete
-- find:
  delete from /*p*/sessions s
  using deleted d join /*p*/sso_providers p on p.organization_id = d.id
  where s.sso_provider_id = p.id
-- replace:
  insert into /*p*/ended_sessions (id)
  select s.id from deleted d join /*p*/sso_providers p on p.organization_id = d.id
  cross join lateral /*p*/sessions_of_provider(p.id) s

-- in: pages.issue_code
-- find:
from /*p*/sessions s
where s.id = $3 and s.user_id
-- replace:
from /*p*/session_by_id($3) s
where s.user_id

-- in: pages.open_session_like
-- find:
from /*p*/sessions s
  where s.id = $2 and s.user_id
-- replace:
from /*p*/session_by_id($2) s
  where s.user_id

-- in: pages.accounts
-- find:
join /*p*/sessions s on s.id = a.session_id
-- replace:
join lateral /*p*/session_by_id(a.session_id) s on true

-- in: pages.remember_session
-- find:
    join /*p*/sessions s on s.id = a.session_id
-- replace:
    join lateral /*p*/session_by_id(a.session_id) s on true
-- find:
  delete from /*p*/sessions s
  using former f, kept k
  where s.id = any (f.session_ids) and s.id <> $3::uuid and s.id <> all (k.ids)
-- replace:
  insert into /*p*/ended_sessions (id)
  select s.id from former f cross join kept k cross join lateral unnest(f.session_ids) as s (id)
  where s.id <> $3::uuid and s.id <> all (k.ids)

-- in: sessions.end_own_session
-- find:
  delete from /*p*/sessions s where s.id = $2 and s.user_id = $1
  returning s.id, s.sso_provider_id, s.saml, s.oauth_client_id
-- replace:
  insert into /*p*/ended_sessions as n (id)
  select s.id from /*p*/session_by_id($2) s where s.user_id = $1
  returning n.id, n.sso_provider_id, n.saml, n.oauth_client_id

-- in: sessions.end_sessions
-- find:
  delete from /*p*/sessions s
  where s.user_id = $1
    and
-- replace:
  insert into /*p*/ended_sessions as n (id)
  select s.id from /*p*/sessions_of(array[$1::uuid]) s
  where
-- find:
  returning s.id, s.sso_provider_id, s.saml, s.oauth_client_id
-- replace:
  returning n.id, n.sso_provider_id, n.saml, n.oauth_client_id

-- in: sessions.end_session_of
-- find:
  delete from /*p*/sessions s where s.id = $1 and s.user_id = $2 returning s.id
-- replace:
  insert into /*p*/ended_sessions as n (id)
  select s.id from /*p*/session_by_id($1) s where s.user_id = $2
  returning n.id

-- in: sessions.of_user
-- find:
from /*p*/sessions s
left join
-- replace:
from /*p*/sessions_of(array[$1::uuid]) s
left join
-- find:
where s.user_id = $1 and s.revoked_at
-- replace:
where s.revoked_at

-- in: sso-logout.end_sessions
-- find:
  delete from /*p*/sessions s using fresh
  where s.sso_provider_id = $1::uuid and s.saml
-- replace:
  insert into /*p*/ended_sessions as n (id)
  select s.id from fresh cross join lateral /*p*/sessions_of_provider($1::uuid) s
  where s.saml
-- find:
= any ($3::text[]))
  returning s.user_id
-- replace:
= any ($3::text[]))
  returning n.user_id

-- in: users.update_user
-- find:
  delete from /*p*/sessions s
  using changed u
  where $2::text is not null and s.user_id = u.id and s.id is distinct from $3::uuid
-- replace:
  insert into /*p*/ended_sessions (id)
  select s.id from changed u cross join lateral /*p*/sessions_of(array[u.id]) s
  where $2::text is not null and s.id is distinct from $3::uuid
-- find:
  update /*p*/sessions s
  set amr = jsonb_build_array(jsonb_build_object('method', 'password', 'timestamp', extract(epoch from now())::bigint))
  from changed u
  where $2::text is not null and s.user_id = u.id and s.id = $3::uuid
    and
-- replace:
  insert into /*p*/renamed_methods (id, amr)
  select s.id,
    jsonb_build_array(jsonb_build_object('method', 'password', 'timestamp', extract(epoch from now())::bigint))
  from changed u cross join lateral /*p*/session_by_id($3::uuid) s
  where $2::text is not null and s.user_id = u.id
    and

-- in: verify.count
-- find:
  (select count(*)::int from /*p*/moved_sessions m join /*p*/sessions s on s.id = m.session_id) as sessions,
-- replace:
  (select count(*)::int from /*p*/sessions_by_ids(array(select m.session_id from /*p*/moved_sessions m)) s) as sessions,

-- in: verify.sessions
-- find:
from /*p*/sessions s left join /*p*/moved_sessions m on m.session_id = s.id
where s.id = any($1::uuid[])
-- replace:
from /*p*/sessions_by_ids($1::uuid[]) s left join /*p*/moved_sessions m on m.session_id = s.id

-- in: verify.some_sessions
-- find:
from /*p*/moved_sessions m join /*p*/sessions s on s.id = m.session_id
-- replace:
from /*p*/moved_sessions m join lateral /*p*/session_by_id(m.session_id) s on true

-- in: sessions.revoke_session
-- find:
update /*p*/sessions s set revoked_at = now() where s.id = $1 and s.revoked_at is null returning s.id
-- replace:
select r.id from /*p*/revoke_reused($1) as r (id) where r.id is not null

-- in: oauth-clients.remove_sessions
-- find:
delete from /*p*/sessions s where s.oauth_client_id = $1
-- replace:
insert into /*p*/ended_sessions (id) select s.id from /*p*/sessions_of_client($1, null) s
