-- Invitations to organizations, by address. Whether an account has the address is in none of the rows, so that no list or answer
-- can show it.
create table /*p*/organization_invitations (
  id uuid primary key,
  organization_id uuid not null references /*p*/organizations (id) on delete cascade,
  -- As accounts spell it.
  email text not null,
  -- Sorted.
  roles text[] not null,
  -- Whose rights count when the invitation is accepted. No foreign key: a deleted account is a member of nothing.
  invited_by uuid not null,
  -- pending, accepted, declined or revoked.
  state text not null default 'pending',
  -- The user who accepted.
  accepted_by uuid,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);

-- Inviting an address again replaces its invitation.
create unique index /*p*/organization_invites_email_key on /*p*/organization_invitations (organization_id, email);
create index /*p*/organization_invites_list_idx
  on /*p*/organization_invitations (organization_id, created_at desc, id desc) where state = 'pending';
create index /*p*/organization_invites_own_idx
  on /*p*/organization_invitations (email, created_at desc, id desc) where state = 'pending';
create index /*p*/organization_invites_end_idx on /*p*/organization_invitations (organization_id, expires_at);

create function /*p*/record_invitation_events() returns trigger
language plpgsql
set search_path from current
as $$
declare
  -- One that replaces another has a new id.
  what text := case when new.state = 'pending' then 'created' else new.state end;
begin
  if tg_op = 'UPDATE' and (old.id, old.state) = (new.id, new.state) then
    return null;
  end if;
  perform /*p*/record_event('organization.invitation_' || what, new.accepted_by,
    jsonb_build_object('organization_id', new.organization_id, 'invitation_id', new.id, 'roles', new.roles));
  return null;
end
$$;

create trigger /*p*/invitations_record_events
after insert or update on /*p*/organization_invitations
for each row execute function /*p*/record_invitation_events();

-- Consumers that want every event or those of organizations get these, too.
do $$
begin
  if not exists (
    select from /*p*/event_log l, unnest(l.types) t where t = '*' or split_part(t, '.', 1) = 'organization') then
    alter table /*p*/organization_invitations disable trigger /*p*/invitations_record_events;
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
          ('/*p*/organization_invitations', '/*p*/invitations_record_events', '{organization}')
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
