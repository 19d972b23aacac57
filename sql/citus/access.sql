-- How the statements of the coordinator reach the sessions where Citus does not plan them: by functions, and by views that take rows and
-- do with them what the name says. A statement that names no distributed table is planned by Postgres alone. They are made anew by each
-- latchkey migrate --distribute, so they have the columns that the sessions have. After a release has added columns to the sessions they
-- work as before until then: a row is assigned to the columns that there were.
drop table if exists /*p*/session_shape cascade;
create table /*p*/session_shape (like /*p*/sessions);

-- One session.
create or replace function /*p*/session_by_id(session uuid) returns setof /*p*/session_shape
language plpgsql stable strict rows 1
set search_path from current
as $$
declare
  found_session /*p*/session_shape;
begin
  for found_session in select * from /*p*/sessions s where s.id = session loop
    return next found_session;
  end loop;
end
$$;

create or replace function /*p*/sessions_by_ids(ids uuid[]) returns setof /*p*/session_shape
language plpgsql stable
set search_path from current
as $$
declare
  found_session /*p*/session_shape;
begin
  for found_session in select * from /*p*/sessions s where s.id = any(ids) loop
    return next found_session;
  end loop;
end
$$;

-- The sessions of some accounts.
create or replace function /*p*/sessions_of(accounts uuid[]) returns setof /*p*/session_shape
language plpgsql stable strict rows 3
set search_path from current
as $$
declare
  found_session /*p*/session_shape;
begin
  for found_session in select * from /*p*/sessions s where s.user_id = any(accounts) loop
    return next found_session;
  end loop;
end
$$;

-- Those that began at an identity provider of a company.
create or replace function /*p*/sessions_of_provider(provider uuid) returns setof /*p*/session_shape
language plpgsql stable
set search_path from current
as $$
declare
  found_session /*p*/session_shape;
begin
  for found_session in select * from /*p*/sessions s where s.sso_provider_id = provider loop
    return next found_session;
  end loop;
end
$$;

-- Those of an OAuth client.
create or replace function /*p*/sessions_of_client(of_client uuid, how_many bigint) returns setof /*p*/session_shape
language plpgsql stable
set search_path from current
as $$
declare
  found_session /*p*/session_shape;
begin
  for found_session in select * from /*p*/sessions s where s.oauth_client_id = of_client limit how_many loop
    return next found_session;
  end loop;
end
$$;

-- When a client last opened or refreshed a session, if that was since then.
create or replace function /*p*/client_use(of_client uuid, since timestamptz) returns timestamptz
language plpgsql stable
set search_path from current
as $$
begin
  return (select max(coalesce(s.refreshed_at, s.created_at)) from /*p*/sessions s
    where s.oauth_client_id = of_client and coalesce(s.refreshed_at, s.created_at) >= since);
end
$$;

-- Whether the account of a session used another one later that has the same tag. Sessions of other nodes count, too.
create or replace function /*p*/is_superseded(session uuid, tags text, timebox_seconds double precision) returns boolean
language plpgsql stable
set search_path from current
as $$
begin
  return exists (
    select from /*p*/session_by_id(session) s join lateral /*p*/sessions_of(array[s.user_id]) o on true
    where o.id <> s.id and o.revoked_at is null and o.oauth_client_id is null and o.act is null
      and (o.not_after is null or o.not_after > now())
      and (timebox_seconds is null or o.created_at > now() - make_interval(secs => timebox_seconds))
      and coalesce(o.refreshed_at, o.created_at) > coalesce(s.refreshed_at, s.created_at)
      and case when o.tag = any(string_to_array(tags, ',')) then o.tag else split_part(tags, ',', 1) end
        = case when s.tag = any(string_to_array(tags, ',')) then s.tag else split_part(tags, ',', 1) end);
end
$$;

-- Old sessions, at most so many; null: count them only.
create or replace function /*p*/prune_sessions(age_seconds double precision, timebox_seconds double precision,
  inactivity_seconds double precision, how_many bigint) returns bigint
language plpgsql
set search_path from current
as $$
declare
  ids uuid[];
begin
  if how_many is null then
    return (select count(*) from /*p*/sessions s
      where least(s.revoked_at, s.not_after, s.created_at + make_interval(secs => timebox_seconds),
          coalesce(s.refreshed_at, s.created_at) + make_interval(secs => inactivity_seconds))
        < now() - make_interval(secs => age_seconds));
  end if;
  select array_agg(o.id) into ids from (
    select s.id from /*p*/sessions s
    where least(s.revoked_at, s.not_after, s.created_at + make_interval(secs => timebox_seconds),
        coalesce(s.refreshed_at, s.created_at) + make_interval(secs => inactivity_seconds))
      < now() - make_interval(secs => age_seconds)
    limit how_many) o;
  if ids is null then
    return 0;
  end if;
  -- Cleaning up is no event.
  delete from /*p*/sessions s where s.id = any(ids);
  return cardinality(ids);
end
$$;

-- A change that waited while Citus gave its shard to other shards has looked where the session was, and found nothing: then it has to be
-- repeated (src/db/errors.ts). Called after a change that found nothing, with whether there is what it looked for.
create or replace function /*p*/assert_looked(is_there boolean) returns void
language plpgsql
as $$
begin
  if is_there then
    raise exception 'a session has moved meanwhile' using errcode = 'LK002';
  end if;
end
$$;

-- Gives a session another id: it may be on another node.
create or replace function /*p*/rename_session(session uuid, new_id uuid, owner uuid) returns void
language plpgsql
set search_path from current
as $$
declare
  renamed /*p*/session_shape;
begin
  delete from /*p*/sessions s where s.id = session and s.user_id = owner returning s.* into renamed;
  if renamed.id is null then
    perform /*p*/assert_looked(exists (select from /*p*/sessions s where s.id = session and s.user_id = owner));
    return;
  end if;
  renamed.id := new_id;
  insert into /*p*/sessions select renamed.*;
end
$$;

-- Events of sessions come last in their transaction: the event of an account that is made by the same statement comes before them. Rows
-- are here within a transaction only.
drop table if exists /*p*/session_notes;
create unlogged table /*p*/session_notes (
  id uuid primary key default gen_random_uuid(),
  type text not null,
  user_id uuid not null,
  details jsonb not null
);

create or replace function /*p*/write_session_note() returns trigger
language plpgsql
set search_path from current
as $$
begin
  perform /*p*/record_event(new.type, new.user_id, new.details);
  delete from /*p*/session_notes n where n.id = new.id;
  return null;
end
$$;

create constraint trigger /*p*/session_notes_write after insert on /*p*/session_notes
deferrable initially deferred for each row execute function /*p*/write_session_note();

-- Whether the triggers of a single server are still there, and do that: until the sessions are distributed.
create or replace function /*p*/has_session_triggers() returns boolean
language sql stable
as $$
  select exists (select from pg_trigger t
    where t.tgrelid = '/*p*/sessions'::regclass and format('"%s"', t.tgname) = '/*p*/sessions_queue_logout')
$$;

create or replace function /*p*/note_session(type text, subject uuid, details jsonb) returns void
language plpgsql
set search_path from current
as $$
begin
  insert into /*p*/session_notes (type, user_id, details)
  select $1, $2, $3 from /*p*/event_log l
  where /*p*/matches_event(l.types, $1) and not /*p*/has_session_triggers();
end
$$;

-- What the triggers of sessions do on a single server, in the transaction of the change: events, and logouts of OAuth clients.
create or replace function /*p*/note_session_end(ended /*p*/session_shape, reuse boolean) returns void
language plpgsql
set search_path from current
as $$
begin
  -- A session that ended before is only cleaned up now.
  if ended.revoked_at is not null or ended.not_after <= now() then
    return;
  end if;
  perform /*p*/note_ended(ended, reuse,
    exists (select from /*p*/users u where u.id = ended.user_id and u.deleted_at is null));
end
$$;

-- The same for a session that was valid until then.
create or replace function /*p*/note_ended(ended /*p*/session_shape, reuse boolean, has_account boolean) returns void
language plpgsql
set search_path from current
as $$
begin
  -- user.deleted includes the sessions of its account.
  if has_account then
    if reuse then
      perform /*p*/note_session('session.reuse_detected', ended.user_id, jsonb_build_object('session_id', ended.id));
    end if;
    perform /*p*/note_session('session.revoked', ended.user_id, jsonb_build_object('session_id', ended.id));
  end if;
  if ended.oauth_client_id is not null and not /*p*/has_session_triggers()
    and not coalesce(nullif(current_setting('latchkey.origin', true), ''), '{}')::jsonb ? 'mute' then
    insert into /*p*/oauth_logouts (client_id, user_id, session_id)
    select c.id, ended.user_id, ended.id from /*p*/oauth_clients c
    where c.id = ended.oauth_client_id and c.backchannel_logout_uri is not null and c.deleted_at is null;
  end if;
end
$$;

-- Revokes a session whose used token was presented again. Null: it was revoked before.
create or replace function /*p*/revoke_reused(session uuid) returns uuid
language plpgsql
set search_path from current
as $$
declare
  revoked /*p*/session_shape;
begin
  update /*p*/sessions s set revoked_at = now() where s.id = session and s.revoked_at is null returning s.* into revoked;
  if revoked.id is null then
    perform /*p*/assert_looked(exists (select from /*p*/sessions s where s.id = session and s.revoked_at is null));
    return null;
  end if;
  revoked.revoked_at := null;
  perform /*p*/note_session_end(revoked, true);
  return revoked.id;
end
$$;

create view /*p*/new_sessions as select * from /*p*/session_shape;

create or replace function /*p*/add_session() returns trigger
language plpgsql
set search_path from current
as $$
begin
  new.id := coalesce(new.id, /*p*/new_session_id());
  new.generation := coalesce(new.generation, 0);
  new.aal := coalesce(new.aal, 'aal1');
  new.amr := coalesce(new.amr, '[]');
  new.created_at := coalesce(new.created_at, now());
  new.ended_by_ban := coalesce(new.ended_by_ban, false);
  new.facts_version := coalesce(new.facts_version, 0);
  insert into /*p*/sessions select new.* on conflict do nothing;
  if not found then
    return null;
  end if;
  perform /*p*/note_session('session.created', new.user_id, jsonb_build_object('session_id', new.id,
    'method', new.amr -> 0 ->> 'method', 'ip', host(new.ip)));
  return new;
end
$$;

create trigger /*p*/new_sessions_add instead of insert on /*p*/new_sessions
for each row execute function /*p*/add_session();

-- Takes the id alone; the row that is returned is that of the session. No row: it has ended before.
create view /*p*/ended_sessions as select * from /*p*/session_shape;

create or replace function /*p*/end_session() returns trigger
language plpgsql
set search_path from current
as $$
declare
  ended /*p*/session_shape;
begin
  delete from /*p*/sessions s where s.id = new.id returning s.* into ended;
  if ended.id is null then
    perform /*p*/assert_looked(exists (select from /*p*/sessions s where s.id = new.id));
    return null;
  end if;
  perform /*p*/note_session_end(ended, false);
  return ended;
end
$$;

create trigger /*p*/ended_sessions_end instead of insert on /*p*/ended_sessions
for each row execute function /*p*/end_session();

-- Sets the level of a session that is valid, its methods and its second factors; generation is how many generations it gains. Columns
-- other than second_factors stay where they are null.
create view /*p*/changed_sessions as select * from /*p*/session_shape;

create or replace function /*p*/change_session() returns trigger
language plpgsql
set search_path from current
as $$
declare
  changed /*p*/session_shape;
begin
  update /*p*/sessions s
  set aal = coalesce(new.aal, s.aal), amr = coalesce(new.amr, s.amr), second_factors = new.second_factors,
    generation = s.generation + coalesce(new.generation, 0)
  where s.id = new.id and s.revoked_at is null
  returning s.* into changed;
  if changed.id is null then
    perform /*p*/assert_looked(exists (select from /*p*/sessions s where s.id = new.id and s.revoked_at is null));
    return null;
  end if;
  return changed;
end
$$;

create trigger /*p*/changed_sessions_change instead of insert on /*p*/changed_sessions
for each row execute function /*p*/change_session();

-- Lets a session act for an organization. False: it has ended, or is not that user's.
create or replace function /*p*/enter_organization(session uuid, owner uuid, organization uuid) returns boolean
language plpgsql
set search_path from current
as $$
begin
  update /*p*/sessions s set organization_id = organization where s.id = session and s.user_id = owner;
  if found then
    return true;
  end if;
  perform /*p*/assert_looked(exists (select from /*p*/sessions s where s.id = session and s.user_id = owner));
  return false;
end
$$;

-- Lets a session act for none.
create or replace function /*p*/leave_organization(session uuid, owner uuid) returns void
language plpgsql
set search_path from current
as $$
begin
  update /*p*/sessions s set organization_id = null
  where s.id = session and s.user_id = owner and s.organization_id is not null;
  if not found then
    perform /*p*/assert_looked(exists (
      select from /*p*/sessions s where s.id = session and s.user_id = owner and s.organization_id is not null));
  end if;
end
$$;

-- The same as a refresh finds that its organization does not admit it any more, whose count is taken back.
create or replace function /*p*/leave_at_refresh(session uuid, owner uuid, organization uuid, counted bigint, given bigint) returns void
language plpgsql
set search_path from current
as $$
begin
  update /*p*/sessions s set organization_id = null, generation = given
  where s.id = session and s.user_id = owner and s.organization_id = organization and s.generation = counted;
  if not found then
    perform /*p*/assert_looked(exists (select from /*p*/sessions s
      where s.id = session and s.user_id = owner and s.organization_id = organization and s.generation = counted));
  end if;
end
$$;

-- Refreshes a session for another organization, or for none.
create view /*p*/switched_sessions as select * from /*p*/session_shape;

create or replace function /*p*/switch_session() returns trigger
language plpgsql
set search_path from current
as $$
declare
  switched /*p*/session_shape;
begin
  update /*p*/sessions s
  set organization_id = new.organization_id, generation = s.generation + 1, refreshed_at = now(),
    user_agent = new.user_agent, ip = new.ip
  where s.id = new.id and s.revoked_at is null
  returning s.* into switched;
  if switched.id is null then
    perform /*p*/assert_looked(exists (select from /*p*/sessions s where s.id = new.id and s.revoked_at is null));
    return null;
  end if;
  return switched;
end
$$;

create trigger /*p*/switched_sessions_switch instead of insert on /*p*/switched_sessions
for each row execute function /*p*/switch_session();

-- Ends sessions of an account that is banned.
create view /*p*/banned_sessions as select * from /*p*/session_shape;

create or replace function /*p*/ban_session() returns trigger
language plpgsql
set search_path from current
as $$
declare
  ended /*p*/session_shape;
begin
  update /*p*/sessions s set revoked_at = now(), ended_by_ban = true
  where s.id = new.id and s.revoked_at is null
  returning s.* into ended;
  if ended.id is null then
    perform /*p*/assert_looked(exists (select from /*p*/sessions s where s.id = new.id and s.revoked_at is null));
    return null;
  end if;
  ended.revoked_at := null;
  perform /*p*/note_session_end(ended, false);
  return ended;
end
$$;

create trigger /*p*/banned_sessions_ban instead of insert on /*p*/banned_sessions
for each row execute function /*p*/ban_session();

-- Sets the methods of a session, which keeps its level.
create view /*p*/renamed_methods as select * from /*p*/session_shape;

create or replace function /*p*/rename_methods() returns trigger
language plpgsql
set search_path from current
as $$
begin
  update /*p*/sessions s set amr = new.amr where s.id = new.id;
  if found then
    return new;
  end if;
  perform /*p*/assert_looked(exists (select from /*p*/sessions s where s.id = new.id));
  return null;
end
$$;

create trigger /*p*/renamed_methods_set instead of insert on /*p*/renamed_methods
for each row execute function /*p*/rename_methods();

-- A session that moved in, and has changed where it came from. Null: here it was refreshed since, or has ended.
create or replace function /*p*/replace_session(given /*p*/session_shape, moved_generation bigint) returns uuid
language plpgsql
set search_path from current
as $$
begin
  update /*p*/sessions s
  set generation = given.generation, refreshed_at = given.refreshed_at, aal = given.aal, amr = given.amr,
    second_factors = given.second_factors, user_agent = given.user_agent, ip = given.ip, tag = given.tag,
    not_after = given.not_after, revoked_at = given.revoked_at, sso_provider_id = given.sso_provider_id
  where s.id = given.id and s.generation = moved_generation and s.revoked_at is null;
  if found then
    return given.id;
  end if;
  perform /*p*/assert_looked(exists (
    select from /*p*/sessions s where s.id = given.id and s.generation = moved_generation and s.revoked_at is null));
  return null;
end
$$;

-- Ends a session of a certain generation. False: it was refreshed or revoked since, or has ended.
create or replace function /*p*/end_generation(session uuid, wanted bigint) returns boolean
language plpgsql
set search_path from current
as $$
declare
  ended /*p*/session_shape;
begin
  delete from /*p*/sessions s where s.id = session and s.generation = wanted and s.revoked_at is null
  returning s.* into ended;
  if ended.id is null then
    perform /*p*/assert_looked(exists (
      select from /*p*/sessions s where s.id = session and s.generation = wanted and s.revoked_at is null));
    return false;
  end if;
  perform /*p*/note_session_end(ended, false);
  return true;
end
$$;

-- From then on access tokens of a session count that were issued later only. The account of the session; null: nothing has changed.
create or replace function /*p*/revoke_tokens(session uuid, of_client uuid, since timestamptz) returns uuid
language plpgsql
set search_path from current
as $$
declare
  owner uuid;
begin
  update /*p*/sessions s set tokens_revoked_at = since
  where s.id = session and s.oauth_client_id = of_client and s.revoked_at is null
    and (s.tokens_revoked_at is null or s.tokens_revoked_at < since)
  returning s.user_id into owner;
  if owner is null then
    perform /*p*/assert_looked(exists (select from /*p*/sessions s where s.id = session and s.oauth_client_id = of_client
      and s.revoked_at is null and (s.tokens_revoked_at is null or s.tokens_revoked_at < since)));
  end if;
  return owner;
end
$$;
