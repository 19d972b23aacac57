-- What functions of the schema do to sessions, as the coordinator can do it.

create or replace function /*p*/end_organization_clients() returns trigger
language plpgsql
set search_path from current
as $$
declare
  ended uuid[];
begin
  with changed as (
    update /*p*/oauth_clients c
    set deleted_at = now(), version = c.version + 1, secret_hash = null
    where c.organization_id = old.id and c.deleted_at is null
    returning c.id
  )
  select array_agg(c.id) into ended from changed c;
  if ended is null then
    return null;
  end if;
  delete from /*p*/oauth_authorizations a where a.client_id = any(ended);
  delete from /*p*/oauth_consents k where k.client_id = any(ended);
  insert into /*p*/ended_sessions (id)
  select s.id from unnest(ended) e (id) cross join lateral /*p*/sessions_of_client(e.id, null) s;
  return null;
end
$$;

create or replace function /*p*/settle_scim_ban(id uuid) returns void
language plpgsql
set search_path from current
as $$
declare
  former record;
begin
  if exists (select from /*p*/scim_users s where s.user_id = $1 and (not s.active or s.deleted_at is not null)) then
    insert into /*p*/scim_bans (user_id, former_banned_until)
    select u.id, u.banned_until from /*p*/users u where u.id = $1
    on conflict do nothing;
    if found then
      update /*p*/users u set banned_until = /*p*/scim_end_of_time(), updated_at = now() where u.id = $1;
    end if;
    insert into /*p*/banned_sessions (id)
    select s.id from /*p*/sessions_of(array[$1]) s where s.revoked_at is null;
    return;
  end if;
  delete from /*p*/scim_bans b where b.user_id = $1 returning b.former_banned_until into former;
  if found then
    update /*p*/users u set banned_until = former.former_banned_until, updated_at = now() where u.id = $1;
  end if;
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
    select o.organization_id as id, array_agg(o.user_id) as members from old_rows o group by o.organization_id
  loop
    update /*p*/sessions s set organization_id = null
    where s.user_id = any(left_organization.members) and s.organization_id = left_organization.id;
  end loop;
  return null;
end
$$;
