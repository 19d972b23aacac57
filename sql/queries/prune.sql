-- Deletes stale rows. Each statement deletes one batch and skips locked rows. The batch is an array: for a subquery of
-- unknown length Postgres would read the whole table.

-- name: count
-- The number of stale rows by table, for a dry run. The parameters are those of the statements below.
-- read
-- $1 age of a mailed code in seconds
-- $2 age of a texted code
-- $3 age of a flow
-- $4 age of a revoked or expired session
-- $5 maximum age of a session, or null
-- $6 maximum idle time of a session, or null
-- $7 age of a mail
-- $8 age of a counter
-- $9 age of an audit entry, or null to keep all
-- $10 age of a provider flow that was never completed
-- $11 age of an event
-- $12 age of a challenge, and of a factor that is not verified
-- $13 time since the last use of a browser on the pages
-- $14 age of a flow of the pages
-- $15 age of a request to the OAuth server
-- $16 time since the last use of a client that registered itself, or null to keep all
-- $17 age of a recorded refusal
-- $18 age of a trace of a provider
-- $19 age of an import by an operator
select
  (select count(*) from /*p*/one_time_tokens t
    where t.created_at < now() - make_interval(secs => case when t.recipient like '%@%'
      then $1::double precision else $2::double precision end)) as one_time_tokens,
  (select count(*) from /*p*/flow_states f
    where f.created_at < now() - make_interval(secs => case when f.provider <> '' and f.auth_code_hash is null
      then $10::double precision else $3::double precision end)) as flow_states,
  (select count(*) from /*p*/sessions s
    where least(s.revoked_at, s.not_after,
        s.created_at + make_interval(secs => $5::double precision),
        coalesce(s.refreshed_at, s.created_at) + make_interval(secs => $6::double precision))
      < now() - make_interval(secs => $4::double precision)) as sessions,
  (select count(*) from /*p*/outbox o
    where o.created_at < now() - make_interval(secs => $7::double precision)) as outbox,
  (select count(*) from /*p*/rate_counters c
    where c.updated_at < now() - make_interval(secs => $8::double precision)) as rate_counters,
  (select count(*) from /*p*/audit_log a
    where a.created_at < now() - make_interval(secs => $9::double precision)) as audit_log,
  (select count(*) from /*p*/scim_users s where s.deleted_at < now() - interval '30 days') as scim_users,
  (select count(*) from /*p*/events e
    where e.created_at < now() - make_interval(secs => $11::double precision)) as events,
  (select count(*) from /*p*/webhook_queues q where q.next_attempt_at = 'infinity') as webhook_queues,
  (select count(*) from /*p*/mfa_challenges c
    where c.created_at < now() - make_interval(secs => $12::double precision)) as mfa_challenges,
  (select count(*) from /*p*/mfa_factors f
    where f.status = 'unverified' and f.created_at < now() - make_interval(secs => $12::double precision)) as mfa_factors,
  (select count(*) from /*p*/used_challenges c where c.expires_at < now() - interval '1 hour') as used_challenges,
  (select count(*) from /*p*/oauth_revoked_tokens r
    where r.expires_at < now() - interval '1 hour') as oauth_revoked_tokens,
  (select count(*) from /*p*/browsers b
    where b.used_at < now() - make_interval(secs => $13::double precision)) as browsers,
  (select count(*) from /*p*/page_flows f
    where f.created_at < now() - make_interval(secs => $14::double precision)) as page_flows,
  (select count(*) from /*p*/oauth_authorizations a
    where a.created_at < now() - make_interval(secs => $15::double precision)) as oauth_authorizations,
  (select count(*) from /*p*/oauth_clients c
    where c.registration = 'dynamic' and c.deleted_at is null
      and c.used_at < now() - make_interval(secs => $16::double precision)
      and not exists (select from /*p*/sessions s where s.oauth_client_id = c.id
        and coalesce(s.refreshed_at, s.created_at) >= now() - make_interval(secs => $16::double precision))
      and not exists (select from /*p*/oauth_authorizations a where a.client_id = c.id
        and a.created_at >= now() - make_interval(secs => $16::double precision))) as oauth_clients,
  (select count(*) from /*p*/dpop_proofs d where d.expires_at < now() - interval '1 minute') as dpop_proofs,
  (select count(*) from /*p*/saml_relay_states r
    where r.expires_at < now() - interval '1 hour') as saml_relay_states,
  (select count(*) from /*p*/saml_assertions a where a.expires_at < now() - interval '1 hour') as saml_assertions,
  (select count(*) from /*p*/refusals r
    where r.created_at < now() - make_interval(secs => $17::double precision)) as refusals,
  (select count(*) from /*p*/provider_traces t
    where t.created_at < now() - make_interval(secs => $18::double precision)) as provider_traces,
  (select count(*) from /*p*/import_runs i
    where i.created_at < now() - make_interval(secs => $19::double precision)) as import_runs,
  (select count(*) from /*p*/stats_daily s
    where s.day < (now() at time zone 'utc')::date - 400
      or s.name = 'scan' and s.day < (now() at time zone 'utc')::date) as stats_daily;

-- name: one_time_tokens
-- $1 age of a mailed code in seconds
-- $2 age of a texted code
-- $3 limit of each
with pruned as (
  delete from /*p*/one_time_tokens t
  where t.id = any (
      array(
        select m.id from /*p*/one_time_tokens m
        where m.recipient like '%@%' and m.created_at < now() - make_interval(secs => $1::double precision)
        order by m.created_at
        limit $3
        for update skip locked
      ) || array(
        select p.id from /*p*/one_time_tokens p
        where p.recipient not like '%@%' and p.created_at < now() - make_interval(secs => $2::double precision)
        order by p.created_at
        limit $3
        for update skip locked
      ))
  returning t.id
)
select count(*)::int as pruned from pruned;

-- name: flow_states
-- Anyone can start provider flows without limit. Those never completed are kept for minutes, and only the newest of
-- them, so that the table is bounded at any rate (SEC-88).
-- $1 age of a flow in seconds
-- $2 age of a provider flow that was never completed
-- $3 number of these to keep
-- $4 limit of each
with pruned as (
  delete from /*p*/flow_states f
  where f.id = any (
      array(
        select o.id from /*p*/flow_states o
        where o.created_at < now() - make_interval(secs => $1::double precision)
        order by o.created_at
        limit $4
        for update skip locked
      ) || array(
        select w.id from /*p*/flow_states w
        where w.provider <> '' and w.auth_code_hash is null
          and w.created_at < greatest(now() - make_interval(secs => $2::double precision), (
            select n.created_at from /*p*/flow_states n
            where n.provider <> '' and n.auth_code_hash is null
            order by n.created_at desc
            offset $3 - 1
            limit 1
          ))
        order by w.created_at
        limit $4
        for update skip locked
      ))
  returning f.id
)
select count(*)::int as pruned from pruned;

-- name: mfa_challenges
-- $1 age of a challenge in seconds
-- $2 limit
with pruned as (
  delete from /*p*/mfa_challenges c
  where c.id = any (array(
      select o.id from /*p*/mfa_challenges o
      where o.created_at < now() - make_interval(secs => $1::double precision)
      order by o.created_at
      limit $2
      for update skip locked
    ))
  returning c.id
)
select count(*)::int as pruned from pruned;

-- name: mfa_factors
-- Enrolments that were never completed. Their accounts, which list them, are locked, too.
-- $1 age of a factor in seconds
-- $2 limit
with pruned as (
  delete from /*p*/mfa_factors f
  where f.id = any (array(
      select o.id from /*p*/mfa_factors o join /*p*/users u on u.id = o.user_id
      where o.status = 'unverified' and o.created_at < now() - make_interval(secs => $1::double precision)
      order by o.created_at
      limit $2
      for no key update of u skip locked
      for update of o skip locked
    ))
  returning f.id
)
select count(*)::int as pruned from pruned;

-- name: sessions
-- Revoked sessions, and those past their end, maximum age or maximum idle time. This is no event.
-- $1 seconds since then
-- $2 maximum age of a session, or null
-- $3 maximum idle time of a session, or null
-- $4 limit
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
select count(*)::int as pruned from pruned;

-- name: outbox
-- Messages whose codes have expired: left over when mails or texts were switched off.
-- $1 age in seconds
-- $2 limit of each
with pruned as (
  delete from /*p*/outbox b
  where b.id = any (
      array(
        select m.id from /*p*/outbox m
        where not m.is_text and m.created_at < now() - make_interval(secs => $1::double precision)
        order by m.created_at
        limit $2
        for update skip locked
      ) || array(
        select t.id from /*p*/outbox t
        where t.is_text and t.created_at < now() - make_interval(secs => $1::double precision)
        order by t.created_at
        limit $2
        for update skip locked
      ))
  returning b.id
)
select count(*)::int as pruned from pruned;

-- name: audit_log
-- $1 age in seconds
-- $2 limit
with pruned as (
  delete from /*p*/audit_log a
  where a.id = any (array(
      select o.id from /*p*/audit_log o
      where o.created_at < now() - make_interval(secs => $1::double precision)
      order by o.created_at
      limit $2
      for update skip locked
    ))
  returning a.id
)
select count(*)::int as pruned from pruned;

-- name: events
-- Events with their deliveries, from the oldest; readers learn which positions are gone.
-- $1 age in seconds
-- $2 limit
with pruned as (
  delete from /*p*/events e
  where e.sequence = any (array(
      select o.sequence
      from (
        select n.sequence, n.position, n.created_at from /*p*/events n order by n.sequence limit $2
      ) o
      where o.position is not null and o.created_at < now() - make_interval(secs => $1::double precision)
    ))
  returning e.position
), noted as (
  update /*p*/event_log l
  set pruned_position = greatest(l.pruned_position, (select max(p.position) from pruned p))
  where exists (select from pruned)
)
select count(*)::int as pruned from pruned;

-- name: webhook_queues
-- Queues of endpoints that are empty, and consumers that no configuration has named for long.
-- $1 seconds since a consumer was named
-- $2 limit
with gone as (
  delete from /*p*/webhook_endpoints w
  where w.name is not null and w.seen_at < now() - make_interval(secs => $1::double precision)
), pruned as (
  delete from /*p*/webhook_queues q
  where q.ctid = any (array(
      select i.id
      from /*p*/webhook_endpoints w
      cross join lateral (
        select e.ctid as id from /*p*/webhook_queues e
        where e.endpoint_id = w.id and e.next_attempt_at >= 'infinity'
        order by e.next_attempt_at
        limit $2
        for update skip locked
      ) i
      limit $2
    ))
  returning q.ordering_key
)
select count(*)::int as pruned from pruned;

-- name: used_challenges
-- Challenges of passkeys that nobody could use again. An hour is for clocks of servers that differ from that of Postgres.
-- $1 limit
with pruned as (
  delete from /*p*/used_challenges c
  where c.id = any (array(
      select o.id from /*p*/used_challenges o
      where o.expires_at < now() - interval '1 hour'
      order by o.expires_at
      limit $1
      for update skip locked
    ))
  returning c.id
)
select count(*)::int as pruned from pruned;

-- name: oauth_revoked_tokens
-- Tokens that have expired. An hour is for clocks of servers that differ from that of Postgres.
-- $1 limit
with pruned as (
  delete from /*p*/oauth_revoked_tokens r
  where r.id = any (array(
      select o.id from /*p*/oauth_revoked_tokens o
      where o.expires_at < now() - interval '1 hour'
      order by o.expires_at
      limit $1
      for update skip locked
    ))
  returning r.id
)
select count(*)::int as pruned from pruned;

-- name: dpop_proofs
-- Proofs that nobody could use again. A minute is for clocks of servers that differ from that of Postgres.
-- $1 limit
with pruned as (
  delete from /*p*/dpop_proofs d
  where d.id = any (array(
      select o.id from /*p*/dpop_proofs o
      where o.expires_at < now() - interval '1 minute'
      order by o.expires_at
      limit $1
      for update skip locked
    ))
  returning d.id
)
select count(*)::int as pruned from pruned;

-- name: saml_relay_states
-- Sign-ins that never came back from their identity provider. For an hour the answer to one is that it came too late. Anyone
-- can start them without limit, so only the newest are kept (SEC-88).
-- $1 number to keep
-- $2 limit of each
with pruned as (
  delete from /*p*/saml_relay_states r
  where r.id = any (
      array(
        select o.id from /*p*/saml_relay_states o
        where o.expires_at < now() - interval '1 hour'
        order by o.expires_at
        limit $2
        for update skip locked
      ) || array(
        select n.id from /*p*/saml_relay_states n
        where n.expires_at < (
          select m.expires_at from /*p*/saml_relay_states m order by m.expires_at desc offset $1 limit 1)
        order by n.expires_at
        limit $2
        for update skip locked
      ))
  returning r.id
)
select count(*)::int as pruned from pruned;

-- name: saml_assertions
-- Assertions that have ended, with an hour for clocks that differ.
-- $1 limit
with pruned as (
  delete from /*p*/saml_assertions a
  where a.id = any (array(
      select o.id from /*p*/saml_assertions o
      where o.expires_at < now() - interval '1 hour'
      order by o.expires_at
      limit $1
      for update skip locked
    ))
  returning a.id
)
select count(*)::int as pruned from pruned;

-- name: browsers
-- $1 time since the last use in seconds
-- $2 limit
with pruned as (
  delete from /*p*/browsers b
  where b.id = any (array(
      select o.id from /*p*/browsers o
      where o.used_at < now() - make_interval(secs => $1::double precision)
      order by o.used_at
      limit $2
      for update skip locked
    ))
  returning b.id
)
select count(*)::int as pruned from pruned;

-- name: page_flows
-- Anyone can begin flows. Of those in which nobody has signed in only the newest are kept (as in flow_states).
-- $1 age in seconds
-- $2 number to keep of flows without a session
-- $3 limit of each
with pruned as (
  delete from /*p*/page_flows f
  where f.id = any (
      array(
        select o.id from /*p*/page_flows o
        where o.created_at < now() - make_interval(secs => $1::double precision)
        order by o.created_at
        limit $3
        for update skip locked
      ) || array(
        select w.id from /*p*/page_flows w
        where w.session_id is null and w.created_at < (
            select n.created_at from /*p*/page_flows n
            where n.session_id is null
            order by n.created_at desc
            offset $2 - 1
            limit 1
          )
        order by w.created_at
        limit $3
        for update skip locked
      ))
  returning f.id
)
select count(*)::int as pruned from pruned;

-- name: oauth_authorizations
-- Anyone can begin requests. Of those that nobody has opened only the newest are kept (as in flow_states).
-- $1 age in seconds
-- $2 number to keep of requests without a user
-- $3 limit of each
with pruned as (
  delete from /*p*/oauth_authorizations f
  where f.id = any (
      array(
        select o.id from /*p*/oauth_authorizations o
        where o.created_at < now() - make_interval(secs => $1::double precision)
        order by o.created_at
        limit $3
        for update skip locked
      ) || array(
        select w.id from /*p*/oauth_authorizations w
        where w.user_id is null and w.created_at < (
            select n.created_at from /*p*/oauth_authorizations n
            where n.user_id is null
            order by n.created_at desc
            offset $2 - 1
            limit 1
          )
        order by w.created_at
        limit $3
        for update skip locked
      ))
  returning f.id
)
select count(*)::int as pruned from pruned;

-- name: oauth_clients
-- Clients that registered themselves and that nobody used for long, with their sessions, consents and requests. What used a
-- client since used_at is looked for only when that is long ago; so each client is looked at once in that time, and no
-- refresh writes here. A client with many sessions loses them first, ten times the limit at a time.
-- $1 time since the last use in seconds, or null to keep all
-- $2 limit
with old as (
  select c.id, now() - make_interval(secs => $1::double precision) as since from /*p*/oauth_clients c
  where c.id = any (array(
      select o.id from /*p*/oauth_clients o
      where o.registration = 'dynamic' and o.deleted_at is null
        and o.used_at < now() - make_interval(secs => $1::double precision)
      order by o.used_at
      limit $2
      for update skip locked
    ))
), judged as materialized (
  select o.id, greatest(
    (
      select coalesce(s.refreshed_at, s.created_at) from /*p*/sessions s
      where s.oauth_client_id = o.id and coalesce(s.refreshed_at, s.created_at) >= o.since
      limit 1
    ),
    (select a.created_at from /*p*/oauth_authorizations a where a.client_id = o.id and a.created_at >= o.since limit 1)
  ) as used_at
  from old o
), renewed as (
  update /*p*/oauth_clients c set used_at = j.used_at from judged j where c.id = j.id and j.used_at is not null
), doomed as materialized (
  select s.id from judged j join /*p*/sessions s on s.oauth_client_id = j.id where j.used_at is null limit $2 * 10
), ended as (
  delete from /*p*/sessions s where s.id = any (array(select d.id from doomed d))
), pruned as (
  delete from /*p*/oauth_clients c
  using judged j
  where c.id = j.id and j.used_at is null and not exists (
      select from /*p*/sessions s where s.oauth_client_id = c.id and s.id not in (select d.id from doomed d)
    )
  returning c.id
)
select count(*)::int as pruned from pruned;

-- name: refusals
-- Anyone can cause refusals: only the newest are kept, of all instances.
-- $1 age in seconds
-- $2 number to keep
-- $3 limit
with pruned as (
  delete from /*p*/refusals r
  where r.id = any (array(
      select o.id from /*p*/refusals o
      where o.created_at < greatest(now() - make_interval(secs => $1::double precision), (
          select n.created_at from /*p*/refusals n order by n.created_at desc offset $2 - 1 limit 1
        ))
      order by o.created_at
      limit $3
      for update skip locked
    ))
  returning r.id
)
select count(*)::int as pruned from pruned;

-- name: provider_traces
-- $1 age in seconds
-- $2 limit
with pruned as (
  delete from /*p*/provider_traces t
  where t.id = any (array(
      select o.id from /*p*/provider_traces o
      where o.created_at < now() - make_interval(secs => $1::double precision)
      order by o.created_at
      limit $2
      for update skip locked
    ))
  returning t.id
)
select count(*)::int as pruned from pruned;

-- name: scim_users
-- People whom identity providers deleted 30 days ago. An account that is the company's goes with them, unless an operator has lifted its
-- ban, another provider has it, or another organization would have no owner.
-- $1 limit
with gone as (
  delete from /*p*/scim_users s
  where (s.scope_id, s.user_id) in (
    select (c.value ->> 0)::uuid, (c.value ->> 1)::uuid
    from unnest(array(
      select jsonb_build_array(o.scope_id, o.user_id) from /*p*/scim_users o
      where o.deleted_at < now() - interval '30 days'
      order by o.deleted_at
      limit $1
      for update skip locked
    )) as c (value))
  returning s.user_id, s.owns_account
), ended as (
  delete from /*p*/users u
  where u.id = any (array(select g.user_id from gone g where g.owns_account)) and u.banned_until > now()
    and not exists (select from /*p*/scim_users s where s.user_id = u.id and s.deleted_at is null)
    and not exists (select from /*p*/organization_members m where m.user_id = u.id and m.roles @> '{owner}'
      and not exists (select from /*p*/organization_members c
        where c.organization_id = m.organization_id and c.roles @> '{owner}' and c.user_id <> u.id))
)
select count(*)::int as pruned from gone;

-- name: import_runs
-- With their results.
-- $1 age in seconds
-- $2 limit
with pruned as (
  delete from /*p*/import_runs r
  where r.id = any (array(
      select o.id from /*p*/import_runs o
      where o.created_at < now() - make_interval(secs => $1::double precision)
      order by o.created_at
      limit $2
      for update skip locked
    ))
  returning r.id
)
select count(*)::int as pruned from pruned;

-- name: stats_daily
-- $1 days to keep
-- $2 limit
with pruned as (
  delete from /*p*/stats_daily s
  where s.ctid = any (array(
      select o.ctid from /*p*/stats_daily o
      where o.day < (now() at time zone 'utc')::date - $1::integer
        or o.name = 'scan' and o.day < (now() at time zone 'utc')::date
      order by o.day
      limit $2
      for update skip locked
    ))
  returning s.day
), gone as (
  delete from /*p*/live_figures f where f.updated_at < now() - interval '1 hour'
)
select count(*)::int as pruned from pruned;
