-- Events of second factors and passkeys (00012).
create function /*p*/record_factor_events() returns trigger
language plpgsql
set search_path from current
as $$
begin
  -- A factor that was begun and not verified guards nothing.
  if tg_op <> 'DELETE' then
    if new.status = 'verified' and (tg_op = 'INSERT' or old.status <> 'verified') then
      perform /*p*/record_event('factor.enrolled', new.user_id,
        jsonb_build_object('factor_id', new.id, 'factor_type', new.kind));
    end if;
  -- user.deleted includes the factors of its account.
  elsif old.status = 'verified'
    and exists (select from /*p*/users u where u.id = old.user_id and u.deleted_at is null) then
    perform /*p*/record_event('factor.removed', old.user_id,
      jsonb_build_object('factor_id', old.id, 'factor_type', old.kind));
  end if;
  return null;
end
$$;

create trigger /*p*/mfa_factors_record_events
after insert or delete or update of status on /*p*/mfa_factors
for each row execute function /*p*/record_factor_events();

create function /*p*/record_passkey_events() returns trigger
language plpgsql
set search_path from current
as $$
begin
  if tg_op = 'INSERT' then
    perform /*p*/record_event('passkey.added', new.user_id, jsonb_build_object('passkey_id', new.id));
  elsif exists (select from /*p*/users u where u.id = old.user_id and u.deleted_at is null) then
    perform /*p*/record_event('passkey.removed', old.user_id, jsonb_build_object('passkey_id', old.id));
  end if;
  return null;
end
$$;

create trigger /*p*/passkeys_record_events
after insert or delete on /*p*/passkeys
for each row execute function /*p*/record_passkey_events();

-- Consumers that want every event get these, too.
do $$
begin
  if not exists (select from /*p*/event_log l where '*' = any(l.types)) then
    alter table /*p*/mfa_factors disable trigger /*p*/mfa_factors_record_events;
    alter table /*p*/passkeys disable trigger /*p*/passkeys_record_events;
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
          ('/*p*/passkeys', '/*p*/passkeys_record_events', '{passkey}')
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
