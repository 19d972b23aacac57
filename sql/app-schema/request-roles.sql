-- The roles that a REST layer takes on for a request, as policies name them. Roles are of the whole server.
do $$
begin
  if not exists (select from pg_roles where rolname = 'anon') then
    create role anon nologin;
  end if;
  if not exists (select from pg_roles where rolname = 'authenticated') then
    create role authenticated nologin;
  end if;
  if not exists (select from pg_roles where rolname = 'service_role') then
    create role service_role nologin bypassrls;
  end if;
-- Another process was quicker.
exception when duplicate_object or unique_violation then null;
end
$$;
