-- In a database where Latchkey has AUTH_DB_APP_SCHEMA=auth. No REST layer shows the schema private.
create schema private;

create table private.user_roles (
  user_id uuid references auth.users on delete cascade,
  role text check (role in ('editor', 'moderator')),
  primary key (user_id, role)
);

create function private.custom_access_token(event jsonb) returns jsonb
language sql stable set search_path = ''
as $$
  select jsonb_build_object('claims', event -> 'claims' || jsonb_build_object('roles', (
    select coalesce(jsonb_agg(r.role order by r.role), '[]')
    from private.user_roles r
    where r.user_id = (event ->> 'user_id')::uuid
  )))
$$;

revoke execute on function private.custom_access_token from public;
