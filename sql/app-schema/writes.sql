-- What others write into the mirror: seeds, functions and operators of the application. Their changes reach the account in the
-- same transaction, or are refused. A row that equals the account was written by the mirror itself.
-- The functions run as their owner, since roles that may write the mirror have no rights here. So their search path is fixed, with
-- temporary tables last, and no other role may make triggers of them.

create or replace function /*p*/refuse_application_write(what text, instead text) returns void
language plpgsql
as $$
begin
  raise exception using errcode = 'LKM02', message = format('%s cannot be written in SQL: %s', what, instead);
end
$$;

create function /*p*/take_application_change() returns trigger
language plpgsql
security definer
set search_path from current
as $$
declare
  account /*p*/users;
  written /*a*/users;
  refused text;
begin
  select u.* into account from /*p*/users u where u.id = old.id;
  -- An account of the other server that was not imported.
  if not found then
    return null;
  end if;
  -- As it is now: a trigger that came before may have changed it once more.
  select m.* into written from /*a*/users m where m.id = new.id;
  if not found then
    return null;
  end if;
  refused := case
    when new.id <> old.id then 'id'
    when new.aud is distinct from old.aud and new.aud is distinct from account.aud then 'aud'
    when new.email is distinct from old.email and new.email is distinct from account.email then 'email'
    when new.phone is distinct from old.phone and new.phone is distinct from account.phone then 'phone'
    when new.is_anonymous <> old.is_anonymous and new.is_anonymous <> account.is_anonymous then 'is_anonymous'
    when new.is_sso_user <> old.is_sso_user and new.is_sso_user <> account.is_sso_user then 'is_sso_user'
    when new.deleted_at is distinct from old.deleted_at and new.deleted_at is distinct from account.deleted_at
      then 'deleted_at'
    when new.created_at is distinct from old.created_at and new.created_at is distinct from account.created_at
      then 'created_at'
    when new.invited_at is distinct from old.invited_at and new.invited_at is distinct from account.invited_at
      then 'invited_at'
    when new.last_sign_in_at is distinct from old.last_sign_in_at
      and new.last_sign_in_at is distinct from account.last_sign_in_at then 'last_sign_in_at'
    when new.email_change is distinct from old.email_change
      and new.email_change is distinct from coalesce(account.new_email, '') then 'email_change'
    when new.phone_change is distinct from old.phone_change
      and new.phone_change is distinct from coalesce(account.new_phone, '') then 'phone_change'
    when new.confirmation_sent_at is distinct from old.confirmation_sent_at
      and new.confirmation_sent_at is distinct from account.confirmation_sent_at then 'confirmation_sent_at'
    when new.recovery_sent_at is distinct from old.recovery_sent_at
      and new.recovery_sent_at is distinct from account.recovery_sent_at then 'recovery_sent_at'
    when new.email_change_sent_at is distinct from old.email_change_sent_at
      and new.email_change_sent_at is distinct from account.email_change_sent_at then 'email_change_sent_at'
    when new.phone_change_sent_at is distinct from old.phone_change_sent_at
      and new.phone_change_sent_at is distinct from account.phone_change_sent_at then 'phone_change_sent_at'
    when new.reauthentication_sent_at is distinct from old.reauthentication_sent_at
      and new.reauthentication_sent_at is distinct from account.reauthentication_sent_at then 'reauthentication_sent_at'
    when new.email_change_confirm_status is distinct from old.email_change_confirm_status
      and new.email_change_confirm_status is distinct from account.email_change_confirmations
      then 'email_change_confirm_status'
    when new.is_super_admin is distinct from old.is_super_admin then 'is_super_admin'
    when new.instance_id is distinct from old.instance_id then 'instance_id'
    -- Emptying a secret is fine.
    when new.encrypted_password is distinct from old.encrypted_password and new.encrypted_password <> ''
      then 'encrypted_password'
    when new.confirmation_token is distinct from old.confirmation_token and new.confirmation_token <> ''
      then 'confirmation_token'
    when new.recovery_token is distinct from old.recovery_token and new.recovery_token <> '' then 'recovery_token'
    when new.email_change_token_new is distinct from old.email_change_token_new and new.email_change_token_new <> ''
      then 'email_change_token_new'
    when new.email_change_token_current is distinct from old.email_change_token_current
      and new.email_change_token_current <> '' then 'email_change_token_current'
    when new.phone_change_token is distinct from old.phone_change_token and new.phone_change_token <> ''
      then 'phone_change_token'
    when new.reauthentication_token is distinct from old.reauthentication_token and new.reauthentication_token <> ''
      then 'reauthentication_token'
  end;
  if refused is not null then
    perform /*p*/refuse_application_write(format('%s.%I', tg_relid::regclass, refused), 'use PUT /admin/users/{id}');
  end if;
  if (written.role, written.raw_app_meta_data, written.raw_user_meta_data, written.banned_until,
      written.email_confirmed_at, written.phone_confirmed_at)
    is distinct from (account.role, account.app_metadata, account.user_metadata, account.banned_until,
      account.email_confirmed_at, account.phone_confirmed_at) then
    perform /*p*/apply_application_change(account, written);
  end if;
  return null;
end
$$;

-- Clients read dates of RFC 3339, which has neither infinity nor years of five digits.
create or replace function /*p*/refuse_application_dates(dates timestamptz[]) returns void
language plpgsql
set search_path from current
as $$
begin
  if exists (select from unnest(dates) as d (moment) where d.moment < '0001-01-02' or d.moment >= '9999-12-31') then
    perform /*p*/refuse_application_write('A date before year 1 or after 9999',
      'write a distant one, such as now() + interval ''1000 years''');
  end if;
end
$$;

-- As a change by an administrator: a ban ends the sessions, and a confirmation vouches for the address.
create or replace function /*p*/apply_application_change(account /*p*/users, written /*a*/users) returns void
language plpgsql
set search_path from current
as $$
declare
  is_ban boolean := written.banned_until is distinct from account.banned_until and written.banned_until > now();
  app jsonb := coalesce(written.raw_app_meta_data, '{}');
  own jsonb := coalesce(written.raw_user_meta_data, '{}');
begin
  if jsonb_typeof(app) <> 'object' or jsonb_typeof(own) <> 'object' then
    perform /*p*/refuse_application_write('Metadata that is no object', 'write an object');
  end if;
  perform /*p*/refuse_application_dates(
    array[written.banned_until, written.email_confirmed_at, written.phone_confirmed_at]);
  update /*p*/users u
  set role = coalesce(written.role, ''), app_metadata = app, user_metadata = own, banned_until = written.banned_until,
    email_confirmed_at = written.email_confirmed_at, phone_confirmed_at = written.phone_confirmed_at,
    vouched_email = case
      when account.email_confirmed_at is null and written.email_confirmed_at is not null
        and u.proven_email is distinct from u.email then u.email
      else u.vouched_email end,
    vouched_phone = case
      when account.phone_confirmed_at is null and written.phone_confirmed_at is not null
        and u.proven_phone is distinct from u.phone then u.phone
      else u.vouched_phone end,
    updated_at = now()
  where u.id = account.id;
  if is_ban then
    update /*p*/sessions s set revoked_at = now(), ended_by_ban = true
    where s.user_id = account.id and s.revoked_at is null;
    delete from /*p*/flow_states f where f.user_id = account.id and f.linking_target_id is null;
    delete from /*p*/oauth_authorizations a where a.user_id = account.id and a.status in ('pending', 'approved');
  end if;
  perform /*p*/audit_application_write('user_modified', account, session_user);
end
$$;

create or replace function /*p*/audit_application_write(action text, account /*p*/users, role_name text) returns void
language sql
set search_path from current
as $$
  insert into /*p*/audit_log (payload)
  values (jsonb_build_object('actor_id', '00000000-0000-0000-0000-000000000000', 'actor_username', role_name,
    'actor_via_sso', false, 'action', action, 'log_type', 'database',
    'traits', jsonb_build_object('user_id', account.id, 'user_email', coalesce(account.email, ''),
      'user_phone', coalesce(account.phone, ''))))
$$;

create function /*p*/take_application_deletions() returns trigger
language plpgsql
security definer
set search_path from current
as $$
begin
  -- A statement fires its trigger also for no row; each of both sides would go on to the other.
  if not exists (select from old_rows) then
    return null;
  end if;
  perform /*p*/audit_application_write('user_deleted', u, session_user)
  from /*p*/users u join old_rows o on o.id = u.id;
  delete from /*p*/users u using old_rows o where u.id = o.id;
  return null;
end
$$;

-- A row that no account stands for: refused, or with DB_APP_SCHEMA_INSERTS taken as an import, for seeds.
create function /*p*/take_application_insertions() returns trigger
language plpgsql
security definer
set search_path from current
as $$
declare
  added /*a*/users;
  changed record;
begin
  -- A trigger of the application may have changed the row of a new account before it was written.
  for changed in
    select (select s from /*p*/users s where s.id = n.id) as account,
      (select t from /*a*/users t where t.id = n.id) as written
    -- Look-ups by index, as in mirror.sql.
    from new_rows n
    cross join lateral (select t.* from /*a*/users t where t.id = n.id offset 0) m
    cross join lateral (select s.* from /*p*/users s where s.id = n.id offset 0) u
    where (m.role, m.raw_app_meta_data, m.raw_user_meta_data, m.banned_until, m.email_confirmed_at, m.phone_confirmed_at)
      is distinct from (u.role, u.app_metadata, u.user_metadata, u.banned_until, u.email_confirmed_at, u.phone_confirmed_at)
  loop
    perform /*p*/apply_application_change(changed.account, changed.written);
  end loop;
  for added in
    select m.* from new_rows n
    cross join lateral (select t.* from /*a*/users t where t.id = n.id offset 0) m
    where (select u.id from /*p*/users u where u.id = n.id) is null
  loop
    if tg_argv[0] <> 'taken' then
      perform /*p*/refuse_application_write(format('A row of %s', tg_relid::regclass),
        'use POST /admin/users, or switch DB_APP_SCHEMA_INSERTS on for seeds');
    end if;
    if coalesce(added.encrypted_password, '') !~ '^(\$2[aby]?\$\d\d\$[./A-Za-z0-9]{53})?$' then
      perform /*p*/refuse_application_write(format('%s.encrypted_password', tg_relid::regclass),
        'use a bcrypt hash, such as crypt(…, gen_salt(''bf''))');
    end if;
    perform /*p*/refuse_application_dates(array[added.banned_until, added.email_confirmed_at, added.phone_confirmed_at,
      added.invited_at, added.created_at, added.updated_at]);
    insert into /*p*/users (id, aud, role, email, phone, password_hash, email_confirmed_at, phone_confirmed_at, invited_at,
      app_metadata, user_metadata, is_sso_user, is_anonymous, banned_until, created_at, updated_at, proven_email, proven_phone)
    values (added.id, coalesce(nullif(added.aud, ''), 'authenticated'), coalesce(added.role, ''),
      lower(nullif(trim(added.email), '')), nullif(ltrim(trim(added.phone), '+'), ''), nullif(added.encrypted_password, ''),
      added.email_confirmed_at, added.phone_confirmed_at, added.invited_at,
      coalesce(added.raw_app_meta_data, '{}'), coalesce(added.raw_user_meta_data, '{}'), added.is_sso_user,
      added.is_anonymous, added.banned_until, coalesce(added.created_at, now()), coalesce(added.updated_at, now()),
      case when added.email_confirmed_at is not null then lower(nullif(trim(added.email), '')) end,
      case when added.phone_confirmed_at is not null then nullif(ltrim(trim(added.phone), '+'), '') end);
    -- The hash is kept with the account only.
    update /*a*/users m
    set encrypted_password = '', confirmation_token = '', recovery_token = '', email_change_token_new = '',
      email_change_token_current = '', phone_change_token = '', reauthentication_token = ''
    where m.id = added.id;
    perform /*p*/audit_application_write('user_signedup', u, session_user) from /*p*/users u where u.id = added.id;
  end loop;
  return null;
end
$$;

create function /*p*/take_application_identities() returns trigger
language plpgsql
security definer
set search_path from current
as $$
begin
  if not exists (select from new_rows) then
    return null;
  end if;
  if tg_op = 'INSERT' and tg_argv[0] = 'taken' then
    insert into /*p*/identities (id, user_id, provider, provider_id, identity_data, last_sign_in_at, created_at, updated_at)
    select m.id, m.user_id, m.provider, m.provider_id, m.identity_data, m.last_sign_in_at, coalesce(m.created_at, now()),
      coalesce(m.updated_at, now())
    from /*a*/identities m join new_rows n on n.id = m.id
    where not exists (select from /*p*/identities i where i.id = m.id);
  end if;
  if exists (
    select from new_rows n
    cross join lateral (select t.* from /*a*/identities t where t.id = n.id offset 0) m
    where (
        select (i.user_id, i.provider, i.provider_id, i.identity_data)
          is not distinct from (m.user_id, m.provider, m.provider_id, m.identity_data)
        from /*p*/identities i where i.id = m.id
      ) is not true
      -- Of an account of the other server that was not imported.
      and (tg_op = 'INSERT' or (select u.id from /*p*/users u where u.id = m.user_id) is not null)
  ) then
    perform /*p*/refuse_application_write(format('%s', tg_relid::regclass), 'identities come and go with sign-ins and links');
  end if;
  return null;
end
$$;

create function /*p*/refuse_identity_deletions() returns trigger
language plpgsql
security definer
set search_path from current
as $$
begin
  -- The deletion of an account takes its identities along.
  if exists (
    select from old_rows o join /*p*/identities i on i.id = o.id
    where exists (select from /*a*/users m where m.id = o.user_id)
  ) then
    perform /*p*/refuse_application_write(format('%s', tg_relid::regclass), 'use DELETE /user/identities/{id}');
  end if;
  return null;
end
$$;

create function /*p*/refuse_truncation() returns trigger
language plpgsql
security definer
set search_path from current
as $$
begin
  perform /*p*/refuse_application_write(format('%s', tg_relid::regclass), 'delete the rows of its table users, which deletes the accounts');
  return null;
end
$$;

create trigger latchkey_changes after update on /*a*/users
  for each row when (old.* is distinct from new.*)
  execute function /*p*/take_application_change();

create trigger latchkey_deletions after delete on /*a*/users
  referencing old table as old_rows
  for each statement execute function /*p*/take_application_deletions();

create trigger latchkey_insertions after insert on /*a*/users
  referencing new table as new_rows
  for each statement execute function /*p*/take_application_insertions('/*inserts*/refused');

create trigger latchkey_truncation before truncate on /*a*/users
  for each statement execute function /*p*/refuse_truncation();

create trigger latchkey_truncation before truncate on /*a*/identities
  for each statement execute function /*p*/refuse_truncation();

create trigger latchkey_insertions after insert on /*a*/identities
  referencing new table as new_rows
  for each statement execute function /*p*/take_application_identities('/*inserts*/refused');

create trigger latchkey_changes after update on /*a*/identities
  referencing new table as new_rows
  for each statement execute function /*p*/take_application_identities('/*inserts*/refused');

create trigger latchkey_deletions after delete on /*a*/identities
  referencing old table as old_rows
  for each statement execute function /*p*/refuse_identity_deletions();

revoke execute on function /*p*/take_application_change(), /*p*/take_application_deletions(),
  /*p*/take_application_insertions(), /*p*/take_application_identities(), /*p*/refuse_identity_deletions(),
  /*p*/refuse_truncation() from public;
