-- Documents of organizations, in a database where Latchkey has AUTH_DB_APP_SCHEMA=auth. psql gets the password of the server with
-- --set=password=….

-- The server signs in as this role, which may read nothing itself, and takes on the role of each request.
create role documents_api login noinherit password :'password';
grant anon, authenticated to documents_api;

create table public.documents (
  id bigint generated always as identity primary key,
  org_id uuid not null default (auth.jwt() ->> 'org_id')::uuid,
  -- A machine account, whose token has its client as sub, is no user.
  author uuid default nullif(auth.jwt() ->> 'sub', auth.jwt() ->> 'client_id')::uuid references auth.users on delete set null,
  title text not null
);

create index on public.documents (org_id, id);

alter table public.documents enable row level security;

grant select, delete, insert (org_id, title), update (org_id, title) on public.documents to anon, authenticated;

create policy "own organization" on public.documents to anon, authenticated
  using (org_id = (select (auth.jwt() ->> 'org_id')::uuid));

-- Owners may do everything, also where their permissions are too long for a token, which then leaves them out.
create function public.org_permits(permission text) returns boolean
  language sql stable
  return coalesce(auth.jwt() -> 'org_permissions' ? permission, auth.jwt() -> 'org_roles' ? 'owner', false);

create policy "insert with documents:write" on public.documents as restrictive for insert to anon, authenticated
  with check ((select public.org_permits('documents:write')));

create policy "update with documents:write" on public.documents as restrictive for update to anon, authenticated
  using ((select public.org_permits('documents:write')));

create policy "delete with documents:write" on public.documents as restrictive for delete to anon, authenticated
  using ((select public.org_permits('documents:write')));
