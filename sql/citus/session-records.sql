-- A log-out is a change of one row on one node, but its event, its entry of the audit log and the logout of an OAuth client belong to the
-- coordinator. So the node writes them down beside the session, in the same transaction, and servers carry them to the coordinator a moment
-- later (src/db/citus/session-records.ts), whichever of them is there by then: none is lost, and each is written once.
create table if not exists /*p*/session_records (
  id uuid not null,
  session_id uuid not null,
  -- Entries of the audit log.
  audit jsonb not null,
  -- The setting latchkey.origin of the change.
  origin jsonb,
  -- Of a session that was valid until then: its id, account and OAuth client.
  ended jsonb,
  is_reuse boolean not null,
  created_at timestamptz not null,
  primary key (session_id, id)
);

-- Those that are here: a server that was interrupted before it removed them from their node brings them again, within 30 days.
create table if not exists /*p*/taken_records (
  id uuid primary key,
  taken_at timestamptz not null default now()
);
create index if not exists /*p*/taken_records_taken_idx on /*p*/taken_records (taken_at);

create or replace function /*p*/take_session_records(records jsonb) returns void
language plpgsql
set search_path from current
as $$
declare
  given record;
begin
  -- Each event with the origin of its record.
  set constraints /*p*/session_notes_write immediate;
  for given in
    select r.* from jsonb_to_recordset(records)
      as r (id uuid, audit jsonb, origin jsonb, ended jsonb, is_reuse boolean, created_at timestamptz)
    order by r.created_at, r.id
  loop
    insert into /*p*/taken_records (id) values (given.id) on conflict do nothing;
    continue when not found;
    perform set_config('latchkey.origin', coalesce(given.origin::text, ''), true);
    insert into /*p*/audit_log (payload, created_at) select e.value, given.created_at from jsonb_array_elements(given.audit) e;
    -- Its account was there, whatever has become of it since.
    if given.ended is not null then
      perform /*p*/note_ended(jsonb_populate_record(null::/*p*/session_shape, given.ended), given.is_reuse, true);
    end if;
  end loop;
  delete from /*p*/taken_records t where t.taken_at < now() - interval '30 days';
end
$$;
