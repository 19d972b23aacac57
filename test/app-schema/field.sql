-- An application as they are in the field: twenty tables on auth.users, with foreign keys of every kind, triggers on it, policies,
-- views, and functions that read and write it.

create type public.member_role as enum ('owner', 'admin', 'member');

create table public.profiles (
  id uuid primary key references auth.users on delete cascade,
  username text unique,
  full_name text,
  avatar_url text,
  email text,
  updated_at timestamptz not null default now(),
  constraint username_length check (char_length(username) >= 3)
);

create table public.teams (
  id bigint generated always as identity primary key,
  name text not null,
  created_by uuid references auth.users on delete set null,
  created_at timestamptz not null default now()
);

create table public.memberships (
  team_id bigint not null references public.teams on delete cascade,
  user_id uuid not null references auth.users on delete cascade,
  role public.member_role not null default 'member',
  primary key (team_id, user_id)
);

create table public.invitations (
  id uuid primary key default gen_random_uuid(),
  team_id bigint not null references public.teams on delete cascade,
  email text not null,
  invited_by uuid not null default auth.uid() references auth.users on delete cascade,
  accepted_by uuid references auth.users on delete set null
);

create table public.posts (
  id bigint generated always as identity primary key,
  author_id uuid default auth.uid() references public.profiles on delete set null,
  team_id bigint references public.teams on delete cascade,
  title text not null,
  body text not null default '',
  is_published boolean not null default false,
  created_at timestamptz not null default now()
);

create table public.comments (
  id bigint generated always as identity primary key,
  post_id bigint not null references public.posts on delete cascade,
  author_id uuid not null default auth.uid() references auth.users on delete cascade,
  parent_id bigint references public.comments on delete cascade,
  body text not null
);

create table public.reactions (
  post_id bigint not null references public.posts on delete cascade,
  user_id uuid not null references auth.users on delete cascade,
  kind text not null check (kind in ('like', 'love', 'laugh')),
  primary key (post_id, user_id, kind)
);

create table public.follows (
  follower_id uuid not null references public.profiles on delete cascade,
  followed_id uuid not null references public.profiles on delete cascade,
  primary key (follower_id, followed_id),
  check (follower_id <> followed_id)
);

create table public.rooms (
  id bigint generated always as identity primary key,
  name text not null,
  owner_id uuid not null references auth.users on delete cascade
);

create table public.room_members (
  room_id bigint not null references public.rooms on delete cascade,
  user_id uuid not null references auth.users on delete cascade,
  last_read_at timestamptz,
  primary key (room_id, user_id)
);

create table public.messages (
  id bigint generated always as identity primary key,
  room_id bigint not null references public.rooms on delete cascade,
  sender_id uuid references auth.users on delete set null,
  body text not null
);

create table public.notifications (
  id bigint generated always as identity primary key,
  user_id uuid not null references auth.users on delete cascade,
  kind text not null,
  payload jsonb not null default '{}',
  read_at timestamptz
);

create table public.settings (
  user_id uuid primary key references auth.users on delete cascade,
  locale text not null default 'en',
  wants_mail boolean not null default true
);

create table public.customers (
  user_id uuid primary key references auth.users on delete restrict,
  billing_id text unique
);

create table public.subscriptions (
  id text primary key,
  user_id uuid not null references auth.users,
  status text not null,
  plan text not null
);

create table public.api_keys (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users on delete cascade,
  key_hash text not null
);

create table public.activity (
  id bigint generated always as identity primary key,
  user_id uuid,
  action text not null,
  details jsonb,
  happened_at timestamptz not null default now()
);

create schema storage;

create table storage.buckets (
  id text primary key,
  name text not null unique,
  owner uuid references auth.users on delete set null,
  is_public boolean not null default false
);

create table storage.objects (
  id uuid primary key default gen_random_uuid(),
  bucket_id text not null references storage.buckets,
  name text not null,
  owner uuid default auth.uid() references auth.users on delete set null,
  metadata jsonb,
  unique (bucket_id, name)
);

create table public.linked_accounts (
  identity_id uuid primary key references auth.identities on delete cascade,
  user_id uuid not null references auth.users on delete cascade,
  handle text
);

create index on public.posts (author_id);
create index on public.comments (author_id);
create index on public.notifications (user_id);

-- What fills them.
create function public.handle_new_user() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.profiles (id, username, full_name, avatar_url, email)
  values (new.id, nullif(new.raw_user_meta_data ->> 'user_name', ''), new.raw_user_meta_data ->> 'full_name',
    new.raw_user_meta_data ->> 'avatar_url', new.email);
  insert into public.settings (user_id, locale) values (new.id, coalesce(new.raw_user_meta_data ->> 'locale', 'en'));
  insert into public.notifications (user_id, kind) values (new.id, 'welcome');
  return new;
end
$$;
create trigger on_auth_user_created
  after insert on auth.users for each row execute function public.handle_new_user();

create function public.handle_user_email() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  update public.profiles set email = new.email, updated_at = now() where id = new.id;
  return new;
end
$$;
create trigger on_auth_user_email
  after update of email on auth.users for each row execute function public.handle_user_email();

create function public.handle_user_confirmed() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.activity (user_id, action) values (new.id, 'confirmed');
  return new;
end
$$;
create trigger on_auth_user_confirmed
  after update of email_confirmed_at on auth.users
  for each row when (old.email_confirmed_at is null and new.email_confirmed_at is not null)
  execute function public.handle_user_confirmed();

create function public.handle_user_metadata() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  update public.profiles set full_name = new.raw_user_meta_data ->> 'full_name' where id = new.id;
  return new;
end
$$;
create trigger on_auth_user_metadata
  after update of raw_user_meta_data on auth.users for each row execute function public.handle_user_metadata();

create function public.handle_user_deleted() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.activity (user_id, action, details) values (old.id, 'deleted', jsonb_build_object('email', old.email));
  return old;
end
$$;
create trigger on_auth_user_deleted
  before delete on auth.users for each row execute function public.handle_user_deleted();

create function public.handle_new_subscription() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  update auth.users
  set raw_app_meta_data = coalesce(raw_app_meta_data, '{}') || jsonb_build_object('plan', new.plan)
  where id = new.user_id;
  return new;
end
$$;
create trigger on_subscription
  after insert or update on public.subscriptions for each row execute function public.handle_new_subscription();

-- What reads them.
create view public.members with (security_barrier) as
select m.team_id, u.id, u.email, u.raw_user_meta_data ->> 'full_name' as full_name, u.last_sign_in_at,
  array(select i.provider from auth.identities i where i.user_id = u.id order by i.provider) as providers
from public.memberships m join auth.users u on u.id = m.user_id;

create view public.sign_ups_by_day as
select date_trunc('day', u.created_at) as day, count(*) as count from auth.users u where not u.is_anonymous group by 1;

create function public.is_member(team bigint) returns boolean
language sql stable security definer set search_path = ''
as $$
  select exists (select from public.memberships m where m.team_id = team and m.user_id = auth.uid())
$$;

create function public.has_plan(plan text) returns boolean
language sql stable
as $$
  select auth.jwt() -> 'app_metadata' ->> 'plan' = plan
$$;

create function public.find_user(address text) returns uuid
language sql stable security definer set search_path = ''
as $$
  select u.id from auth.users u where u.email = lower(address)
$$;

create function public.delete_own_account() returns void
language sql security definer set search_path = ''
as $$
  delete from auth.users where id = auth.uid()
$$;

-- Who may.
alter table public.profiles enable row level security;
alter table public.teams enable row level security;
alter table public.memberships enable row level security;
alter table public.posts enable row level security;
alter table public.comments enable row level security;
alter table public.messages enable row level security;
alter table public.settings enable row level security;
alter table storage.objects enable row level security;

create policy "profiles are public" on public.profiles for select using (true);
create policy "own profile" on public.profiles for update using (auth.uid() = id) with check (auth.uid() = id);
create policy "teams of members" on public.teams for select using (public.is_member(id));
create policy "own memberships" on public.memberships for select using (user_id = auth.uid());
create policy "published posts" on public.posts for select using (is_published or author_id = auth.uid());
create policy "own posts" on public.posts for insert with check (author_id = auth.uid() and auth.role() = 'authenticated');
create policy "comments of the team" on public.comments for all using (author_id = auth.uid());
create policy "messages of members" on public.messages for select
  using (exists (select from public.room_members r where r.room_id = messages.room_id and r.user_id = auth.uid()));
create policy "own settings" on public.settings for all using (user_id = auth.uid());
create policy "own files" on storage.objects for all
  using (owner = auth.uid()) with check (owner = auth.uid() and (public.has_plan('gold') or bucket_id <> 'large'));
