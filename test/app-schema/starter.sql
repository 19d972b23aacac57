-- The schema that applications of supabase/auth start from: profiles that a trigger fills, policies, and files with an owner.
create table public.profiles (
  id uuid primary key references auth.users on delete cascade,
  email text,
  phone text,
  full_name text,
  is_anonymous boolean,
  updates integer not null default 0
);
alter table public.profiles enable row level security;
create policy "own profile" on public.profiles for all using (id = auth.uid());

create table public.objects (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  owner uuid default auth.uid() references auth.users on delete set null
);
alter table public.objects enable row level security;
create policy "own files" on public.objects for all using (owner = auth.uid()) with check (owner = auth.uid());

create table public.invoices (
  id bigint generated always as identity primary key,
  user_id uuid not null references auth.users on delete restrict
);

-- What the name asks for, so that each test chooses what goes wrong.
create function public.handle_new_user() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  wish text := new.raw_user_meta_data ->> 'full_name';
begin
  if wish = 'refused' then
    raise exception 'No such names here';
  elsif wish like 'PT%' then
    raise exception using errcode = wish, message = 'Short and stout';
  elsif wish = 'broken' then
    perform 1 / 0;
  elsif wish = 'nested' then
    perform public.fail_deeply();
  elsif wish = 'twin' then
    insert into crm.twins (email) values ('twin@example.com'), ('twin@example.com');
  elsif wish = 'slow' then
    perform pg_sleep(30);
  elsif wish = 'many' then
    insert into public.notes (user_id, text) select new.id, n::text from generate_series(1, 10000) n;
  elsif wish = 'gone' then
    delete from auth.users where id = new.id;
    return new;
  elsif wish = 'tagged' then
    update auth.users set raw_app_meta_data = raw_app_meta_data || '{"plan": "free"}' where id = new.id;
  end if;
  insert into public.profiles (id, email, phone, full_name, is_anonymous)
  values (new.id, new.email, new.phone, wish, new.is_anonymous);
  return new;
end
$$;
create trigger on_auth_user_created
  after insert on auth.users for each row execute function public.handle_new_user();

create function public.fail_deeply() returns void
language plpgsql
as $$
begin
  raise exception using errcode = '22023', message = 'Deep inside';
end
$$;

-- A constraint with the name of one of Latchkey's.
create schema crm;
create table crm.twins (email text);
create unique index users_email_key on crm.twins (email);

create table public.notes (
  id bigint generated always as identity primary key,
  user_id uuid not null references auth.users on delete cascade,
  text text not null
);

create function public.handle_changed_user() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if new.raw_user_meta_data ->> 'full_name' = 'refused' then
    raise exception 'Not that name';
  elsif new.raw_user_meta_data ->> 'full_name' = 'broken' then
    perform 1 / 0;
  end if;
  update public.profiles
  set email = new.email, phone = new.phone, full_name = new.raw_user_meta_data ->> 'full_name', updates = updates + 1
  where id = new.id;
  return new;
end
$$;
create trigger on_auth_user_updated
  after update of email, phone, raw_user_meta_data on auth.users
  for each row execute function public.handle_changed_user();

create function public.handle_leaving_user() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if old.raw_user_meta_data ->> 'full_name' = 'stays' then
    return null;
  end if;
  return old;
end
$$;
create trigger on_auth_user_deleted
  before delete on auth.users for each row execute function public.handle_leaving_user();

-- Readers in SQL.
create view public.members as
select u.id, u.email, i.provider from auth.users u join auth.identities i on i.user_id = u.id;
