-- Accounts that move in from elsewhere.

-- name: users
-- One batch. Each account comes with its identities or not at all, and every one is told what became of it: imported,
-- there (its id is known), or which of its own somebody else holds.
-- $1 array of {position, id, aud, role, email, email_confirmed_at, phone, phone_confirmed_at, password_hash,
--    invited_at, last_sign_in_at, app_metadata, user_metadata, is_sso_user, is_anonymous, banned_until, created_at,
--    updated_at}
-- $2 array of {user_id, provider, provider_id, identity_data, last_sign_in_at, created_at, updated_at}
with given as (
  select r.* from jsonb_to_recordset($1::jsonb) as r (position int, id uuid, aud text, role text,
    email text, email_confirmed_at timestamptz, phone text, phone_confirmed_at timestamptz, password_hash text,
    invited_at timestamptz, last_sign_in_at timestamptz, app_metadata jsonb, user_metadata jsonb, is_sso_user boolean,
    is_anonymous boolean, banned_until timestamptz, created_at timestamptz, updated_at timestamptz)
), given_identities as (
  select r.* from jsonb_to_recordset($2::jsonb) as r (user_id uuid, provider text, provider_id text,
    identity_data jsonb, last_sign_in_at timestamptz, created_at timestamptz, updated_at timestamptz)
), judged as (
  select g.*,
    case
      when exists (select from /*p*/users u where u.id = g.id) then 'there'
      when not g.is_sso_user
        and exists (select from /*p*/users u where u.email = g.email and not u.is_sso_user) then 'email'
      when not g.is_sso_user
        and exists (select from /*p*/users u where u.phone = g.phone and not u.is_sso_user) then 'phone'
      when exists (
        select from given_identities n
        join /*p*/identities i on i.provider = n.provider and i.provider_id = n.provider_id
        where n.user_id = g.id) then 'identity'
    end as verdict
  from given g
), new_users as (
  insert into /*p*/users (id, aud, role, email, email_confirmed_at, phone, phone_confirmed_at, password_hash, invited_at,
    last_sign_in_at, app_metadata, user_metadata, is_sso_user, is_anonymous, banned_until, created_at, updated_at)
  select j.id, j.aud, j.role, j.email, j.email_confirmed_at, j.phone, j.phone_confirmed_at, j.password_hash,
    j.invited_at, j.last_sign_in_at, j.app_metadata, j.user_metadata, j.is_sso_user, j.is_anonymous, j.banned_until,
    j.created_at, j.updated_at
  from judged j
  where j.verdict is null
  on conflict do nothing
  returning id
), new_identities as (
  insert into /*p*/identities (user_id, provider, provider_id, identity_data, last_sign_in_at, created_at, updated_at)
  select n.user_id, n.provider, n.provider_id, n.identity_data, n.last_sign_in_at, n.created_at, n.updated_at
  from given_identities n join new_users u on u.id = n.user_id
  returning id, user_id
), origins as (
  -- What is imported is not a stranger's, though an address may still be unproven.
  insert into /*p*/account_origins (user_id, operator_set, operator_metadata, operator_identities)
  select u.id, '{password,email,phone}', j.user_metadata,
    array(select i.id from new_identities i where i.user_id = u.id)
  from judged j join new_users u on u.id = j.id
  where j.email is not null and j.email_confirmed_at is null or j.phone is not null and j.phone_confirmed_at is null
)
select j.position,
  coalesce(j.verdict, case when u.id is null then 'raced' else 'imported' end) as verdict
from judged j left join new_users u on u.id = j.id;
