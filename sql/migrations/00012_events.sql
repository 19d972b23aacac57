-- Events: what happened to accounts, for webhooks and other consumers (docs/decisions.md, Events). Triggers write them, so
-- that no change lacks its event. The triggers are disabled while no consumer wants events, which costs nothing then.

-- One row: what is recorded, and how far positions have been given out and deleted.
create table /*p*/event_log (
  id boolean primary key default true,
  -- Union of the patterns of all consumers: a type, a family such as user.*, or *.
  types text[] not null default '{}',
  last_position bigint not null default 0,
  pruned_position bigint not null default 0,
  constraint /*p*/event_log_one_row_check check (id)
);

insert into /*p*/event_log default values;

create table /*p*/events (
  -- Order of writing. Transactions commit in another order, so readers go by position.
  sequence bigint generated always as identity primary key,
  -- Given out in a later transaction, without gaps: an event that becomes visible late gets a late position.
  position bigint,
  id uuid not null default gen_random_uuid(),
  type text not null,
  -- No foreign key: events outlive their account.
  user_id uuid,
  data jsonb not null,
  created_at timestamptz not null default clock_timestamp()
);

create unique index /*p*/events_position_key on /*p*/events (position);
create index /*p*/events_unplaced_idx on /*p*/events (sequence) where position is null;

-- Consumers that events are delivered to.
create table /*p*/webhook_endpoints (
  id uuid primary key default gen_random_uuid(),
  -- Null for those of the admin API. A consumer of the configuration has a name.
  name text,
  -- Null: handled inside the server, or only read.
  url text,
  -- Types, families and *.
  patterns text[] not null,
  include text[] not null default '{}',
  description text not null default '',
  -- AES-256-GCM; null: the secrets are in the configuration.
  sealed_secrets text,
  is_enabled boolean not null default true,
  disabled_reason text,
  -- When an instance last had it in its configuration.
  seen_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create unique index /*p*/webhook_endpoints_name_key on /*p*/webhook_endpoints (name);

create table /*p*/webhook_deliveries (
  id uuid primary key default gen_random_uuid(),
  endpoint_id uuid not null references /*p*/webhook_endpoints (id) on delete cascade,
  event_sequence bigint not null references /*p*/events (sequence) on delete cascade,
  position bigint not null,
  -- The user; events of one key are delivered one after another. An event without user has its own id.
  ordering_key uuid not null,
  state text not null default 'pending',
  attempts integer not null default 0,
  last_attempt_at timestamptz,
  last_status integer,
  last_error text,
  created_at timestamptz not null default now(),
  constraint /*p*/webhook_deliveries_state_check check (state in ('pending', 'delivered', 'dead'))
);

create unique index /*p*/webhook_deliveries_event_key on /*p*/webhook_deliveries (event_sequence, endpoint_id);
create index /*p*/webhook_deliveries_list_idx on /*p*/webhook_deliveries (endpoint_id, state, position desc);
create index /*p*/webhook_deliveries_head_idx on /*p*/webhook_deliveries (endpoint_id, ordering_key, position)
where state = 'pending';

-- One row for each endpoint and user with deliveries: who may send the next one, and when.
create table /*p*/webhook_queues (
  endpoint_id uuid not null references /*p*/webhook_endpoints (id) on delete cascade,
  ordering_key uuid not null,
  last_position bigint not null,
  -- Infinity: empty. A claim moves it behind the end of the claim.
  next_attempt_at timestamptz not null default now(),
  -- Fencing token: each claim increments it.
  claims bigint not null default 0,
  primary key (endpoint_id, ordering_key)
) with (fillfactor = 70);

create index /*p*/webhook_queues_due_idx on /*p*/webhook_queues (endpoint_id, next_attempt_at);

create function /*p*/matches_event(wanted text[], type text) returns boolean
language sql immutable
as $$
  select type = any(wanted) or split_part(type, '.', 1) || '.*' = any(wanted) or '*' = any(wanted)
$$;

-- The setting latchkey.origin of the transaction has actor, ip and request_id, or mute.
create function /*p*/record_event(type text, subject uuid, details jsonb) returns void
language plpgsql
set search_path from current
as $$
declare
  origin jsonb := coalesce(nullif(current_setting('latchkey.origin', true), ''), '{}')::jsonb;
begin
  if origin ? 'mute' then
    return;
  end if;
  if origin ? 'request_id' and not origin ? 'actor' then
    origin := origin || jsonb_build_object('actor', jsonb_build_object('type', 'user', 'id', subject));
  end if;
  insert into /*p*/events (type, user_id, data)
  select record_event.type, subject, jsonb_strip_nulls(jsonb_build_object('user_id', subject) || details || origin)
  from /*p*/event_log l
  where /*p*/matches_event(l.types, record_event.type);
end
$$;

create function /*p*/record_user_events() returns trigger
language plpgsql
set search_path from current
as $$
declare
  changed text[];
begin
  if tg_op = 'INSERT' then
    perform /*p*/record_event('user.created', new.id, '{}');
    if new.banned_until > now() then
      perform /*p*/record_event('user.banned', new.id, jsonb_build_object('banned_until', new.banned_until));
    end if;
    return null;
  end if;
  if tg_op = 'DELETE' then
    if old.deleted_at is null then
      perform /*p*/record_event('user.deleted', old.id, '{"soft": false}');
    end if;
    return null;
  end if;
  if new.deleted_at is not null then
    if old.deleted_at is null then
      perform /*p*/record_event('user.deleted', new.id, '{"soft": true}');
    end if;
    return null;
  end if;
  changed := array_remove(array[
    case when new.aud <> old.aud then 'aud' end,
    case when new.role <> old.role then 'role' end,
    case when new.email is distinct from old.email then 'email' end,
    case when new.email_confirmed_at is distinct from old.email_confirmed_at then 'email_confirmed_at' end,
    case when new.phone is distinct from old.phone then 'phone' end,
    case when new.phone_confirmed_at is distinct from old.phone_confirmed_at then 'phone_confirmed_at' end,
    case when new.new_email is distinct from old.new_email then 'new_email' end,
    case when new.new_phone is distinct from old.new_phone then 'new_phone' end,
    case when new.invited_at is distinct from old.invited_at then 'invited_at' end,
    case when new.app_metadata <> old.app_metadata then 'app_metadata' end,
    case when new.user_metadata <> old.user_metadata then 'user_metadata' end,
    case when new.is_anonymous <> old.is_anonymous then 'is_anonymous' end,
    case when new.banned_until is distinct from old.banned_until then 'banned_until' end,
    -- A sign-in that renews the hash of an unchanged password says so.
    case when new.password_hash is distinct from old.password_hash
      and coalesce(current_setting('latchkey.renewed_hash', true), '') = '' then 'password' end
  ], null);
  if changed = '{}' then
    return null;
  end if;
  perform /*p*/record_event('user.updated', new.id, jsonb_build_object('changed', changed));
  if 'email' = any(changed) then
    perform /*p*/record_event('email.changed', new.id, '{}');
  end if;
  if 'phone' = any(changed) then
    perform /*p*/record_event('phone.changed', new.id, '{}');
  end if;
  if 'password' = any(changed) then
    perform /*p*/record_event('password.changed', new.id, '{}');
  end if;
  if 'banned_until' = any(changed) then
    if new.banned_until > now() then
      perform /*p*/record_event('user.banned', new.id, jsonb_build_object('banned_until', new.banned_until));
    elsif old.banned_until > now() then
      perform /*p*/record_event('user.unbanned', new.id, '{}');
    end if;
  end if;
  if new.invited_at is not null and old.confirmed_at is null and new.confirmed_at is not null then
    perform /*p*/record_event('invite.accepted', new.id, '{}');
  end if;
  return null;
end
$$;

create trigger /*p*/users_record_events
after insert or delete on /*p*/users
for each row execute function /*p*/record_user_events();

-- Sign-ins change only columns that are not compared here.
create trigger /*p*/users_record_changes
after update on /*p*/users
for each row when ((old.aud, old.role, old.email, old.email_confirmed_at, old.phone, old.phone_confirmed_at, old.new_email,
  old.new_phone, old.invited_at, old.app_metadata, old.user_metadata, old.is_anonymous, old.banned_until, old.deleted_at,
  old.password_hash) is distinct from (new.aud, new.role, new.email, new.email_confirmed_at, new.phone,
  new.phone_confirmed_at, new.new_email, new.new_phone, new.invited_at, new.app_metadata, new.user_metadata,
  new.is_anonymous, new.banned_until, new.deleted_at, new.password_hash))
execute function /*p*/record_user_events();

create function /*p*/record_session_events() returns trigger
language plpgsql
set search_path from current
as $$
begin
  if tg_op = 'INSERT' then
    perform /*p*/record_event('session.created', new.user_id, jsonb_build_object('session_id', new.id,
      'method', new.amr -> 0 ->> 'method', 'ip', host(new.ip)));
    return null;
  end if;
  -- A session that ended before is only cleaned up now; user.deleted includes the sessions of its account.
  if old.revoked_at is not null or old.not_after <= now()
    or not exists (select from /*p*/users u where u.id = old.user_id and u.deleted_at is null) then
    return null;
  end if;
  if tg_op = 'DELETE' then
    perform /*p*/record_event('session.revoked', old.user_id, jsonb_build_object('session_id', old.id));
  elsif new.revoked_at is not null then
    if not new.ended_by_ban then
      perform /*p*/record_event('session.reuse_detected', old.user_id, jsonb_build_object('session_id', old.id));
    end if;
    perform /*p*/record_event('session.revoked', old.user_id, jsonb_build_object('session_id', old.id));
  end if;
  return null;
end
$$;

-- A refresh writes none of these columns.
create trigger /*p*/sessions_record_events
after insert or delete or update of revoked_at on /*p*/sessions
for each row execute function /*p*/record_session_events();

create function /*p*/record_identity_events() returns trigger
language plpgsql
set search_path from current
as $$
begin
  -- user.created includes the identities that are made with the account, and user.deleted all of them.
  if tg_op = 'INSERT' then
    if exists (select from /*p*/users u where u.id = new.user_id and u.created_at <> now()) then
      perform /*p*/record_event('identity.linked', new.user_id,
        jsonb_build_object('identity_id', new.id, 'provider', new.provider));
    end if;
  elsif exists (select from /*p*/users u where u.id = old.user_id and u.deleted_at is null) then
    perform /*p*/record_event('identity.unlinked', old.user_id,
      jsonb_build_object('identity_id', old.id, 'provider', old.provider));
  end if;
  return null;
end
$$;

create trigger /*p*/identities_record_events
after insert or delete on /*p*/identities
for each row execute function /*p*/record_identity_events();

alter table /*p*/users disable trigger /*p*/users_record_events;
alter table /*p*/users disable trigger /*p*/users_record_changes;
alter table /*p*/sessions disable trigger /*p*/sessions_record_events;
alter table /*p*/identities disable trigger /*p*/identities_record_events;

-- Enables the triggers that the consumers need, and disables the others. It runs with the rights of the owner of the
-- tables, since only that role may do so. It gives up sooner than Postgres looks for deadlocks, so that no request is
-- chosen as the victim of one.
create function /*p*/renew_event_recording() returns text[]
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
          ('/*p*/identities', '/*p*/identities_record_events', '{identity}')
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

revoke all on function /*p*/renew_event_recording() from public;
