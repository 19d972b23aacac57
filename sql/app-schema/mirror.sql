-- Writes accounts and identities into the tables of the application's schema, in the transaction that changes them here. It
-- hangs on the tables, so that no statement has to know of it. Triggers of the application fire in there; what they raise undoes
-- the change here, too. Secrets are never written: their columns stay empty.

-- Rows of the mirror as they ought to be.
create or replace view /*p*/app_schema_users as
select '00000000-0000-0000-0000-000000000000'::uuid as instance_id, u.id, u.aud, u.role, u.email, u.email_confirmed_at,
  u.invited_at, u.confirmation_sent_at, u.recovery_sent_at, coalesce(u.new_email, '') as email_change,
  u.email_change_sent_at, u.app_metadata as raw_app_meta_data, u.user_metadata as raw_user_meta_data, u.created_at,
  u.updated_at, u.phone, u.phone_confirmed_at, coalesce(u.new_phone, '') as phone_change, u.phone_change_sent_at,
  u.email_change_confirmations as email_change_confirm_status, u.banned_until, u.reauthentication_sent_at,
  u.is_sso_user, u.deleted_at, u.is_anonymous, u.last_sign_in_at
from /*p*/users u;

do $$
begin
  -- The rights are those of the reader: default privileges must show no accounts to roles of requests.
  if current_setting('server_version_num')::integer >= 150000 then
    alter view /*p*/app_schema_users set (security_invoker = true);
  end if;
end
$$;

-- Columns in which a row of the mirror has something else. An absent text is as good as an empty one.
create or replace function /*p*/mirror_differences(m /*a*/users, u /*p*/app_schema_users) returns text[]
language sql stable
set search_path from current
as $$
  select coalesce(array_agg(w.name), '{}')
  from unnest(array['aud', 'role', 'email', 'email_confirmed_at', 'invited_at', 'confirmation_sent_at', 'recovery_sent_at',
    'email_change', 'email_change_sent_at', 'raw_app_meta_data', 'raw_user_meta_data', 'phone', 'phone_confirmed_at',
    'phone_change', 'phone_change_sent_at', 'email_change_confirm_status', 'banned_until', 'reauthentication_sent_at',
    'is_sso_user', 'deleted_at', 'is_anonymous']) as w (name)
  where coalesce(to_jsonb(m) ->> w.name, '') <> coalesce(to_jsonb(u) ->> w.name, '')
$$;

-- Writes accounts that the mirror lacks, and brings the others up to date.
create or replace function /*p*/mirror_users(ids uuid[]) returns void
language plpgsql
set search_path from current
as $$
declare
  wanted integer := cardinality(ids);
  written integer;
  changed record;
begin
  insert into /*a*/users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at, invited_at,
    confirmation_token, confirmation_sent_at, recovery_token, recovery_sent_at, email_change_token_new, email_change,
    email_change_sent_at, last_sign_in_at, raw_app_meta_data, raw_user_meta_data, created_at, updated_at, phone,
    phone_confirmed_at, phone_change, phone_change_token, phone_change_sent_at, email_change_token_current,
    email_change_confirm_status, banned_until, reauthentication_token, reauthentication_sent_at, is_sso_user, deleted_at,
    is_anonymous)
  select u.instance_id, u.id, u.aud, u.role, u.email, '', u.email_confirmed_at, u.invited_at, '', u.confirmation_sent_at, '',
    u.recovery_sent_at, '', u.email_change, u.email_change_sent_at, u.last_sign_in_at, u.raw_app_meta_data,
    u.raw_user_meta_data, u.created_at, u.updated_at, u.phone, u.phone_confirmed_at, u.phone_change, '',
    u.phone_change_sent_at, '', u.email_change_confirm_status, u.banned_until, '', u.reauthentication_sent_at, u.is_sso_user,
    u.deleted_at, u.is_anonymous
  -- Look-ups by index, whatever size the tables had when the plan was made: a join would read them whole.
  from unnest(ids) as i (id)
  cross join lateral (select s.* from /*p*/app_schema_users s where s.id = i.id offset 0) u
  where (select m.id from /*a*/users m where m.id = i.id) is null;
  get diagnostics written = row_count;
  if written < wanted then
    for changed in
      select m.id, /*p*/mirror_differences(m.whole, u.whole) as columns
      from unnest(ids) as i (id)
      cross join lateral (select s as whole, s.* from /*p*/app_schema_users s where s.id = i.id offset 0) u
      cross join lateral (select t as whole, t.* from /*a*/users t where t.id = i.id offset 0) m
      where (m.aud, m.role, m.email, m.email_confirmed_at, m.invited_at, m.confirmation_sent_at, m.recovery_sent_at,
          m.email_change, m.email_change_sent_at, m.raw_app_meta_data, m.raw_user_meta_data, m.phone,
          m.phone_confirmed_at, m.phone_change, m.phone_change_sent_at, m.email_change_confirm_status, m.banned_until,
          m.reauthentication_sent_at, m.is_sso_user, m.deleted_at, m.is_anonymous)
        is distinct from (u.aud, u.role, u.email, u.email_confirmed_at, u.invited_at, u.confirmation_sent_at,
          u.recovery_sent_at, u.email_change, u.email_change_sent_at, u.raw_app_meta_data, u.raw_user_meta_data, u.phone,
          u.phone_confirmed_at, u.phone_change, u.phone_change_sent_at, u.email_change_confirm_status, u.banned_until,
          u.reauthentication_sent_at, u.is_sso_user, u.deleted_at, u.is_anonymous)
    loop
      -- Only what has changed, since a trigger `after update of email` fires for each update that names the column.
      if changed.columns <> '{}' then
        execute format('update %s m set (%s, updated_at) = (select %s, u.updated_at from %s u where u.id = m.id) where m.id = $1',
          '/*a*/users', array_to_string(changed.columns, ', '), 'u.' || array_to_string(changed.columns, ', u.'),
          '/*p*/app_schema_users')
        using changed.id;
      end if;
    end loop;
  end if;
end
$$;

create or replace function /*p*/mirror_new_users() returns trigger
language plpgsql
set search_path from current
as $$
declare
  ids uuid[] := array(select n.id from new_rows n);
  lost uuid;
begin
  if ids = '{}' then
    return null;
  end if;
  perform /*p*/mirror_users(ids);
  -- Also an account that a trigger deleted again: what the request is answered with would be of no use.
  select i.id into lost from unnest(ids) as i (id)
  where (select m.id from /*a*/users m where m.id = i.id) is null limit 1;
  if lost is not null then
    raise exception using errcode = 'LKM01', message = format('A trigger on %s kept out the account %s',
      to_regclass(tg_argv[0]), lost);
  end if;
  return null;
end
$$;

create or replace function /*p*/mirror_changed_user() returns trigger
language plpgsql
set search_path from current
as $$
begin
  perform /*p*/mirror_users(array[new.id]);
  return null;
end
$$;

create or replace function /*p*/mirror_deleted_users() returns trigger
language plpgsql
set search_path from current
as $$
declare
  kept uuid;
begin
  -- A statement fires its trigger also for no row; each of both sides would go on to the other.
  if not exists (select from old_rows) then
    return null;
  end if;
  delete from /*a*/users m using old_rows o where m.id = o.id;
  select o.id into kept from old_rows o join /*a*/users m on m.id = o.id limit 1;
  if kept is not null then
    raise exception using errcode = 'LKM01', message = format('A trigger on %s keeps the account %s',
      to_regclass(tg_argv[0]), kept);
  end if;
  return null;
end
$$;

-- As in /*p*/mirror_users.
create or replace function /*p*/mirror_identities(ids uuid[]) returns void
language plpgsql
set search_path from current
as $$
declare
  wanted integer := cardinality(ids);
  written integer;
  without_user uuid[] := array(
    select distinct i.user_id from unnest(ids) as g (id)
    cross join lateral (select s.user_id from /*p*/identities s where s.id = g.id offset 0) i
    where (select m.id from /*a*/users m where m.id = i.user_id) is null);
begin
  if without_user <> '{}' then
    perform /*p*/mirror_users(without_user);
  end if;
  insert into /*a*/identities (id, user_id, provider, provider_id, identity_data, last_sign_in_at, created_at, updated_at)
  select i.id, i.user_id, i.provider, i.provider_id, i.identity_data, i.last_sign_in_at, i.created_at, i.updated_at
  from unnest(ids) as g (id)
  cross join lateral (select s.* from /*p*/identities s where s.id = g.id offset 0) i
  where (select m.id from /*a*/identities m where m.id = g.id) is null
  on conflict (provider_id, provider) do update
  set id = excluded.id, user_id = excluded.user_id, identity_data = excluded.identity_data,
    updated_at = excluded.updated_at;
  get diagnostics written = row_count;
  if written < wanted then
    update /*a*/identities m
    set user_id = i.user_id, provider = i.provider, provider_id = i.provider_id, identity_data = i.identity_data,
      updated_at = i.updated_at
    from unnest(ids) as g (id) join /*p*/identities i on i.id = g.id
    where m.id = i.id
      and (m.user_id, m.provider, m.provider_id, m.identity_data)
        is distinct from (i.user_id, i.provider, i.provider_id, i.identity_data);
  end if;
end
$$;

create or replace function /*p*/mirror_new_identities() returns trigger
language plpgsql
set search_path from current
as $$
begin
  -- A statement fires its trigger also for no row; each of both sides would go on to the other.
  if exists (select from new_rows) then
    perform /*p*/mirror_identities(array(select n.id from new_rows n));
  end if;
  return null;
end
$$;

create or replace function /*p*/mirror_changed_identity() returns trigger
language plpgsql
set search_path from current
as $$
begin
  perform /*p*/mirror_identities(array[new.id]);
  return null;
end
$$;

create or replace function /*p*/mirror_deleted_identities() returns trigger
language plpgsql
set search_path from current
as $$
begin
  -- A statement fires its trigger also for no row; each of both sides would go on to the other.
  if not exists (select from old_rows) then
    return null;
  end if;
  delete from /*a*/identities m using old_rows o where m.id = o.id;
  return null;
end
$$;

-- last_sign_in_at is not among the columns: a sign-in changes no account.
drop trigger if exists /*p*/users_mirror_new on /*p*/users;
create trigger /*p*/users_mirror_new
  after insert on /*p*/users
  referencing new table as new_rows
  for each statement execute function /*p*/mirror_new_users('/*a*/users');

drop trigger if exists /*p*/users_mirror_changed on /*p*/users;
create trigger /*p*/users_mirror_changed
  after update of aud, role, email, email_confirmed_at, phone, phone_confirmed_at, invited_at, confirmation_sent_at,
    recovery_sent_at, new_email, email_change_sent_at, email_change_confirmations, new_phone, phone_change_sent_at,
    reauthentication_sent_at, app_metadata, user_metadata, is_sso_user, is_anonymous, banned_until, deleted_at
  on /*p*/users
  for each row
  when ((old.aud, old.role, old.email, old.email_confirmed_at, old.phone, old.phone_confirmed_at, old.invited_at,
      old.confirmation_sent_at, old.recovery_sent_at, old.new_email, old.email_change_sent_at,
      old.email_change_confirmations, old.new_phone, old.phone_change_sent_at, old.reauthentication_sent_at,
      old.app_metadata, old.user_metadata, old.is_sso_user, old.is_anonymous, old.banned_until, old.deleted_at)
    is distinct from (new.aud, new.role, new.email, new.email_confirmed_at, new.phone, new.phone_confirmed_at,
      new.invited_at, new.confirmation_sent_at, new.recovery_sent_at, new.new_email, new.email_change_sent_at,
      new.email_change_confirmations, new.new_phone, new.phone_change_sent_at, new.reauthentication_sent_at,
      new.app_metadata, new.user_metadata, new.is_sso_user, new.is_anonymous, new.banned_until, new.deleted_at))
  execute function /*p*/mirror_changed_user();

drop trigger if exists /*p*/users_mirror_deleted on /*p*/users;
create trigger /*p*/users_mirror_deleted
  after delete on /*p*/users
  referencing old table as old_rows
  for each statement execute function /*p*/mirror_deleted_users('/*a*/users');

drop trigger if exists /*p*/identities_mirror_new on /*p*/identities;
create trigger /*p*/identities_mirror_new
  after insert on /*p*/identities
  referencing new table as new_rows
  for each statement execute function /*p*/mirror_new_identities();

drop trigger if exists /*p*/identities_mirror_changed on /*p*/identities;
create trigger /*p*/identities_mirror_changed
  after update of user_id, provider, provider_id, identity_data on /*p*/identities
  for each row
  when ((old.user_id, old.provider, old.provider_id, old.identity_data)
    is distinct from (new.user_id, new.provider, new.provider_id, new.identity_data))
  execute function /*p*/mirror_changed_identity();

drop trigger if exists /*p*/identities_mirror_deleted on /*p*/identities;
create trigger /*p*/identities_mirror_deleted
  after delete on /*p*/identities
  referencing old table as old_rows
  for each statement execute function /*p*/mirror_deleted_identities();
