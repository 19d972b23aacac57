-- People and groups that identity providers provision (docs/scim.md).

-- The people of a scope: what the identity provider says of an account.
create table /*p*/scim_users (
  scope_id uuid not null references /*p*/scim_scopes (id) on delete cascade,
  user_id uuid not null references /*p*/users (id) on delete cascade,
  -- As written; below in lower case.
  user_name text not null,
  user_name_key text not null,
  external_id text,
  -- Lower case.
  email_keys text[] not null default '{}',
  active boolean not null,
  -- As it is answered, without what has a column.
  resource jsonb not null,
  -- As it is searched: names, and texts without case, in lower case.
  search jsonb not null,
  -- The account is the company's, and ends with the person; else it was there before, and joined.
  owns_account boolean not null,
  -- Roles of the organization that the identity provider names.
  asked_roles text[] not null default '{}',
  -- Those that the member has by provisioning only.
  granted_roles text[] not null default '{}',
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Gone for the identity provider, and kept for a while.
  deleted_at timestamptz,
  primary key (scope_id, user_id)
);

create unique index /*p*/scim_users_name_key on /*p*/scim_users (scope_id, user_name_key) where deleted_at is null;
create unique index /*p*/scim_users_external_key on /*p*/scim_users (scope_id, external_id)
  where external_id is not null and deleted_at is null;
create index /*p*/scim_users_list_idx on /*p*/scim_users (scope_id, created_at, user_id) where deleted_at is null;
create index /*p*/scim_users_emails_idx on /*p*/scim_users using gin (email_keys);
create index /*p*/scim_users_user_idx on /*p*/scim_users (user_id);
create index /*p*/scim_users_former_idx on /*p*/scim_users (scope_id, user_name_key) where deleted_at is not null;
create index /*p*/scim_users_gone_idx on /*p*/scim_users (deleted_at) where deleted_at is not null;

create table /*p*/scim_groups (
  id uuid primary key default gen_random_uuid(),
  scope_id uuid not null references /*p*/scim_scopes (id) on delete cascade,
  display_name text not null,
  -- Lower case.
  display_key text not null,
  external_id text,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create unique index /*p*/scim_groups_name_key on /*p*/scim_groups (scope_id, display_key);
create unique index /*p*/scim_groups_external_key on /*p*/scim_groups (scope_id, external_id)
  where external_id is not null;
create index /*p*/scim_groups_list_idx on /*p*/scim_groups (scope_id, created_at, id);

create table /*p*/scim_group_members (
  group_id uuid not null references /*p*/scim_groups (id) on delete cascade,
  user_id uuid not null references /*p*/users (id) on delete cascade,
  -- That of the group.
  scope_id uuid not null,
  primary key (group_id, user_id)
);

create index /*p*/scim_group_members_user_idx on /*p*/scim_group_members (user_id, scope_id);

-- Roles of an organization that the members of a group get.
create table /*p*/scim_group_roles (
  organization_id uuid not null references /*p*/organizations (id) on delete cascade,
  -- Lower case.
  group_key text not null,
  group_name text not null,
  -- Sorted.
  roles text[] not null,
  primary key (organization_id, group_key)
);

-- The roles that the maker of a token could give; null: all.
alter table /*p*/scim_tokens add column may_give text[];

-- Accounts that may not sign in since a provider says so. Their banned_until is the end of time, as it is written here.
create table /*p*/scim_bans (
  user_id uuid primary key references /*p*/users (id) on delete cascade,
  -- The ban by an operator, which holds again once the provider lifts its own.
  former_banned_until timestamptz
);

create function /*p*/scim_end_of_time() returns timestamptz
language sql immutable
as $$
  select '9999-12-31 00:00:00+00'::timestamptz
$$;

-- Bans an account that a scope says is not active, or gone, and ends its sessions; lifts that when no scope says so any more.
create function /*p*/settle_scim_ban(id uuid) returns void
language plpgsql
set search_path from current
as $$
declare
  former record;
begin
  if exists (select from /*p*/scim_users s where s.user_id = settle_scim_ban.id and (not s.active or s.deleted_at is not null)) then
    insert into /*p*/scim_bans (user_id, former_banned_until)
    select u.id, u.banned_until from /*p*/users u where u.id = settle_scim_ban.id
    on conflict do nothing;
    if found then
      update /*p*/users u set banned_until = /*p*/scim_end_of_time(), updated_at = now() where u.id = settle_scim_ban.id;
    end if;
    update /*p*/sessions s set revoked_at = now(), ended_by_ban = true
    where s.user_id = settle_scim_ban.id and s.revoked_at is null;
    return;
  end if;
  delete from /*p*/scim_bans b where b.user_id = settle_scim_ban.id returning b.former_banned_until into former;
  if found then
    update /*p*/users u set banned_until = former.former_banned_until, updated_at = now() where u.id = settle_scim_ban.id;
  end if;
end
$$;

create function /*p*/settle_changed_scim_user() returns trigger
language plpgsql
set search_path from current
as $$
begin
  perform /*p*/settle_scim_ban(coalesce(new.user_id, old.user_id));
  return null;
end
$$;

create trigger /*p*/scim_users_ended
after insert on /*p*/scim_users
for each row when (not new.active)
execute function /*p*/settle_changed_scim_user();

create trigger /*p*/scim_users_switched
after update of active, deleted_at on /*p*/scim_users
for each row when ((old.active, old.deleted_at is null) is distinct from (new.active, new.deleted_at is null))
execute function /*p*/settle_changed_scim_user();

create trigger /*p*/scim_users_left
after delete on /*p*/scim_users
for each row when (not old.active or old.deleted_at is not null)
execute function /*p*/settle_changed_scim_user();

-- An operator who bans such an account bans it besides; one who lifts the ban lifts both.
create function /*p*/keep_scim_ban() returns trigger
language plpgsql
set search_path from current
as $$
begin
  if new.banned_until is null or new.banned_until <= now() then
    delete from /*p*/scim_bans b where b.user_id = new.id;
    return new;
  end if;
  update /*p*/scim_bans b set former_banned_until = new.banned_until where b.user_id = new.id;
  if found then
    new.banned_until := old.banned_until;
  end if;
  return new;
end
$$;

create trigger /*p*/users_keep_scim_ban
before update of banned_until on /*p*/users
for each row when (old.banned_until = '9999-12-31 00:00:00+00'::timestamptz and new.banned_until is distinct from old.banned_until)
execute function /*p*/keep_scim_ban();

-- app_metadata.groups: the names of the groups of an account, sorted. What would make a token too long is left out, and said so.
create function /*p*/renew_scim_groups(ids uuid[]) returns void
language plpgsql
set search_path from current
as $$
begin
  perform u.id from /*p*/users u where u.id = any(ids) order by u.id for no key update;
  update /*p*/users u
  set updated_at = now(), app_metadata = u.app_metadata - '{groups,groups_truncated}'::text[] || case
    when g.names is null then '{}'
    when pg_column_size(g.names) > 4096 then '{"groups_truncated": true}'
    else jsonb_build_object('groups', g.names) end
  from (
    select n.id, (
      select jsonb_agg(d.name order by d.name) from (
        select distinct s.display_name as name
        from /*p*/scim_group_members m join /*p*/scim_groups s on s.id = m.group_id
        where m.user_id = n.id) d) as names
    from unnest(ids) as n (id)
  ) g
  where u.id = g.id;
end
$$;

-- The roles of members by what their groups and the identity provider say. Those that a member has by other means stay.
create function /*p*/renew_scim_roles(scope uuid, ids uuid[]) returns void
language plpgsql
set search_path from current
as $$
declare
  company uuid;
begin
  select coalesce(s.organization_id, p.organization_id) into company
  from /*p*/scim_scopes s left join /*p*/sso_providers p on p.id = s.provider_id
  where s.id = scope;
  if company is null then
    return;
  end if;
  with wanted as (
    select s.user_id, s.granted_roles as former, array(
      select distinct r.name from (
        select unnest(s.asked_roles) as name
        union all
        select unnest(k.roles)
        from /*p*/scim_group_members m
        join /*p*/scim_groups g on g.id = m.group_id
        join /*p*/scim_group_roles k on k.organization_id = company and k.group_key = g.display_key
        where m.user_id = s.user_id and m.scope_id = scope
      ) r
      where r.name <> 'owner'
        and (r.name in ('admin', 'member') or exists (select from /*p*/organization_roles o where o.name = r.name))
      order by r.name) as roles
    from /*p*/scim_users s
    where s.scope_id = scope and s.user_id = any(ids) and s.deleted_at is null
  ), planned as (
    select w.user_id, w.roles, array(select unnest(m.roles) except select unnest(w.former)) as own, m.roles as before
    from wanted w
    join /*p*/organization_members m on m.organization_id = company and m.user_id = w.user_id
  ), decided as (
    select p.user_id, p.before, array(select unnest(p.roles) except select unnest(p.own)) as granted,
      array(select distinct r from unnest(p.own || p.roles) r order by r) as roles
    from planned p
  ), noted as (
    update /*p*/scim_users s set granted_roles = d.granted
    from decided d
    where s.scope_id = scope and s.user_id = d.user_id and s.granted_roles <> d.granted
  )
  update /*p*/organization_members m
  set roles = case when d.roles = '{}' then '{member}' else d.roles end, updated_at = now()
  from decided d
  where m.organization_id = company and m.user_id = d.user_id
    and m.roles <> case when d.roles = '{}' then '{member}' else d.roles end;
end
$$;

create function /*p*/renew_scim_members() returns trigger
language plpgsql
set search_path from current
as $$
declare
  one record;
begin
  for one in select c.scope_id, array_agg(distinct c.user_id) as ids from changed_rows c group by c.scope_id loop
    perform /*p*/renew_scim_groups(one.ids);
    perform /*p*/renew_scim_roles(one.scope_id, one.ids);
  end loop;
  return null;
end
$$;

create trigger /*p*/scim_group_members_new
after insert on /*p*/scim_group_members
referencing new table as changed_rows
for each statement execute function /*p*/renew_scim_members();

create trigger /*p*/scim_group_members_ended
after delete on /*p*/scim_group_members
referencing old table as changed_rows
for each statement execute function /*p*/renew_scim_members();

create function /*p*/rename_scim_group() returns trigger
language plpgsql
set search_path from current
as $$
declare
  ids uuid[] := array(select m.user_id from /*p*/scim_group_members m where m.group_id = new.id);
begin
  perform /*p*/renew_scim_groups(ids);
  perform /*p*/renew_scim_roles(new.scope_id, ids);
  return null;
end
$$;

create trigger /*p*/scim_groups_renamed
after update of display_name on /*p*/scim_groups
for each row when (old.display_name <> new.display_name)
execute function /*p*/rename_scim_group();

create function /*p*/scim_place(scope uuid) returns jsonb
language sql stable
set search_path from current
as $$
  select jsonb_build_object('sso_provider_id', s.provider_id, 'organization_id', coalesce(s.organization_id, p.organization_id))
  from /*p*/scim_scopes s left join /*p*/sso_providers p on p.id = s.provider_id
  where s.id = scope
$$;

create function /*p*/record_scim_user_events() returns trigger
language plpgsql
set search_path from current
as $$
declare
  type text;
begin
  if tg_op = 'INSERT' or old.deleted_at is not null and new.deleted_at is null then
    type := 'scim.user_created';
  elsif old.deleted_at is null and new.deleted_at is not null then
    type := 'scim.user_deleted';
  elsif old.active and not new.active then
    type := 'scim.user_deactivated';
  elsif old.version <> new.version then
    type := 'scim.user_updated';
  else
    return null;
  end if;
  perform /*p*/record_event(type, new.user_id, /*p*/scim_place(new.scope_id)
    || jsonb_build_object('user_name', new.user_name, 'external_id', new.external_id, 'active', new.active));
  return null;
end
$$;

create trigger /*p*/scim_users_record_events
after insert or update on /*p*/scim_users
for each row execute function /*p*/record_scim_user_events();

create function /*p*/record_scim_group_events() returns trigger
language plpgsql
set search_path from current
as $$
begin
  if tg_op = 'DELETE' then
    -- The end of the provider or organization includes its groups.
    perform /*p*/record_event('scim.group_deleted', null, p.place
      || jsonb_build_object('group_id', old.id, 'display_name', old.display_name))
    from (select /*p*/scim_place(old.scope_id) as place) p where p.place is not null;
    return null;
  end if;
  perform /*p*/record_event(case when tg_op = 'INSERT' then 'scim.group_created' else 'scim.group_updated' end, null,
    /*p*/scim_place(new.scope_id) || jsonb_build_object('group_id', new.id, 'display_name', new.display_name));
  return null;
end
$$;

create trigger /*p*/scim_groups_record_events
after insert or update or delete on /*p*/scim_groups
for each row execute function /*p*/record_scim_group_events();

-- Consumers that want every event get these, too.
do $$
begin
  if not exists (select from /*p*/event_log l where '*' = any(l.types)) then
    alter table /*p*/scim_users disable trigger /*p*/scim_users_record_events;
    alter table /*p*/scim_groups disable trigger /*p*/scim_groups_record_events;
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
          ('/*p*/organization_members', '/*p*/members_record_events', '{organization}'),
          ('/*p*/organization_invitations', '/*p*/invitations_record_events', '{organization}'),
          ('/*p*/scim_users', '/*p*/scim_users_record_events', '{scim}'),
          ('/*p*/scim_groups', '/*p*/scim_groups_record_events', '{scim}')
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

-- What filters search besides what a row has for it.
create function /*p*/scim_meta(id uuid, created timestamptz, changed timestamptz) returns jsonb
language sql stable
as $$
  select jsonb_build_object('id', id::text, 'meta', jsonb_build_object(
    'created', to_char(created at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'lastmodified', to_char(changed at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
$$;
