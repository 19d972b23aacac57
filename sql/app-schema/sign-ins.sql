-- Writes the time of each sign-in, too (DB_APP_SCHEMA_SIGN_INS). It fires the update triggers of the application.
create or replace function /*p*/mirror_sign_in() returns trigger
language plpgsql
set search_path from current
as $$
begin
  update /*a*/users m set last_sign_in_at = new.last_sign_in_at
  where m.id = new.id and m.last_sign_in_at is distinct from new.last_sign_in_at;
  return null;
end
$$;

drop trigger if exists /*p*/users_mirror_sign_in on /*p*/users;
create trigger /*p*/users_mirror_sign_in
  after update of last_sign_in_at on /*p*/users
  for each row when (old.last_sign_in_at is distinct from new.last_sign_in_at)
  execute function /*p*/mirror_sign_in();
