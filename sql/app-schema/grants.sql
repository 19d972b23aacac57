-- The roles of a REST layer, where they exist, may use the functions. Nothing is granted on the tables.
do $$
declare
  role_name name;
  signature regprocedure;
begin
  for role_name in select r.rolname from pg_roles r where r.rolname in ('anon', 'authenticated', 'service_role') loop
    if not has_schema_privilege(role_name, to_regnamespace('/*a*/')::oid, 'usage') then
      execute format('grant usage on schema %s to %I', '/*a*/', role_name);
    end if;
    foreach signature in array array['/*a*/uid()', '/*a*/role()', '/*a*/email()', '/*a*/jwt()']::regprocedure[] loop
      if not has_function_privilege(role_name, signature, 'execute') then
        execute format('grant execute on function %s to %I', signature, role_name);
      end if;
    end loop;
  end loop;
end
$$;
