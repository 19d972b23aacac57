-- The functions of triggers, as a cluster can have them. Triggers of sessions run on the node of the session. Those of the tables that
-- each node has a copy of run on the coordinator alone (placements.sql), where they may do what they do on a single server.

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
  -- A session that ended before is only cleaned up now; user.deleted includes the sessions of its account.
  if old.revoked_at is not null or old.not_after <= now()
    or not exists (select from /*p*/users u where u.id = old.user_id and u.deleted_at is null) then
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

-- Without a comparison of transaction ids, which Citus does not pass on: at most a version too many.
create or replace function /*p*/renew_user_of_identity() returns trigger
language plpgsql
set search_path from current
as $$
begin
  update /*p*/users u set id = u.id where u.id in (old.user_id, new.user_id);
  return null;
end
$$;

-- The copy of each node decides alike; the coordinator alone writes to the other table.
create or replace function /*p*/keep_scim_ban() returns trigger
language plpgsql
set search_path from current
as $$
begin
  if new.banned_until is null or new.banned_until <= now() then
    if citus_is_coordinator() then
      delete from /*p*/scim_bans b where b.user_id = new.id;
    end if;
    return new;
  end if;
  if exists (select from /*p*/scim_bans b where b.user_id = new.id) then
    if citus_is_coordinator() then
      update /*p*/scim_bans b set former_banned_until = new.banned_until where b.user_id = new.id;
    end if;
    new.banned_until := old.banned_until;
  end if;
  return new;
end
$$;
