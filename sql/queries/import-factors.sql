-- Import of second factors and passkeys of supabase/auth. A use there counts here, too: spent codes and signature counters
-- are taken over even where the rest has changed here.

-- name: factors
-- One batch. A factor is imported with all of its recovery codes or not at all. Returns a verdict for each: imported,
-- changed (there, and not here), same, kept (changed here since it was imported), deleted (here since), there (it was not
-- imported), no_account; name, phone, set or credential (another factor has it); raced (it was taken while the batch ran).
-- Like every statement that changes factors it locks the accounts first, whose rows list them.
-- $1 array of {position, id, user_id, kind, friendly_name, secret, phone, failed_tries, locked_until, credential,
--    last_challenged_at, created_at, updated_at, digest}
-- $2 array of {id, factor_id, code_hash, consumed_at, created_at}
with given as (
  select r.* from jsonb_to_recordset($1::jsonb) as r (position int, id uuid, user_id uuid, kind text, friendly_name text,
    secret text, phone text, failed_tries smallint, locked_until timestamptz, credential jsonb,
    last_challenged_at timestamptz, created_at timestamptz, updated_at timestamptz, digest text)
), given_codes as (
  select r.* from jsonb_to_recordset($2::jsonb) as r (id uuid, factor_id uuid, code_hash text, consumed_at timestamptz,
    created_at timestamptz)
), locked as materialized (
  select u.id from /*p*/users u
  where u.id in (select g.user_id from given g) and u.deleted_at is null
  order by u.id
  for no key update
), judged as (
  select g.*, m.updated_at as moved_updated_at,
    case
      when l.id is null then 'no_account'
      when m.factor_id is null and f.id is not null then 'there'
      when m.factor_id is not null and f.id is null then 'deleted'
      when m.digest = g.digest then 'same'
      when f.updated_at <> m.updated_at then 'kept'
      when exists (
        select from /*p*/mfa_factors o
        where o.credential ->> 'id' = g.credential ->> 'id' and o.id <> g.id) then 'credential'
      when exists (
        select from /*p*/mfa_factors o
        where o.user_id = g.user_id and o.kind = 'recovery_code' and g.kind = 'recovery_code' and o.id <> g.id) then 'set'
      when exists (
        select from /*p*/mfa_factors o
        where o.user_id = g.user_id and o.phone = g.phone and o.id <> g.id) then 'phone'
      when exists (
        select from /*p*/mfa_factors o
        where o.user_id = g.user_id and o.friendly_name = g.friendly_name and g.friendly_name <> '' and o.id <> g.id)
        then 'name'
      when f.id is null then 'imported'
      else 'changed'
    end as verdict
  from given g
  left join locked l on l.id = g.user_id
  left join /*p*/moved_factors m on m.factor_id = g.id
  left join /*p*/mfa_factors f on f.id = g.id
), new_factors as (
  insert into /*p*/mfa_factors (id, user_id, kind, status, friendly_name, secret, phone, failed_tries, locked_until,
    credential, last_challenged_at, created_at, updated_at)
  select j.id, j.user_id, j.kind, 'verified', j.friendly_name, j.secret, j.phone, j.failed_tries, j.locked_until,
    j.credential, j.last_challenged_at, j.created_at, j.updated_at
  from judged j
  where j.verdict = 'imported'
  on conflict do nothing
  returning id
), changed_factors as (
  update /*p*/mfa_factors f
  set friendly_name = j.friendly_name, secret = j.secret, phone = j.phone, failed_tries = j.failed_tries,
    locked_until = j.locked_until, last_challenged_at = greatest(f.last_challenged_at, j.last_challenged_at),
    credential = j.credential || jsonb_build_object('sign_count', case
      when f.credential ->> 'id' = j.credential ->> 'id'
        then greatest((f.credential ->> 'sign_count')::bigint, (j.credential ->> 'sign_count')::bigint)
      else (j.credential ->> 'sign_count')::bigint end),
    created_at = j.created_at, updated_at = j.updated_at
  from judged j
  -- Checked again on the row as it is now: it may have changed in between.
  where f.id = j.id and j.verdict = 'changed' and f.updated_at = j.moved_updated_at
  returning f.id
), stored as (
  select n.id from new_factors n
  union all
  select c.id from changed_factors c
), noted as (
  insert into /*p*/moved_factors (factor_id, digest, updated_at)
  select j.id, j.digest, j.updated_at
  from judged j join stored d on d.id = j.id
  on conflict (factor_id) do update set digest = excluded.digest, updated_at = excluded.updated_at
), replaced_codes as (
  delete from /*p*/mfa_recovery_codes r using changed_factors c
  where r.factor_id = c.id and not exists (select from given_codes n where n.id = r.id)
), spent_codes as (
  update /*p*/mfa_recovery_codes r set consumed_at = n.consumed_at
  from given_codes n join judged j on j.id = n.factor_id
  where r.id = n.id and r.factor_id = n.factor_id and r.consumed_at is null and n.consumed_at is not null
    and j.verdict in ('changed', 'kept')
), new_codes as (
  insert into /*p*/mfa_recovery_codes (id, factor_id, code_hash, consumed_at, created_at)
  select n.id, n.factor_id, n.code_hash, n.consumed_at, n.created_at
  from given_codes n join stored d on d.id = n.factor_id
  on conflict (id) do nothing
), marked as (
  -- The first proof of an address keeps them.
  update /*p*/account_origins o set operator_set = o.operator_set || '{factors}'
  where not 'factors' = any(o.operator_set)
    and o.user_id in (select j.user_id from judged j where j.verdict in ('imported', 'changed', 'same', 'kept'))
)
select j.position,
  case
    when d.id is not null or j.verdict not in ('imported', 'changed') then j.verdict
    when j.verdict = 'changed' then 'kept'
    else 'raced'
  end as verdict
from judged j left join stored d on d.id = j.id;

-- name: passkeys
-- One batch, with verdicts as above.
-- $1 array of {position, id, user_id, credential_id, public_key, attestation_format, aaguid, sign_count, transports,
--    backup_eligible, backed_up, friendly_name, created_at, updated_at, last_used_at, digest}
with given as (
  select r.* from jsonb_to_recordset($1::jsonb) as r (position int, id uuid, user_id uuid, credential_id bytea,
    public_key bytea, attestation_format text, aaguid uuid, sign_count bigint, transports jsonb, backup_eligible boolean,
    backed_up boolean, friendly_name text, created_at timestamptz, updated_at timestamptz, last_used_at timestamptz,
    digest text)
), locked as materialized (
  select u.id from /*p*/users u
  where u.id in (select g.user_id from given g) and u.deleted_at is null
  order by u.id
  for no key update
), judged as (
  select g.*, m.updated_at as moved_updated_at,
    case
      when l.id is null then 'no_account'
      when m.passkey_id is null and p.id is not null then 'there'
      when m.passkey_id is not null and p.id is null then 'deleted'
      when m.digest = g.digest then 'same'
      when p.updated_at <> m.updated_at then 'kept'
      when exists (
        select from /*p*/passkeys o where o.credential_id = g.credential_id and o.id <> g.id) then 'credential'
      when p.id is null then 'imported'
      else 'changed'
    end as verdict
  from given g
  left join locked l on l.id = g.user_id
  left join /*p*/moved_passkeys m on m.passkey_id = g.id
  left join /*p*/passkeys p on p.id = g.id
), new_passkeys as (
  insert into /*p*/passkeys (id, user_id, credential_id, public_key, attestation_format, aaguid, sign_count, transports,
    backup_eligible, backed_up, friendly_name, created_at, updated_at, last_used_at)
  select j.id, j.user_id, j.credential_id, j.public_key, j.attestation_format, j.aaguid, j.sign_count, j.transports,
    j.backup_eligible, j.backed_up, j.friendly_name, j.created_at, j.updated_at, j.last_used_at
  from judged j
  where j.verdict = 'imported'
  on conflict do nothing
  returning id
), changed_passkeys as (
  update /*p*/passkeys p
  set sign_count = greatest(p.sign_count, j.sign_count), transports = j.transports, backed_up = j.backed_up,
    friendly_name = j.friendly_name, created_at = j.created_at, updated_at = j.updated_at,
    last_used_at = greatest(p.last_used_at, j.last_used_at)
  from judged j
  where p.id = j.id and j.verdict = 'changed' and p.updated_at = j.moved_updated_at
  returning p.id
), stored as (
  select n.id from new_passkeys n
  union all
  select c.id from changed_passkeys c
), noted as (
  insert into /*p*/moved_passkeys (passkey_id, digest, updated_at)
  select j.id, j.digest, j.updated_at
  from judged j join stored d on d.id = j.id
  on conflict (passkey_id) do update set digest = excluded.digest, updated_at = excluded.updated_at
), marked as (
  update /*p*/account_origins o set operator_set = o.operator_set || '{passkey}'
  where not 'passkey' = any(o.operator_set)
    and o.user_id in (select j.user_id from judged j where j.verdict in ('imported', 'changed', 'same', 'kept'))
)
select j.position,
  case
    when d.id is not null or j.verdict not in ('imported', 'changed') then j.verdict
    when j.verdict = 'changed' then 'kept'
    else 'raced'
  end as verdict
from judged j left join stored d on d.id = j.id;

-- name: gone_factors
-- Factors that an earlier run brought, that have not changed here since, and that are no longer where they came from.
-- read
-- $1 id after which to look, null: from the beginning
-- $2 last id, null: to the end
-- $3 ids that are still there
select m.factor_id as id, f.user_id
from /*p*/moved_factors m
cross join lateral (
  -- One look-up for each: the planner would read all factors.
  select f.user_id from /*p*/mfa_factors f where f.id = m.factor_id and f.updated_at = m.updated_at offset 0
) f
where m.factor_id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000')
  and m.factor_id <= coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
  and not exists (select from unnest($3::uuid[]) p where p = m.factor_id);

-- name: gone_passkeys
-- The same of passkeys.
-- read
-- $1 id after which to look, null: from the beginning
-- $2 last id, null: to the end
-- $3 ids that are still there
select m.passkey_id as id, p.user_id
from /*p*/moved_passkeys m
cross join lateral (
  select p.user_id from /*p*/passkeys p where p.id = m.passkey_id and p.updated_at = m.updated_at offset 0
) p
where m.passkey_id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000')
  and m.passkey_id <= coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
  and not exists (select from unnest($3::uuid[]) n where n = m.passkey_id);

-- name: remove_factors
-- Removes factors. Sessions keep the level that their other factors give them.
-- $1 ids
with locked as materialized (
  select u.id from /*p*/users u
  where u.id in (select f.user_id from /*p*/mfa_factors f where f.id = any($1::uuid[]))
  order by u.id
  for no key update
), removed as (
  delete from /*p*/mfa_factors f using locked l
  where f.id = any($1::uuid[]) and f.user_id = l.id
  returning f.id, f.user_id
), removed_of as (
  select r.user_id, array_agg(r.id::text) as ids from removed r group by r.user_id
), raised as (
  select s.id, r.ids,
    (
      select jsonb_object_agg(m.key, m.value) from jsonb_each_text(s.second_factors) m where m.value <> all(r.ids)
    ) as second_factors
  from removed_of r join /*p*/sessions s on s.user_id = r.user_id
  where exists (select from jsonb_each_text(s.second_factors) m where m.value = any(r.ids))
), lowered as (
  update /*p*/sessions s
  set second_factors = d.second_factors, aal = case when d.second_factors is null then 'aal1' else s.aal end,
    amr = (
      select coalesce(jsonb_agg(e.value order by e.position), '[]')
      from jsonb_array_elements(s.amr) with ordinality as e (value, position)
      where coalesce(s.second_factors ->> (e.value ->> 'method'), '') <> all(d.ids))
  from raised d
  where s.id = d.id
)
select count(*)::int as removed from removed;

-- name: remove_passkeys
-- Removes passkeys. Sessions that they opened at aal2 go back to aal1.
-- $1 ids
with locked as materialized (
  select u.id from /*p*/users u
  where u.id in (select p.user_id from /*p*/passkeys p where p.id = any($1::uuid[]))
  order by u.id
  for no key update
), removed as (
  delete from /*p*/passkeys p using locked l
  where p.id = any($1::uuid[]) and p.user_id = l.id
  returning p.id, p.user_id
), lowered as (
  update /*p*/sessions s
  set second_factors = /*p*/without_factor(s.second_factors, r.id),
    aal = case when /*p*/without_factor(s.second_factors, r.id) is null then 'aal1' else s.aal end
  from removed r
  where s.user_id = r.user_id and s.second_factors @> jsonb_build_object('passkey', r.id)
)
select count(*)::int as removed from removed;
