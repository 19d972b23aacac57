-- Whoever remembers an account asks its row alone whether anything has changed (users.caller), so a change of an identity,
-- whoever makes it, gives that row a new version. A row that the same transaction has written already is new enough.
create function /*p*/renew_user_of_identity() returns trigger
language plpgsql
set search_path from current
as $$
begin
  update /*p*/users u set id = u.id
  where u.id in (old.user_id, new.user_id) and u.xmin <> pg_current_xact_id()::xid;
  return null;
end
$$;

create trigger /*p*/identities_renew_user
after insert or update or delete on /*p*/identities
for each row execute function /*p*/renew_user_of_identity();
