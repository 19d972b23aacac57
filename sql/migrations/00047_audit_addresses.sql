-- Entries of the audit log come with the address of the client among their members. It moves to its column here, so that
-- no statement that writes an entry has to know of it. Entries without one, as those of the release before, stay as they are.
create function /*p*/take_audit_address() returns trigger
language plpgsql
set search_path from current
as $$
begin
  new.ip_address := new.payload ->> 'ip_address';
  new.payload := new.payload - 'ip_address';
  return new;
end
$$;

create trigger /*p*/audit_log_take_address
  before insert on /*p*/audit_log
  for each row
  when (new.payload ->> 'ip_address' is not null)
  execute function /*p*/take_audit_address();
