-- Roles of the stack. psql gets the password with --set=password=….

-- Of requests: the REST layer takes on the one that the token names.
create role anon nologin;
create role authenticated nologin;
create role service_role nologin bypassrls;

create role authenticator login noinherit password :'password';
grant anon, authenticated, service_role to authenticator;

-- Latchkey, with tables that the REST layer does not show. It makes the schema auth itself.
create role latchkey login password :'password';
create schema latchkey authorization latchkey;
alter role latchkey set search_path = latchkey;
grant create on database postgres to latchkey;

-- Storage makes its tables in a schema that requests may use, as far as its policies allow.
create role storage_admin login noinherit password :'password';
create schema storage authorization storage_admin;
alter role storage_admin set search_path = storage;
grant create on database postgres to storage_admin;
grant anon, authenticated, service_role to storage_admin;
grant usage on schema storage to anon, authenticated, service_role;
alter default privileges for role storage_admin in schema storage grant all on tables to anon, authenticated, service_role;
alter default privileges for role storage_admin in schema storage grant all on functions to anon, authenticated, service_role;
alter default privileges for role storage_admin in schema storage grant all on sequences to anon, authenticated, service_role;

-- The application: what it makes in public may be read by requests, as far as policies allow.
grant usage on schema public to anon, authenticated, service_role;
alter default privileges for role postgres in schema public grant all on tables to anon, authenticated, service_role;
alter default privileges for role postgres in schema public grant all on sequences to anon, authenticated, service_role;
