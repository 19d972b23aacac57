-- What a token says of a session (its level, its methods, its owner) is remembered with the account, and a refresh asks the
-- account's row alone whether anything has changed. So a change of it, whoever makes it, gives that row a new version. A
-- refresh sets other columns and does not get here.
create function /*p*/renew_user_of_session() returns trigger
language plpgsql
set search_path from current
as $$
begin
  update /*p*/users u set id = u.id
  where u.id in (old.user_id, new.user_id) and u.xmin <> pg_current_xact_id()::xid;
  return null;
end
$$;

create trigger /*p*/sessions_renew_user
after update of user_id, aal, amr on /*p*/sessions
for each row execute function /*p*/renew_user_of_session();
