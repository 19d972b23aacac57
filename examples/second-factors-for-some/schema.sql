-- In a database where Latchkey has AUTH_DB_APP_SCHEMA=auth.
create table public.articles (
  id bigint generated always as identity primary key,
  title text not null
);

create table public.payouts (
  id bigint generated always as identity primary key,
  owner uuid not null default auth.uid() references auth.users on delete cascade,
  cents bigint not null
);

alter table public.articles enable row level security;
alter table public.payouts enable row level security;

grant select, insert (title) on public.articles to authenticated;
grant select, insert (cents) on public.payouts to authenticated;

create policy "all read" on public.articles for select to authenticated using (true);

create policy "editors write" on public.articles for insert to authenticated
  with check ((select auth.jwt() -> 'app_metadata' -> 'roles' ? 'editor'));

-- Restrictive: it has to hold whatever the others allow.
create policy "editors write with a second factor" on public.articles as restrictive for insert to authenticated
  with check ((select auth.jwt() ->> 'aal' = 'aal2'));

create policy "own payouts" on public.payouts to authenticated using (owner = (select auth.uid()));

create policy "payouts with a second factor" on public.payouts as restrictive to authenticated
  using ((select auth.jwt() ->> 'aal' = 'aal2'));
