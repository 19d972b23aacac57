-- Import of accounts from other systems.

-- name: users
-- One batch. Each account is imported with all of its identities or not at all. Returns a verdict for each: imported;
-- email, phone or identity (another account has it); raced (it was taken while the batch ran, or occurs twice in it); there
-- (the id exists). With a digest, which later runs compare, instead of there: same, changed (there since an earlier run,
-- and not here), kept (changed here since), deleted (here since), or there (it came from elsewhere).
-- $1 array of {position, digest, id, aud, role, email, email_confirmed_at, phone, phone_confirmed_at, password_hash,
--    invited_at, last_sign_in_at, app_metadata, user_metadata, is_sso_user, is_anonymous, banned_until, created_at,
--    updated_at}
-- $2 array of {id, user_id, provider, provider_id, identity_data, last_sign_in_at, created_at, updated_at}
-- $3 true: nothing is stored, and the verdicts say what would be
with given as (
  select r.* from jsonb_to_recordset($1::jsonb) as r (position int, digest text, id uuid, aud text, role text,
    email text, email_confirmed_at timestamptz, phone text, phone_confirmed_at timestamptz, password_hash text,
    invited_at timestamptz, last_sign_in_at timestamptz, app_metadata jsonb, user_metadata jsonb, is_sso_user boolean,
    is_anonymous boolean, banned_until timestamptz, created_at timestamptz, updated_at timestamptz)
), given_identities as (
  select r.* from jsonb_to_recordset($2::jsonb) as r (id uuid, user_id uuid, provider text, provider_id text,
    identity_data jsonb, last_sign_in_at timestamptz, created_at timestamptz, updated_at timestamptz)
), judged as (
  select g.*, m.updated_at as moved_updated_at,
    case
      when u.id is not null and (g.digest is null or m.user_id is null) then 'there'
      when u.id is null and g.digest is not null and m.user_id is not null then 'deleted'
      when m.digest = g.digest then 'same'
      when u.id is not null and (u.updated_at <> m.updated_at or u.deleted_at is not null) then 'kept'
      when not g.is_sso_user and exists (
        select from /*p*/users o where o.email = g.email and not o.is_sso_user and o.id <> g.id) then 'email'
      when not g.is_sso_user and exists (
        select from /*p*/users o where o.phone = g.phone and not o.is_sso_user and o.id <> g.id) then 'phone'
      when exists (
        select from given_identities n
        join /*p*/identities i on i.provider = n.provider and i.provider_id = n.provider_id
        where n.user_id = g.id and i.user_id <> g.id) then 'identity'
      when u.id is not null then 'changed'
    end as verdict
  from given g
  left join /*p*/users u on u.id = g.id
  left join /*p*/moved_accounts m on m.user_id = g.id
), new_users as (
  -- What the other system has confirmed counts as proven.
  insert into /*p*/users (id, aud, role, email, email_confirmed_at, proven_email, phone, phone_confirmed_at, proven_phone,
    password_hash, invited_at,
    last_sign_in_at, app_metadata, user_metadata, is_sso_user, is_anonymous, banned_until, created_at, updated_at)
  select j.id, j.aud, j.role, j.email, j.email_confirmed_at, case when j.email_confirmed_at is not null then j.email end,
    j.phone, j.phone_confirmed_at, case when j.phone_confirmed_at is not null then j.phone end, j.password_hash,
    j.invited_at, j.last_sign_in_at, j.app_metadata, j.user_metadata, j.is_sso_user, j.is_anonymous, j.banned_until,
    j.created_at, j.updated_at
  from judged j
  where j.verdict is null and not $3::boolean
  -- Of two that want the same address, the first gets it.
  order by j.position
  on conflict do nothing
  returning id
), changed_users as (
  update /*p*/users u
  set aud = j.aud, role = j.role, email = j.email, email_confirmed_at = j.email_confirmed_at, phone = j.phone,
    phone_confirmed_at = j.phone_confirmed_at,
    proven_email = case when j.email_confirmed_at is not null then j.email end,
    proven_phone = case when j.phone_confirmed_at is not null then j.phone end,
    password_hash = j.password_hash, invited_at = j.invited_at,
    last_sign_in_at = j.last_sign_in_at, app_metadata = j.app_metadata, user_metadata = j.user_metadata,
    is_sso_user = j.is_sso_user, is_anonymous = j.is_anonymous, banned_until = j.banned_until,
    created_at = j.created_at, updated_at = j.updated_at
  from judged j
  -- Checked again on the row as it is now: it may have changed in between.
  where u.id = j.id and j.verdict = 'changed' and not $3::boolean and u.updated_at = j.moved_updated_at and u.deleted_at is null
  returning u.id
), stored as (
  select n.id from new_users n
  union all
  select c.id from changed_users c
), noted as (
  insert into /*p*/moved_accounts (user_id, digest, updated_at)
  select j.id, j.digest, j.updated_at
  from judged j join stored d on d.id = j.id
  where j.digest is not null
  on conflict (user_id) do update set digest = excluded.digest, updated_at = excluded.updated_at
), old_identities as (
  delete from /*p*/identities i using changed_users c
  where i.user_id = c.id and not exists (
    select from given_identities n
    where n.user_id = i.user_id and n.provider = i.provider and n.provider_id = i.provider_id)
), changed_identities as (
  update /*p*/identities i
  set identity_data = n.identity_data, last_sign_in_at = n.last_sign_in_at, created_at = n.created_at,
    updated_at = n.updated_at
  from given_identities n join changed_users c on c.id = n.user_id
  where i.user_id = n.user_id and i.provider = n.provider and i.provider_id = n.provider_id
  returning i.id, i.user_id, i.provider, i.provider_id
), new_identities as (
  insert into /*p*/identities (id, user_id, provider, provider_id, identity_data, last_sign_in_at, created_at, updated_at)
  select coalesce(n.id, gen_random_uuid()), n.user_id, n.provider, n.provider_id, n.identity_data, n.last_sign_in_at, n.created_at, n.updated_at
  from given_identities n join stored d on d.id = n.user_id
  where not exists (
    select from changed_identities c where c.provider = n.provider and c.provider_id = n.provider_id)
  returning id, user_id
), all_identities as (
  select n.id, n.user_id from new_identities n
  union all
  select c.id, c.user_id from changed_identities c
), origins as (
  -- Imported data counts as set by an operator, though an address may still be unproven.
  insert into /*p*/account_origins as o (user_id, operator_set, operator_metadata, operator_identities)
  select d.id, '{password,email,phone}', j.user_metadata,
    array(select i.id from all_identities i where i.user_id = d.id)
  from judged j join stored d on d.id = j.id
  where j.email is not null and j.email_confirmed_at is null or j.phone is not null and j.phone_confirmed_at is null
  on conflict (user_id) do update
  set operator_set = array(select distinct unnest(o.operator_set || excluded.operator_set)),
    operator_metadata = excluded.operator_metadata, operator_identities = excluded.operator_identities
)
select j.position,
  case
    when d.id is not null or $3::boolean then coalesce(j.verdict, 'imported')
    when j.verdict = 'changed' then 'kept'
    else coalesce(j.verdict, 'raced')
  end as verdict
from judged j left join stored d on d.id = j.id;

-- name: gone_users
-- Accounts that an earlier run brought, that are still here, and that are no longer where they came from.
-- read
-- $1 id after which to look, null: from the beginning
-- $2 last id, null: to the end
-- $3 ids that are still there
select m.user_id as id
from /*p*/moved_accounts m join /*p*/users u on u.id = m.user_id
where m.user_id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000')
  and m.user_id <= coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
  and u.deleted_at is null
  and not exists (select from unnest($3::uuid[]) p where p = m.user_id)
order by m.user_id;
