-- What `latchkey check app-schema` asks. `/*a*/` stands for DB_APP_SCHEMA.

-- name: made
-- Whether there is a mirror, with both sides of it.
select to_regclass('/*p*/app_schema_users') is not null and to_regclass('/*a*/users') is not null
  and to_regclass('/*a*/identities') is not null and to_regprocedure('/*p*/mirror_users(uuid[])') is not null
  and to_regprocedure('/*p*/mirror_differences(/*a*/users,/*p*/app_schema_users)') is not null as is_made;

-- name: is_complete
-- Whether all that an earlier start has made is there: someone may have dropped, renamed or disabled it since.
select to_regclass('/*a*/users') is not null and to_regclass('/*a*/identities') is not null
  and to_regclass('/*a*/sessions') is not null and to_regclass('/*p*/app_schema_users') is not null and not exists (
    select from unnest(array['/*a*/uid()', '/*a*/role()', '/*a*/email()', '/*a*/jwt()']) as f (signature)
    where to_regprocedure(f.signature) is null
  ) and not exists (
    select
    from (values ('/*a*/users', array['latchkey_changes', 'latchkey_deletions', 'latchkey_insertions', 'latchkey_truncation']),
        ('/*a*/identities', array['latchkey_changes', 'latchkey_deletions', 'latchkey_insertions', 'latchkey_truncation']),
        ('/*p*/users', array['/*p*/users_mirror_new', '/*p*/users_mirror_changed', '/*p*/users_mirror_deleted']),
        ('/*p*/identities', array['/*p*/identities_mirror_new', '/*p*/identities_mirror_changed', '/*p*/identities_mirror_deleted'])
      ) as w (relation, names)
    cross join unnest(w.names) as n (name)
    where not exists (
      select from pg_trigger t
      where t.tgrelid = to_regclass(w.relation) and t.tgname = replace(n.name, '"', '') and t.tgenabled <> 'D')
  ) and not coalesce(row_security_active(to_regclass('/*a*/users')), false)
  and not coalesce(row_security_active(to_regclass('/*a*/identities')), false) as is_complete;

-- name: missing_triggers
-- Triggers of the mirror that are not there, or disabled.
select w.relation as table_name, n.name
from (values ('/*a*/users'), ('/*a*/identities')) as w (relation)
cross join unnest(array['latchkey_changes', 'latchkey_deletions', 'latchkey_insertions', 'latchkey_truncation']) as n (name)
where not exists (
  select from pg_trigger t where t.tgrelid = to_regclass(w.relation) and t.tgname = n.name and t.tgenabled <> 'D')
order by 1, 2;

-- name: relations
-- Kinds of what has the names of the interface: r is a table, v a view.
select c.relname as name, c.relkind as kind, pg_get_userbyid(c.relowner) as owner, c.relowner = current_user::regrole as is_own
from pg_class c
where c.oid in (to_regclass('/*a*/users'), to_regclass('/*a*/identities'), to_regclass('/*a*/sessions'))
order by c.relname;

-- name: triggers
-- Those of the application.
select t.tgname as name, t.tgrelid::regclass::text as table_name, t.tgfoid::regprocedure::text as function_name,
  t.tgenabled <> 'D' as is_on, pg_get_triggerdef(t.oid) as definition
from pg_trigger t
where t.tgrelid in (to_regclass('/*a*/users'), to_regclass('/*a*/identities')) and not t.tgisinternal
  and not starts_with(t.tgname, 'latchkey_')
order by 2, 1;

-- name: foreign_keys
select k.conrelid::regclass::text as table_name, k.conname as name,
  case k.confdeltype when 'c' then 'cascade' when 'n' then 'set null' when 'd' then 'set default' else 'refuses' end
    as on_delete
from pg_constraint k
where k.contype = 'f' and k.confrelid in (to_regclass('/*a*/users'), to_regclass('/*a*/identities'))
  and k.conrelid <> to_regclass('/*a*/identities')
order by 1, 2;

-- name: functions
-- Those that policies call. `body` is null for one that is missing.
select w.name, p.prosrc as body, p.provolatile = 's' as is_stable
from unnest(array['uid()', 'role()', 'email()', 'jwt()']) as w (name)
left join pg_proc p on p.oid = to_regprocedure(format('%s.%s', '/*a*/', w.name))
order by w.name;

-- name: counts
select (select count(*) from /*p*/users)::int as accounts, (select count(*) from /*a*/users)::int as mirrored,
  (select count(*) from /*p*/identities)::int as identities,
  (select count(*) from /*a*/identities)::int as mirrored_identities;

-- name: lacking_users
-- Accounts that the mirror lacks or has otherwise, in the order of the id.
-- $1 id of the last one; null: from the beginning
-- $2 how many
select u.id
from /*p*/app_schema_users u
left join /*a*/users m on m.id = u.id
where ($1::uuid is null or u.id > $1)
  and (m.id is null
    or (m.aud, m.role, m.email, m.email_confirmed_at, m.raw_app_meta_data, m.raw_user_meta_data, m.phone,
      m.phone_confirmed_at, m.banned_until, m.is_sso_user, m.deleted_at, m.is_anonymous)
    is distinct from (u.aud, u.role, u.email, u.email_confirmed_at, u.raw_app_meta_data, u.raw_user_meta_data, u.phone,
      u.phone_confirmed_at, u.banned_until, u.is_sso_user, u.deleted_at, u.is_anonymous)
      -- An absent text is as good as an empty one.
      and /*p*/mirror_differences(m, u) <> '{}')
order by u.id
limit $2;

-- name: lacking_identities
-- As lacking_users.
-- $1 id of the last one; null: from the beginning
-- $2 how many
select i.id
from /*p*/identities i
left join /*a*/identities m on m.id = i.id
where ($1::uuid is null or i.id > $1)
  and (m.id is null or (m.user_id, m.provider, m.provider_id, m.identity_data)
    is distinct from (i.user_id, i.provider, i.provider_id, i.identity_data))
order by i.id
limit $2;

-- name: strange_users
-- Rows that no account stands for.
select m.id from /*a*/users m
where not exists (select from /*p*/users u where u.id = m.id)
order by m.id
limit 20;

-- name: strange_users_count
select count(*)::int as count from /*a*/users m where not exists (select from /*p*/users u where u.id = m.id);

-- name: secrets
-- Secrets of the other server that are still there.
select count(*)::int as count from /*a*/users m
where m.encrypted_password <> '' or m.confirmation_token <> '' or m.recovery_token <> ''
  or m.email_change_token_new <> '' or m.email_change_token_current <> '' or m.phone_change_token <> ''
  or m.reauthentication_token <> '';

-- name: mirror_users
-- $1 ids, array
select /*p*/mirror_users($1::uuid[]);

-- name: mirror_identities
-- $1 ids, array
select /*p*/mirror_identities($1::uuid[]);

-- name: exposed
-- Roles of requests that may read our own tables, which a REST layer would then show.
select r.rolname as name
from pg_roles r
where r.rolname in ('anon', 'authenticated')
  and exists (
    select from unnest(array['/*p*/users', '/*p*/identities', '/*p*/sessions', '/*p*/one_time_tokens', '/*p*/mfa_factors',
      '/*p*/app_schema_users']) as t (name)
    where has_table_privilege(r.oid, t.name, 'select'))
order by r.rolname;
