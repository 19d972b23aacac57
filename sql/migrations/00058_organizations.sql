-- Organizations: customers that are companies (docs/organizations.md). What tokens say of an organization, except its name,
-- is found from the row of the account and that of the session, so that no sign-in or refresh reads a further statement.

create table /*p*/organizations (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  slug text not null,
  logo_url text,
  metadata jsonb not null default '{}',
  -- Set by an administrator; null: AUTH_ORGANIZATIONS_MAX_MEMBERS.
  max_members integer,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create unique index /*p*/organizations_slug_key on /*p*/organizations (slug text_pattern_ops);
create index /*p*/organizations_name_idx on /*p*/organizations (lower(name) text_pattern_ops, id);
create index /*p*/organizations_list_idx on /*p*/organizations (created_at, id);

-- Roles of an installation, and what `admin` and `member` may do more than they are built to. They hold for all organizations.
create table /*p*/organization_roles (
  name text primary key,
  description text not null default '',
  -- Sorted.
  permissions text[] not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table /*p*/organization_members (
  organization_id uuid not null references /*p*/organizations (id) on delete cascade,
  user_id uuid not null references /*p*/users (id) on delete cascade,
  -- Sorted.
  roles text[] not null,
  -- How the member came: invitation, domain, sso, scim, admin or creation.
  via text not null,
  joined_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Lower case, for the search among members: those of the account, by trigger.
  email_key text,
  phone_key text,
  name_key text,
  primary key (organization_id, user_id)
);

create index /*p*/organization_members_user_idx
  on /*p*/organization_members (user_id, joined_at desc, organization_id desc);
create index /*p*/organization_members_list_idx on /*p*/organization_members (organization_id, joined_at, user_id);
create index /*p*/organization_members_email_idx
  on /*p*/organization_members (organization_id, email_key text_pattern_ops, user_id);
create index /*p*/organization_members_phone_idx
  on /*p*/organization_members (organization_id, phone_key text_pattern_ops, user_id) where phone_key is not null;
create index /*p*/organization_members_name_idx
  on /*p*/organization_members (organization_id, name_key text_pattern_ops, user_id) where name_key is not null;
-- Each organization has an owner; few members are.
create index /*p*/organization_members_owner_idx on /*p*/organization_members (organization_id, user_id)
  where roles @> '{owner}';
-- Nearly all members have that role only.
create index /*p*/organization_members_roles_idx on /*p*/organization_members using gin (roles) where roles <> '{member}';

-- The newest memberships of an account, 50 at most, newest first: array of {id, roles}. Null: none. A user with a thousand has 3 kB
-- here and not 60; which one is active is not limited by it (sessions.organization_id).
alter table /*p*/users add column memberships jsonb;

-- The organization that the session acts for. No foreign key: it would slow down the end of every session. One whose
-- member the user is no more counts for nothing.
alter table /*p*/sessions add column organization_id uuid;

create function /*p*/renew_memberships(ids uuid[]) returns void
language plpgsql
set search_path from current
as $$
begin
  -- A statement of its own, so that the next one sees what a concurrent change of the same account has committed.
  perform u.id from /*p*/users u where u.id = any(ids) order by u.id for no key update;
  update /*p*/users u
  set updated_at = now(), memberships = (
    select jsonb_agg(jsonb_build_object('id', m.organization_id, 'roles', m.roles)
      order by m.joined_at desc, m.organization_id desc)
    from (
      select o.organization_id, o.roles, o.joined_at from /*p*/organization_members o
      where o.user_id = u.id
      order by o.joined_at desc, o.organization_id desc
      limit 50
    ) m)
  where u.id = any(ids);
end
$$;

create function /*p*/list_new_memberships() returns trigger
language plpgsql
set search_path from current
as $$
begin
  perform /*p*/renew_memberships(array(select distinct n.user_id from new_rows n));
  return null;
end
$$;

create trigger /*p*/organization_members_new
after insert on /*p*/organization_members
referencing new table as new_rows
for each statement execute function /*p*/list_new_memberships();

create function /*p*/list_changed_membership() returns trigger
language plpgsql
set search_path from current
as $$
begin
  perform /*p*/renew_memberships(array[new.user_id]);
  return null;
end
$$;

create trigger /*p*/organization_members_changed
after update of roles, joined_at on /*p*/organization_members
for each row execute function /*p*/list_changed_membership();

create function /*p*/list_ended_memberships() returns trigger
language plpgsql
set search_path from current
as $$
begin
  if not exists (select from old_rows) then
    return null;
  end if;
  perform /*p*/renew_memberships(array(select distinct o.user_id from old_rows o));
  -- Who joins again later does not find it active.
  update /*p*/sessions s set organization_id = null
  from old_rows o
  where s.user_id = o.user_id and s.organization_id = o.organization_id;
  return null;
end
$$;

create trigger /*p*/organization_members_ended
after delete on /*p*/organization_members
referencing old table as old_rows
for each statement execute function /*p*/list_ended_memberships();

-- The name of an account for other people; null: it has none.
create function /*p*/name_of_user(user_metadata jsonb) returns text
language sql immutable
as $$
  select nullif(coalesce(user_metadata ->> 'name', user_metadata ->> 'full_name'), '')
$$;

create function /*p*/fill_member_keys() returns trigger
language plpgsql
set search_path from current
as $$
begin
  select lower(u.email), u.phone, left(lower(/*p*/name_of_user(u.user_metadata)), 200)
  into new.email_key, new.phone_key, new.name_key
  from /*p*/users u where u.id = new.user_id;
  return new;
end
$$;

create trigger /*p*/organization_members_keys
before insert on /*p*/organization_members
for each row execute function /*p*/fill_member_keys();

create function /*p*/renew_member_keys() returns trigger
language plpgsql
set search_path from current
as $$
begin
  update /*p*/organization_members m
  set email_key = lower(new.email), phone_key = new.phone, name_key = left(lower(/*p*/name_of_user(new.user_metadata)), 200)
  where m.user_id = new.id;
  return null;
end
$$;

create trigger /*p*/users_renew_member_keys
after update of email, phone, user_metadata on /*p*/users
for each row when (new.memberships is not null
  and (old.email, old.phone, old.user_metadata) is distinct from (new.email, new.phone, new.user_metadata))
execute function /*p*/renew_member_keys();

create function /*p*/record_organization_events() returns trigger
language plpgsql
set search_path from current
as $$
declare
  changed text[];
begin
  if tg_op = 'INSERT' then
    perform /*p*/record_event('organization.created', null,
      jsonb_build_object('organization_id', new.id, 'name', new.name, 'slug', new.slug));
    return null;
  end if;
  if tg_op = 'DELETE' then
    perform /*p*/record_event('organization.deleted', null,
      jsonb_build_object('organization_id', old.id, 'name', old.name, 'slug', old.slug));
    return null;
  end if;
  changed := array_remove(array[
    case when new.name <> old.name then 'name' end,
    case when new.slug <> old.slug then 'slug' end,
    case when new.logo_url is distinct from old.logo_url then 'logo_url' end,
    case when new.metadata <> old.metadata then 'metadata' end,
    case when new.max_members is distinct from old.max_members then 'max_members' end
  ], null);
  if changed <> '{}' then
    perform /*p*/record_event('organization.updated', null,
      jsonb_build_object('organization_id', new.id, 'changed', changed));
  end if;
  return null;
end
$$;

create trigger /*p*/organizations_record_events
after insert or update or delete on /*p*/organizations
for each row execute function /*p*/record_organization_events();

create function /*p*/record_member_events() returns trigger
language plpgsql
set search_path from current
as $$
begin
  if tg_op = 'INSERT' then
    perform /*p*/record_event('organization.member_added', new.user_id,
      jsonb_build_object('organization_id', new.organization_id, 'roles', new.roles, 'via', new.via));
  elsif tg_op = 'UPDATE' then
    if new.roles <> old.roles then
      perform /*p*/record_event('organization.member_updated', new.user_id,
        jsonb_build_object('organization_id', new.organization_id, 'roles', new.roles));
    end if;
  -- organization.deleted includes its members, and user.deleted the memberships of the account.
  elsif exists (select from /*p*/organizations o where o.id = old.organization_id)
    and exists (select from /*p*/users u where u.id = old.user_id and u.deleted_at is null) then
    perform /*p*/record_event('organization.member_removed', old.user_id,
      jsonb_build_object('organization_id', old.organization_id));
  end if;
  return null;
end
$$;

create trigger /*p*/members_record_events
after insert or delete or update of roles on /*p*/organization_members
for each row execute function /*p*/record_member_events();

-- Consumers that want every event get these, too.
do $$
begin
  if not exists (select from /*p*/event_log l where '*' = any(l.types)) then
    alter table /*p*/organizations disable trigger /*p*/organizations_record_events;
    alter table /*p*/organization_members disable trigger /*p*/members_record_events;
  end if;
end
$$;

-- Enables the triggers that the consumers need, and disables the others. It runs with the rights of the owner of the
-- tables, since only that role may do so. It gives up sooner than Postgres looks for deadlocks, so that no request is
-- chosen as the victim of one.
create or replace function /*p*/renew_event_recording() returns text[]
language plpgsql
security definer
set search_path from current
set lock_timeout = '500ms'
as $$
declare
  before text[];
  wanted text[];
  switch record;
begin
  select l.types into before from /*p*/event_log l for update;
  select coalesce(array_agg(distinct t order by t), '{}') into wanted
  from /*p*/webhook_endpoints w, unnest(w.patterns) t
  where w.name is null or w.seen_at > now() - interval '1 hour';
  if wanted = before then
    return wanted;
  end if;
  update /*p*/event_log set types = wanted;
  for switch in
    select s.table_name, s.trigger_name, s.is_wanted
    from (
      select f.table_name, f.trigger_name, wanted && (f.families || '{*}') as is_wanted,
        before && (f.families || '{*}') as was_wanted
      from (
        select g.table_name, g.trigger_name, array(
            select p from unnest(wanted || before) p
            where split_part(p, '.', 1) = any(g.families)
          ) as families
        from (values
          ('/*p*/users', '/*p*/users_record_events', '{user}'::text[]),
          ('/*p*/users', '/*p*/users_record_changes', '{user,email,phone,password,invite}'),
          ('/*p*/sessions', '/*p*/sessions_record_events', '{session}'),
          ('/*p*/identities', '/*p*/identities_record_events', '{identity}'),
          ('/*p*/mfa_factors', '/*p*/mfa_factors_record_events', '{factor}'),
          ('/*p*/passkeys', '/*p*/passkeys_record_events', '{passkey}'),
          ('/*p*/organizations', '/*p*/organizations_record_events', '{organization}'),
          ('/*p*/organization_members', '/*p*/members_record_events', '{organization}')
        ) as g (table_name, trigger_name, families)
      ) f
    ) s
    where s.is_wanted <> s.was_wanted
  loop
    execute format('alter table %s %s trigger %s', switch.table_name,
      case when switch.is_wanted then 'enable' else 'disable' end, switch.trigger_name);
  end loop;
  return wanted;
end
$$;
