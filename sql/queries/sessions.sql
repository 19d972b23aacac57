-- name: open_session
-- A sign-in: opens the session, updates the account, renews the hash if needed and writes the audit entries. No row:
-- since the account was read it was banned, deleted or got another password, or wrong passwords have caused a delay. A
-- concurrent guess must not bypass that delay.
-- $1 user id
-- $2 password hash the sign-in was checked against, null to skip the check
-- $3 renewed password hash, or null
-- $4 authentication method
-- $5 user agent
-- $6 ip
-- $7 audit entries, array
-- $8 key of the counter of failed sign-ins, or null
with renewal as materialized (
  -- The password is the same, so no event says that it changed.
  select set_config('latchkey.renewed_hash', 'true', true) as is_set where $3::text is not null
), signed_in as (
  update /*p*/users u
  set last_sign_in_at = now(), updated_at = now(), password_hash = coalesce($3, u.password_hash)
  where u.id = $1 and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
    and ($2::text is null or u.password_hash = $2)
    and ($3::text is null or exists (select from renewal))
    and not exists (
      select from /*p*/rate_counters c
      where c.name = 'sign_in' and c.key = $8::text and c.updated_at > clock_timestamp())
  returning *
), ended_failures as (
  delete from /*p*/rate_counters c using signed_in where c.name = 'sign_in' and c.key = $8::text
), new_session as (
  insert into /*p*/sessions (user_id, amr, user_agent, ip)
  select u.id,
    jsonb_build_array(jsonb_build_object('method', $4::text, 'timestamp', extract(epoch from now())::bigint)),
    $5, $6::inet
  from signed_in u
  returning *
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from signed_in, jsonb_array_elements($7::jsonb) e
)
select row_to_json(u) as "user",
  (select json_agg(i order by i.created_at, i.id) from /*p*/identities i where i.user_id = u.id) as identities,
  s.id as session_id, s.generation, s.aal, s.amr
from signed_in u cross join new_session s;

-- name: confirm_and_open_session
-- For autoconfirm that was enabled after the sign-up: the right password confirms the address and signs in.
-- $1 user id
-- $2 password hash the sign-in was checked against
-- $3 channel: email or phone
-- $4 user agent
-- $5 ip
-- $6 audit entries, array
with signed_in as (
  update /*p*/users u
  set last_sign_in_at = now(), updated_at = now(),
    email_confirmed_at = case when $3 = 'email' then now() else u.email_confirmed_at end,
    phone_confirmed_at = case when $3 = 'phone' then now() else u.phone_confirmed_at end,
    user_metadata = case when $3 = 'email' then u.user_metadata || '{"email_verified": true}' else u.user_metadata end
  where u.id = $1 and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
    and u.password_hash = $2
  returning *
), ended_tokens as (
  delete from /*p*/one_time_tokens t using signed_in u where t.user_id = u.id
), new_session as (
  insert into /*p*/sessions (user_id, amr, user_agent, ip)
  select u.id,
    jsonb_build_array(jsonb_build_object('method', 'password', 'timestamp', extract(epoch from now())::bigint)),
    $4, $5::inet
  from signed_in u
  returning *
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from signed_in, jsonb_array_elements($6::jsonb) e
)
select row_to_json(u) as "user",
  (select json_agg(i order by i.created_at, i.id) from /*p*/identities i where i.user_id = u.id) as identities,
  s.id as session_id, s.generation, s.aal, s.amr
from signed_in u cross join new_session s;

-- name: redeem_refresh_token
-- The whole refresh grant if it succeeds. No row: it fails, and refresh_state gives the reason. Account and session are
-- returned only when the caller's version of the account is outdated (users.known_caller), or its session has other facts
-- since. In all other cases the row alone is the answer, and nothing is serialised. Where the session acts for an
-- organization, its version is part of that: a change of the name or of the policies of an organization need not reach the
-- rows of its members.
-- What only some installations or callers ask for is in one parameter, so that it costs nothing where nobody does:
-- timebox_seconds and inactivity_seconds limit age and idle time; with tags, separated by commas, only the newest session
-- of each stays valid, where ended ones do not count, and one without a listed tag counts as the first tag;
-- account_updated_at is what the account must have; client_id is the OAuth client that asks, and client_version the
-- version of that client as it was checked; that of an organization refreshes only sessions that act for it; jkt is the key
-- that a public client has proven: a session that is bound to a key needs that one, and one that is not is bound to it (RFC
-- 9449 5).
-- $1 session id
-- $2 generation the token carries
-- $3 user agent
-- $4 ip
-- $5 version of the cached account, or null
-- $6 conditions, object, or null
update /*p*/sessions s
set generation = s.generation + 1, refreshed_at = now(), user_agent = $3, ip = $4::inet,
  client = case when $6::jsonb ? 'jkt' then s.client || jsonb_build_object('jkt', $6::jsonb -> 'jkt') else s.client end
from /*p*/users u
cross join lateral (select concat_ws(' ', u.updated_at, u.xmin) as version) v
where /*s*/ s.id = $1 and s.generation = $2 and s.revoked_at is null
  and s.oauth_client_id is not distinct from ($6::jsonb ->> 'client_id')::uuid
  and u.id = s.user_id and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
  and (s.not_after is null or s.not_after > now())
  and ($6::jsonb is null
    or (not $6::jsonb ? 'client_id' or exists (
      select from /*p*/oauth_clients c
      where c.id = ($6::jsonb ->> 'client_id')::uuid and c.version = ($6::jsonb ->> 'client_version')::integer
        and c.deleted_at is null and (c.organization_id is null or c.organization_id = s.organization_id))
      and (not s.client ? 'jkt' or s.client -> 'jkt' = $6::jsonb -> 'jkt'))
    and (not $6::jsonb ? 'account_updated_at' or u.updated_at = ($6::jsonb ->> 'account_updated_at')::timestamptz)
    and (not $6::jsonb ? 'timebox_seconds'
      or s.created_at > now() - make_interval(secs => ($6::jsonb ->> 'timebox_seconds')::double precision))
    and (not $6::jsonb ? 'inactivity_seconds'
      or coalesce(s.refreshed_at, s.created_at)
        > now() - make_interval(secs => ($6::jsonb ->> 'inactivity_seconds')::double precision))
    and (not $6::jsonb ? 'tags' or not /*p*/is_superseded_by_tag(
      s.id, s.user_id, s.tag, coalesce(s.refreshed_at, s.created_at), $6::jsonb ->> 'tags',
      ($6::jsonb ->> 'timebox_seconds')::double precision)))
returning (select case
  when case
      when s.organization_id is null then concat_ws(' ', v.version, s.facts_version)
      else concat_ws(' ', v.version, s.facts_version, s.organization_id,
        (select o.xmin from /*p*/organizations o where o.id = s.organization_id))
    end = $5 then null
  else (
    select row_to_json(n) from (
      select v.version, u as "user", s.aal, s.amr, s.client, s.facts_version,
        (
          select json_build_object('id', o.id, 'slug', o.slug, 'roles', m.roles, 'version', o.xmin::text,
            'policies', /*p*/policies_in_force(o.id, o.policies))
          from /*p*/organizations o
          join /*p*/organization_members m on m.organization_id = o.id and m.user_id = s.user_id
          where o.id = s.organization_id
        ) as organization,
        (select json_agg(i order by i.created_at, i.id) from /*p*/identities i where i.user_id = u.id) as identities
    ) n
  ) end) as news;

-- name: redeem_refresh_tokens
-- The same for many tokens. Rows are locked in the order of their ids, and locked ones are skipped; a caller without a
-- row is redone singly. So a batch never waits and never deadlocks. Each array is in a select of its own, which hides
-- its length from the planner. Otherwise the planner would compare its generic plan for 10 members with a cheaper one
-- for 2, and plan every small batch again, at twice the cost of running it.
-- batch of redeem_refresh_token
-- redo missing
-- $1 session ids
-- $2 generations
-- $3 user agents
-- $4 ips
-- $5 versions of cached accounts
-- $6 conditions
with asked as (
  select *
  from unnest((select $1::uuid[]), (select $2::bigint[]), (select $3::text[]), (select $4::text[]),
    (select $5::text[]), (select $6::jsonb[]))
    with ordinality as a (session_id, generation, user_agent, ip, known, conditions, position)
), free as (
  select s.id, a.user_agent, a.ip, a.known, (a.conditions ->> 'account_updated_at')::timestamptz as renewed_at,
    a.conditions -> 'jkt' as jkt, a.position
  from asked a join /*p*/sessions s on s.id = a.session_id
  where /*s*/ s.generation = a.generation and s.revoked_at is null
    and s.oauth_client_id is not distinct from (a.conditions ->> 'client_id')::uuid
    and (s.not_after is null or s.not_after > now())
    and (a.conditions is null
      or (not a.conditions ? 'client_id' or exists (
        select from /*p*/oauth_clients c
        where c.id = (a.conditions ->> 'client_id')::uuid and c.version = (a.conditions ->> 'client_version')::integer
          and c.deleted_at is null and (c.organization_id is null or c.organization_id = s.organization_id))
        and (not s.client ? 'jkt' or s.client -> 'jkt' = a.conditions -> 'jkt'))
      and (not a.conditions ? 'timebox_seconds'
        or s.created_at > now() - make_interval(secs => (a.conditions ->> 'timebox_seconds')::double precision))
      and (not a.conditions ? 'inactivity_seconds'
        or coalesce(s.refreshed_at, s.created_at)
          > now() - make_interval(secs => (a.conditions ->> 'inactivity_seconds')::double precision))
      and (not a.conditions ? 'tags' or not /*p*/is_superseded_by_tag(
        s.id, s.user_id, s.tag, coalesce(s.refreshed_at, s.created_at), a.conditions ->> 'tags',
        (a.conditions ->> 'timebox_seconds')::double precision)))
  order by s.id
  for no key update of s skip locked
)
update /*p*/sessions s
set generation = s.generation + 1, refreshed_at = now(), user_agent = f.user_agent, ip = f.ip::inet,
  client = case when f.jkt is null then s.client else s.client || jsonb_build_object('jkt', f.jkt) end
from free f
cross join /*p*/users u
cross join lateral (select concat_ws(' ', u.updated_at, u.xmin) as version) v
where s.id = f.id
  and u.id = s.user_id and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
  and (f.renewed_at is null or u.updated_at = f.renewed_at)
returning f.position::int as batch_position, case
  when case
      when s.organization_id is null then concat_ws(' ', v.version, s.facts_version)
      else concat_ws(' ', v.version, s.facts_version, s.organization_id,
        (select o.xmin from /*p*/organizations o where o.id = s.organization_id))
    end = f.known then null
  else (
    select row_to_json(n) from (
      select v.version, u as "user", s.aal, s.amr, s.client, s.facts_version,
        (
          select json_build_object('id', o.id, 'slug', o.slug, 'roles', m.roles, 'version', o.xmin::text,
            'policies', /*p*/policies_in_force(o.id, o.policies))
          from /*p*/organizations o
          join /*p*/organization_members m on m.organization_id = o.id and m.user_id = s.user_id
          where o.id = s.organization_id
        ) as organization,
        (select json_agg(i order by i.created_at, i.id) from /*p*/identities i where i.user_id = u.id) as identities
    ) n
  ) end as news;

-- name: refresh_state
-- Why a refresh was rejected, by the database's clock, and the data to answer with the current token again.
-- read
-- $1 session id
-- $2 reuse interval in seconds
-- $3 maximum age of a session in seconds, or null
-- $4 maximum idle time of a session in seconds, or null
-- $5 tags, separated by commas: only the newest session of each stays valid; null: all do
select row_to_json(u) as "user",
  (select json_agg(i order by i.created_at, i.id) from /*p*/identities i where i.user_id = u.id) as identities,
  s.id as session_id, s.generation, s.aal, s.amr, s.client, s.oauth_client_id,
  (
    select json_build_object('id', o.id, 'slug', o.slug, 'roles', m.roles, 'version', o.xmin::text,
      'policies', /*p*/policies_in_force(o.id, o.policies))
    from /*p*/organizations o
    join /*p*/organization_members m on m.organization_id = o.id and m.user_id = s.user_id
    where o.id = s.organization_id
  ) as organization,
  s.revoked_at is not null as is_revoked, s.ended_by_ban,
  coalesce(u.banned_until > now(), false) as is_banned,
  coalesce(s.refreshed_at > now() - make_interval(secs => $2::double precision), false) as is_within_reuse_interval,
  s.second_factors is not null and exists (
    select from jsonb_array_elements(s.amr) e
    where s.second_factors ? (e.value ->> 'method')
      and (e.value ->> 'timestamp')::double precision
        >= floor(extract(epoch from now() - make_interval(secs => $2::double precision)))) as is_just_raised,
  extract(epoch from now() - s.created_at)::double precision as age_seconds,
  coalesce(s.not_after <= now(), false)
    or coalesce(s.created_at <= now() - make_interval(secs => $3::double precision), false) as is_expired,
  coalesce(coalesce(s.refreshed_at, s.created_at) <= now() - make_interval(secs => $4::double precision), false)
    as is_inactive,
  $5::text is not null and /*p*/is_superseded_by_tag(
    s.id, s.user_id, s.tag, coalesce(s.refreshed_at, s.created_at), $5, $3::double precision) as is_superseded
from /*p*/sessions s join /*p*/users u on u.id = s.user_id
where /*s*/ s.id = $1 and u.deleted_at is null;

-- name: rename_session
-- Gives a session that this transaction has opened the id that a hook has seen.
-- $1 session id
-- $2 new session id
-- $3 user id
update /*p*/sessions s set id = $2 where s.id = $1 and s.user_id = $3;

-- name: revoke_session
-- A used token was presented again: the session is revoked.
-- $1 session id
update /*p*/sessions s set revoked_at = now() where s.id = $1 and s.revoked_at is null returning s.id;

-- name: end_own_session
-- Sign-out of one session. It asks for no lock of the account: nothing of the others is read or ends.
-- $1 user id
-- $2 session id of the caller
-- $3 audit entries, array
with ended as (
  delete from /*p*/sessions s where s.id = $2 and s.user_id = $1
  returning s.id, s.sso_provider_id, s.saml, s.oauth_client_id
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from jsonb_array_elements($3::jsonb) e
)
select (
  select jsonb_build_object('provider_id', e.sso_provider_id, 'saml', e.saml)
  -- Not where a client gives up its own session. One that moved in has no name that the company knows.
  from ended e where e.saml is not null and e.oauth_client_id is null) as sso;

-- name: end_sessions
-- Sign-out of more.
-- $1 user id
-- $2 session id of the caller, or null
-- $3 scope: global, others
-- $4 audit entries, array
with ended as (
  delete from /*p*/sessions s
  where s.user_id = $1
    and ($3::text = 'global' or s.id is distinct from $2::uuid)
  returning s.id, s.sso_provider_id, s.saml, s.oauth_client_id
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from jsonb_array_elements($4::jsonb) e
)
select count(*) filter (where e.id is distinct from $2::uuid)::int as others,
  (select jsonb_build_object('provider_id', o.sso_provider_id, 'saml', o.saml)
    -- As above.
    from ended o where o.id = $2::uuid and o.saml is not null and o.oauth_client_id is null) as sso
from ended e;

-- name: of_user
-- The sessions of a user that are still valid, those used last first. One that was never refreshed may be that of a browser
-- on the hosted pages, whose use its row does not show.
-- read
-- $1 user id
-- $2 maximum age of a session in seconds, or null
-- $3 maximum idle time of a session in seconds, or null
-- $4 how many at most
select s.id, s.created_at, s.refreshed_at, s.aal, s.amr, s.user_agent, host(s.ip) as ip, s.oauth_client_id,
  c.name as oauth_client_name, s.act ->> 'name' as operator
from /*p*/sessions s
left join /*p*/oauth_clients c on c.id = s.oauth_client_id
where s.user_id = $1 and s.revoked_at is null and (s.not_after is null or s.not_after > now())
  and ($2::double precision is null or s.created_at > now() - make_interval(secs => $2::double precision))
  and ($3::double precision is null or s.refreshed_at is null
    or s.refreshed_at > now() - make_interval(secs => $3::double precision))
order by coalesce(s.refreshed_at, s.created_at) desc, s.id
limit $4::bigint;

-- name: open_for_operator
-- A session in which an operator acts for the user. It has no refresh token, and ends by itself. No row: the account has been
-- changed since it was read. Call it with the account locked.
-- $1 session id
-- $2 user id
-- $3 updated_at of the account
-- $4 lifetime in seconds
-- $5 who acts, object
-- $6 audit entries, array
with added as (
  insert into /*p*/sessions (id, user_id, amr, act, not_after)
  select $1, u.id,
    jsonb_build_array(jsonb_build_object('method', 'impersonation', 'timestamp', extract(epoch from now())::bigint)),
    $5::jsonb, now() + make_interval(secs => $4::double precision)
  from /*p*/users u
  where u.id = $2 and u.updated_at = $3::timestamptz and u.deleted_at is null
    and (u.banned_until is null or u.banned_until <= now())
  returning id
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from added, jsonb_array_elements($6::jsonb) e
)
select a.id from added a;

-- name: end_session_of
-- One session of a user. Call it with the account locked.
-- $1 session id
-- $2 user id
-- $3 audit entries, array
with ended as (
  delete from /*p*/sessions s where s.id = $1 and s.user_id = $2 returning s.id
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from ended, jsonb_array_elements($3::jsonb) e
)
select e.id from ended e;
