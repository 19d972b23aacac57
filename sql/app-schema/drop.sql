-- Ends the mirror. Its tables stay: those of the application refer to them.
drop trigger if exists /*p*/users_mirror_new on /*p*/users;
drop trigger if exists /*p*/users_mirror_changed on /*p*/users;
drop trigger if exists /*p*/users_mirror_deleted on /*p*/users;
drop trigger if exists /*p*/identities_mirror_new on /*p*/identities;
drop trigger if exists /*p*/identities_mirror_changed on /*p*/identities;
drop trigger if exists /*p*/identities_mirror_deleted on /*p*/identities;
drop trigger if exists /*p*/users_mirror_sign_in on /*p*/users;
drop function if exists /*p*/mirror_sign_in();
drop function if exists /*p*/refuse_application_dates(timestamptz[]);
drop function if exists /*p*/audit_application_write(text, /*p*/users, text);
drop function if exists /*p*/refuse_application_write(text, text);
drop function if exists /*p*/mirror_new_users();
drop function if exists /*p*/mirror_changed_user();
drop function if exists /*p*/mirror_deleted_users();
drop function if exists /*p*/mirror_new_identities();
drop function if exists /*p*/mirror_changed_identity();
drop function if exists /*p*/mirror_deleted_identities();
drop function if exists /*p*/mirror_identities(uuid[]);
drop function if exists /*p*/mirror_users(uuid[]);
do $$
declare
  signature regprocedure;
begin
  -- With a row of a schema that was renamed since, they have other parameters.
  for signature in
    select p.oid from pg_proc p join pg_class c on c.oid = to_regclass('/*p*/users') and c.relnamespace = p.pronamespace
    where p.proname in (replace('/*p*/mirror_differences', '"', ''), replace('/*p*/apply_application_change', '"', ''))
  loop
    execute format('drop function %s', signature);
  end loop;
end
$$;
drop view if exists /*p*/app_schema_users;
do $$
begin
  -- A table of that name is the other server's.
  if (select c.relkind from pg_class c where c.oid = to_regclass('/*a*/sessions')) = 'v' then
    begin
      drop view /*a*/sessions;
    -- Something of the application reads it: it stays.
    exception when dependent_objects_still_exist then null;
    end;
  end if;
  -- Put aside by the end of a move.
  if to_regclass('/*a*/sessions') is null and to_regclass('/*a*/sessions_of_supabase_auth') is not null then
    execute format('alter table %s rename to sessions', '/*a*/sessions_of_supabase_auth');
  end if;
end
$$;
