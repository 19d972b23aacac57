-- The functions of the triggers of sessions, which run on the node of the session and can write to its shard only. What they have to
-- say to other tables they leave there (tables.sql). Whether the account is still there the coordinator looks up (layout.move_session_log).

create or replace function /*p*/record_session_events() returns trigger
language plpgsql
set search_path from current
as $$
begin
  if tg_op = 'INSERT' then
    perform /*p*/log_session_event('session.created', new.id, new.user_id, jsonb_build_object('session_id', new.id,
      'method', new.amr -> 0 ->> 'method', 'ip', host(new.ip)));
    return null;
  end if;
  -- A session that ended before is only cleaned up now.
  if old.revoked_at is not null or old.not_after <= now() then
    return null;
  end if;
  if tg_op = 'UPDATE' and new.revoked_at is null then
    return null;
  end if;
  if tg_op = 'UPDATE' and not new.ended_by_ban then
    perform /*p*/log_session_event('session.reuse_detected', old.id, old.user_id,
      jsonb_build_object('session_id', old.id));
  end if;
  perform /*p*/log_session_event('session.revoked', old.id, old.user_id, jsonb_build_object('session_id', old.id));
  return null;
end
$$;

create or replace function /*p*/log_session_event(type text, session uuid, subject uuid, details jsonb) returns void
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
  insert into /*p*/session_log (session_id, user_id, type, details)
  values (session, subject, log_session_event.type,
    jsonb_strip_nulls(jsonb_build_object('user_id', subject) || log_session_event.details || origin));
end
$$;

create or replace function /*p*/queue_client_logout() returns trigger
language plpgsql
set search_path from current
as $$
begin
  if tg_op = 'UPDATE' and new.revoked_at is null then
    return null;
  end if;
  -- A session that ended before, or by time, is only cleaned up now.
  if old.revoked_at is not null or old.not_after <= now()
    or coalesce(nullif(current_setting('latchkey.origin', true), ''), '{}')::jsonb ? 'mute' then
    return null;
  end if;
  insert into /*p*/session_log (session_id, user_id, type, details)
  values (old.id, old.user_id, null, jsonb_build_object('client_id', old.oauth_client_id));
  return null;
end
$$;

-- Citus does not join what a trigger is given.
create or replace function /*p*/list_ended_memberships() returns trigger
language plpgsql
set search_path from current
as $$
declare
  left_organization record;
begin
  if not exists (select from old_rows) then
    return null;
  end if;
  perform /*p*/renew_memberships(array(select distinct o.user_id from old_rows o));
  -- Who joins again later does not find it active.
  for left_organization in
    select o.organization_id as id, array_agg(o.user_id) as users from old_rows o group by o.organization_id
  loop
    update /*p*/sessions s set organization_id = null
    where s.user_id = any(left_organization.users) and s.organization_id = left_organization.id;
  end loop;
  return null;
end
$$;
