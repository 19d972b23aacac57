-- What a token says of a session (its level, its methods, its owner) is counted in the session itself, and a refresh compares the
-- count. So a change of it needs no write to the account, which may be on another node. The trigger of 00004 stays for servers of
-- the release before, which compare the version of the account alone.
alter table /*p*/sessions add column facts_version integer not null default 0;

create function /*p*/count_session_facts() returns trigger
language plpgsql
as $$
begin
  new.facts_version := old.facts_version + 1;
  return new;
end
$$;

create trigger /*p*/sessions_count_facts
before update of user_id, aal, amr on /*p*/sessions
for each row execute function /*p*/count_session_facts();
