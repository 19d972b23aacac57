-- The roles of a REST layer, where they exist, may use the functions. Nothing is granted on the tables.
do $$
declare
  role_name name;
begin
  for role_name in select r.rolname from pg_roles r where r.rolname in ('anon', 'authenticated', 'service_role') loop
    execute format('grant usage on schema /*a*/ to %I', role_name);
    execute format('grant execute on function /*a*/uid(), /*a*/role(), /*a*/email(), /*a*/jwt() to %I', role_name);
  end loop;
end
$$;
