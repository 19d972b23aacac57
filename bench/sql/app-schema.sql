-- What `npm run bench:app-schema` needs of its databases.

-- name: profiles
-- A profile for each account, as applications have it.
do $$
begin
  create table public.profiles (id uuid primary key references auth.users on delete cascade, full_name text);
  create function public.handle_new_user() returns trigger
  language plpgsql security definer set search_path = ''
  as $body$
  begin
    insert into public.profiles (id, full_name) values (new.id, new.raw_user_meta_data ->> 'full_name');
    return new;
  end
  $body$;
  create trigger on_auth_user_created
    after insert on auth.users for each row execute function public.handle_new_user();
end
$$;

-- name: count_users
select count(*)::int as users from /*p*/users;
