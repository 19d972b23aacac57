-- OpenID Connect Back-Channel Logout 1.0: where a client hears of the end of its sessions.
alter table /*p*/oauth_clients add column backchannel_logout_uri text;
alter table /*p*/oauth_clients add column backchannel_logout_session_required boolean not null default false;

create index /*p*/oauth_clients_receivers_idx on /*p*/oauth_clients (backchannel_logout_uri)
where backchannel_logout_uri is not null and deleted_at is null;

-- Logout tokens that wait. An attempt postpones the row, so that it is due again if its sender dies.
create table /*p*/oauth_logouts (
  id uuid primary key default gen_random_uuid(),
  client_id uuid not null references /*p*/oauth_clients (id) on delete cascade,
  -- Both may be gone.
  user_id uuid not null,
  session_id uuid not null,
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default now()
);

create index /*p*/oauth_logouts_client_idx on /*p*/oauth_logouts (client_id, next_attempt_at);
create index /*p*/oauth_logouts_due_idx on /*p*/oauth_logouts (next_attempt_at);

-- In the transaction of every end of a session of a client, whichever statement ends it.
create function /*p*/queue_client_logout() returns trigger
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
  insert into /*p*/oauth_logouts (client_id, user_id, session_id)
  select c.id, old.user_id, old.id from /*p*/oauth_clients c
  where c.id = old.oauth_client_id and c.backchannel_logout_uri is not null and c.deleted_at is null;
  return null;
end
$$;

-- Sessions without a client, and refreshes, which write no such column, do not call it.
create trigger /*p*/sessions_queue_logout
after delete or update of revoked_at on /*p*/sessions
for each row when (old.oauth_client_id is not null)
execute function /*p*/queue_client_logout();
