-- Second factors and their challenges (docs/mfa.md).

-- name: make_room
-- Deletes unverified factors of the user: those that a new one with this number or this name replaces, and those that are
-- too old and were never challenged.
-- $1 user id
-- $2 phone, or null
-- $3 friendly name, or null
-- $4 age in seconds
delete from /*p*/mfa_factors f
where f.user_id = $1 and f.status = 'unverified'
  and (
    f.phone = $2 or f.friendly_name = $3
    or (
      f.created_at < now() - make_interval(secs => $4::double precision)
      and not exists (select from /*p*/mfa_challenges c where c.factor_id = f.id)));

-- name: of_user
-- $1 user id
select f.id, f.kind, f.status, f.friendly_name, f.phone, f.credential
from /*p*/mfa_factors f where f.user_id = $1
order by f.created_at, f.id;

-- name: insert
-- $1 id
-- $2 user id
-- $3 kind
-- $4 friendly name
-- $5 sealed secret, or null
-- $6 phone, or null
-- $7 audit entries, array
with new_audit as (
  insert into /*p*/audit_log (payload) select e.value from jsonb_array_elements($7::jsonb) e
)
insert into /*p*/mfa_factors (id, user_id, kind, friendly_name, secret, phone)
values ($1, $2, $3, $4, $5, $6)
returning id;

-- name: challenge
-- Opens a challenge of an own factor, in a session that is still there. No row: there is no such factor or session.
-- Like every statement that changes factors it locks the account first, whose row lists them.
-- $1 id of the challenge
-- $2 factor id
-- $3 user id
-- $4 session id
-- $5 ip
-- $6 hash of the code, or null
-- $7 WebAuthn challenge, or null
-- $8 seconds in which the factor must not have been challenged before, or null
-- $9 audit entries, array
with locked as materialized (
  select u.id from /*p*/users u where u.id = $3 for no key update
), challenged as (
  update /*p*/mfa_factors f set last_challenged_at = clock_timestamp()
  from locked l, /*p*/sessions s
  where f.id = $2 and f.user_id = l.id and f.user_id = $3
    and s.id = $4 and s.user_id = $3 and s.revoked_at is null and (s.not_after is null or s.not_after > now())
    and ($8::double precision is null or f.last_challenged_at is null
      or f.last_challenged_at <= now() - make_interval(secs => $8::double precision))
  returning f.id
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from challenged, jsonb_array_elements($9::jsonb) e
)
insert into /*p*/mfa_challenges (id, factor_id, session_id, ip, code_hash, challenge)
select $1, f.id, $4, $5::inet, $6, $7 from challenged f
returning id, extract(epoch from created_at)::double precision as created_at_seconds;

-- name: try
-- Takes one of the tries of a challenge, before the code is checked, so that parallel tries have no more than
-- one after another. A try counts for the user, too: `level` and `updated_at` of the counter are as in
-- sign-in-failures.count. No row: the factor has no such challenge of this session.
-- $1 factor id
-- $2 user id
-- $3 session id
-- $4 challenge id
-- $5 lifetime of a challenge in seconds
-- $6 tries of a challenge
-- $7 tries of the user until the first delay; null: none
-- $8 first delay in seconds; each further one is twice as long
-- $9 longest delay in seconds
-- $10 age in seconds at which tries are forgotten
with locked as materialized (
  select u.id from /*p*/users u where u.id = $2 for no key update
), found as (
  select f.id as factor_id, f.kind, f.status, f.secret, f.last_step, f.credential,
    c.id, c.ip, c.code_hash, c.challenge, c.tries, c.verified_at is not null as is_used,
    c.created_at <= now() - make_interval(secs => $5::double precision) as is_expired
  from locked l
  join /*p*/mfa_factors f on f.user_id = l.id
  join /*p*/mfa_challenges c on c.factor_id = f.id
  where f.id = $1 and f.user_id = $2 and c.id = $4 and c.session_id = $3
  -- The lock makes this statement see what a concurrent one has just done with the challenge.
  for no key update of c
), counted as (
  insert into /*p*/rate_counters as c (name, key, level, updated_at)
  select 'factor_tries', $2::text, 1, now()
  from found f where not f.is_used and not f.is_expired and f.tries < $6 and $7::int is not null
  on conflict (name, key) do update
  set (level, updated_at) = (
    select
      case when t.is_delayed then -abs(c.level) else t.tries end,
      case when t.is_delayed then c.updated_at
        when t.tries < $7 then greatest(now(), c.updated_at)
        else now() + make_interval(
          secs => least($9::double precision, $8::double precision * power(2, least(t.tries - $7, 30)))) end
    from (
      select
        abs(c.level) >= $7::double precision and c.updated_at > now() as is_delayed,
        case when c.updated_at < now() - make_interval(secs => $10::double precision) then 1
          else abs(c.level) + 1 end as tries
    ) t
  )
  returning c.level < 0 as is_delayed, extract(epoch from c.updated_at - now())::double precision as wait_seconds
), tried as (
  update /*p*/mfa_challenges c set tries = c.tries + 1
  from found f
  where c.id = f.id and c.tries < $6 and not exists (select from counted n where n.is_delayed)
  returning c.id
)
select f.kind, f.status, f.secret, f.last_step, f.credential, host(f.ip) as ip, f.code_hash, f.challenge, f.is_used,
  f.is_expired,
  coalesce((select n.wait_seconds from counted n where n.is_delayed), 0) as wait_seconds,
  exists (select from tried) as has_try,
  s.aal,
  exists (select from /*p*/mfa_factors o where o.user_id = $2 and o.status = 'verified' and o.kind <> 'recovery_code')
    as has_verified
from found f
join /*p*/sessions s on s.id = $3 and s.user_id = $2 and s.revoked_at is null
  and (s.not_after is null or s.not_after > now());

-- name: use_challenge
-- $1 id
update /*p*/mfa_challenges c set verified_at = now() where c.id = $1 and c.verified_at is null;

-- name: verify
-- The effects of a right code or response, all or none. No row: the challenge or the recovery code is used, the step is
-- not newer than the last one, or the session has ended. The session gets a generation that skips one, so that no refresh
-- token from before is the previous one of the session.
-- $1 factor id
-- $2 user id
-- $3 session id
-- $4 challenge id; null: a recovery code
-- $5 step of the code, or null
-- $6 method for amr
-- $7 credential after its use, or null
-- $8 audit entries, array
-- $9 recovery code id, or null
-- $10 whether the signature counter must have risen, unless both are 0
with locked as materialized (
  select u.id from /*p*/users u where u.id = $2 for no key update
), before as (
  select exists (select from /*p*/mfa_factors f where f.user_id = $2 and f.status = 'verified') as has_verified
), passed as (
  update /*p*/mfa_factors f
  set status = 'verified', last_step = coalesce($5::bigint, f.last_step), credential = coalesce($7::jsonb, f.credential),
    failed_tries = 0, locked_until = null,
    updated_at = case when f.status = 'unverified' then now() else f.updated_at end
  from locked l
  where f.id = $1 and f.user_id = l.id and f.user_id = $2
    and ($5::bigint is null or f.last_step is null or f.last_step < $5)
    and (
      not $10::boolean or f.credential is null
      or (f.credential ->> 'sign_count')::bigint < ($7::jsonb ->> 'sign_count')::bigint
      or (f.credential ->> 'sign_count' = '0' and $7::jsonb ->> 'sign_count' = '0'))
    and (
      exists (
        select from /*p*/mfa_challenges c where c.id = $4::uuid and c.factor_id = f.id and c.verified_at is null)
      or exists (
        select from /*p*/mfa_recovery_codes r where r.id = $9::uuid and r.factor_id = f.id and r.consumed_at is null))
    and exists (
      select from /*p*/sessions s
      where s.id = $3 and s.user_id = $2 and s.revoked_at is null and (s.not_after is null or s.not_after > now()))
  returning f.*
), used_challenge as (
  update /*p*/mfa_challenges c set verified_at = now()
  from passed f
  where c.id = $4::uuid and c.factor_id = f.id and c.verified_at is null
  returning c.id
), used_code as (
  update /*p*/mfa_recovery_codes r set consumed_at = now()
  from passed f
  where r.id = $9::uuid and r.factor_id = f.id and r.consumed_at is null
  returning r.id
), used as (
  select id from used_challenge
  union all
  select id from used_code
), raised as (
  update /*p*/sessions s
  set aal = 'aal2', generation = s.generation + 2,
    amr = jsonb_build_array(jsonb_build_object('method', $6::text, 'timestamp', extract(epoch from now())::bigint)) || (
      select coalesce(jsonb_agg(e.value order by e.position), '[]')
      from jsonb_array_elements(s.amr) with ordinality as e (value, position)
      where e.value ->> 'method' is distinct from $6),
    second_factors = coalesce(s.second_factors, '{}') || jsonb_build_object($6::text, $1)
  from used
  where s.id = $3 and s.user_id = $2 and s.revoked_at is null and (s.not_after is null or s.not_after > now())
  returning s.*
), ended_sessions as (
  -- A session that a concurrent verification has just raised is not below aal2 any more when it is looked at again.
  delete from /*p*/sessions s
  using raised r
  where s.user_id = r.user_id and s.id <> r.id and s.aal = 'aal1' and s.revoked_at is null
), dropped as (
  delete from /*p*/mfa_factors f
  using raised r, passed p, before b
  where f.user_id = $2 and f.id <> p.id and f.status = 'unverified' and (f.kind = p.kind or not b.has_verified)
), ended_failures as (
  delete from /*p*/rate_counters c using raised where c.name = 'factor_tries' and c.key = $2::text
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from raised, jsonb_array_elements($8::jsonb) e
)
select row_to_json(u) as "user",
  (select json_agg(i order by i.created_at, i.id) from /*p*/identities i where i.user_id = u.id) as identities,
  -- The row of the account still lists the factors of before.
  (
    select jsonb_agg(/*p*/factor_summary(row(f.*)::/*p*/mfa_factors) order by f.created_at, f.id)
    from (
      select * from passed
      union all
      select f.* from /*p*/mfa_factors f, passed p, before b
      where f.user_id = $2 and f.id <> p.id and (f.status = 'verified' or (f.kind <> p.kind and b.has_verified))
    ) f
  ) as factors,
  s.id as session_id, s.generation, s.aal, s.amr
from raised s join /*p*/users u on u.id = s.user_id;

-- name: remove
-- Removes a factor. Sessions keep the level that their other factors give them. Call it with the account locked.
-- $1 factor id
-- $2 user id
-- $3 audit entries, array
with removed as (
  delete from /*p*/mfa_factors f where f.id = $1 and f.user_id = $2 returning f.*
), lowered as (
  update /*p*/sessions s
  set second_factors = /*p*/without_factor(s.second_factors, r.id),
    aal = case when /*p*/without_factor(s.second_factors, r.id) is null then 'aal1' else s.aal end,
    amr = (
      select coalesce(jsonb_agg(e.value order by e.position), '[]')
      from jsonb_array_elements(s.amr) with ordinality as e (value, position)
      where s.second_factors -> (e.value ->> 'method') is distinct from to_jsonb(r.id))
  from removed r
  where s.user_id = r.user_id and /*p*/without_factor(s.second_factors, r.id) is distinct from s.second_factors
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from removed, jsonb_array_elements($3::jsonb) e
)
select r.id, r.kind, r.status, r.friendly_name, r.phone from removed r;

-- name: update
-- An administrator's change of name or number; null: unchanged.
-- $1 factor id
-- $2 user id
-- $3 friendly name, or null
-- $4 phone, or null
-- $5 audit entries, array
with changed as (
  update /*p*/mfa_factors f
  set friendly_name = coalesce($3, f.friendly_name), phone = coalesce($4, f.phone), updated_at = now()
  where f.id = $1 and f.user_id = $2
  returning f.*
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from changed, jsonb_array_elements($5::jsonb) e
)
select /*p*/factor_summary(row(f.*)::/*p*/mfa_factors) as factor from changed f;

-- name: insert_recovery_codes
-- A set of recovery codes with its factor, which is verified from the start. Call it with the account locked.
-- $1 factor id
-- $2 user id
-- $3 friendly name
-- $4 hashes of the codes
-- $5 audit entries, array
with made as (
  insert into /*p*/mfa_factors (id, user_id, kind, status, friendly_name)
  values ($1, $2, 'recovery_code', 'verified', $3)
  returning id
), codes as (
  insert into /*p*/mfa_recovery_codes (factor_id, code_hash)
  select m.id, h.code_hash from made m, unnest($4::text[]) as h (code_hash)
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from made, jsonb_array_elements($5::jsonb) e
)
select m.id from made m;

-- name: replace_recovery_codes
-- New codes in place of all former ones; a lock ends. Call it with the account locked.
-- $1 user id
-- $2 hashes of the codes
-- $3 audit entries, array
with renewed as (
  update /*p*/mfa_factors f set failed_tries = 0, locked_until = null, updated_at = now()
  where f.user_id = $1 and f.kind = 'recovery_code'
  returning f.id, f.friendly_name
), dropped as (
  delete from /*p*/mfa_recovery_codes r using renewed n where r.factor_id = n.id
), codes as (
  insert into /*p*/mfa_recovery_codes (factor_id, code_hash)
  select n.id, h.code_hash from renewed n, unnest($2::text[]) as h (code_hash)
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from renewed, jsonb_array_elements($3::jsonb) e
)
select n.id, n.friendly_name from renewed n;

-- name: count_recovery_codes
-- $1 user id
select f.id, count(*)::int as total, count(*) filter (where r.consumed_at is null)::int as remaining
from /*p*/mfa_factors f join /*p*/mfa_recovery_codes r on r.factor_id = f.id
where f.user_id = $1 and f.kind = 'recovery_code'
group by f.id;

-- name: try_recovery_code
-- Takes a try of the user's set, before the code is compared, so that parallel tries have no more than one after another.
-- The last one locks the set; a right code unlocks it. No row: the user has no codes.
-- $1 user id
-- $2 tries until the lock
-- $3 seconds of the lock
-- $4 hashes that the code may have
with tried as (
  update /*p*/mfa_factors f
  set failed_tries = case when f.failed_tries + 1 >= $2::int then 0 else f.failed_tries + 1 end,
    locked_until = case
      when f.failed_tries + 1 >= $2::int then now() + make_interval(secs => $3::double precision) end
  where f.user_id = $1 and f.kind = 'recovery_code' and (f.locked_until is null or f.locked_until <= now())
  returning f.id
)
select f.id, t.id is null as is_locked,
  coalesce(extract(epoch from f.locked_until - now()), 0)::double precision as locked_seconds,
  (
    select r.id from /*p*/mfa_recovery_codes r
    where r.factor_id = f.id and r.consumed_at is null and r.code_hash = any($4::text[])
    limit 1
  ) as code_id,
  (
    select json_agg(json_build_object('id', r.id, 'hash', r.code_hash)) from /*p*/mfa_recovery_codes r
    where r.factor_id = f.id and r.consumed_at is null and r.code_hash like '$argon2%'
  ) as imported,
  (select count(*) from /*p*/mfa_recovery_codes r where r.factor_id = f.id and r.consumed_at is null)::int as remaining
from /*p*/mfa_factors f left join tried t on t.id = f.id
where f.user_id = $1 and f.kind = 'recovery_code';

-- name: sealed
-- A page of secrets, to seal them with a new key.
-- read
-- $1 id of the last one of the page before, or null
select f.id, f.secret as sealed
from /*p*/mfa_factors f
where f.secret is not null and f.id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000')
order by f.id
limit 500;

-- name: reseal
-- The same secret, sealed with the current key. A change in between wins.
-- $1 id
-- $2 sealed secret that was read
-- $3 sealed secret
update /*p*/mfa_factors f set secret = $3 where f.id = $1 and f.secret = $2;
