-- Copies of what a refresh and GET /user join to a session, on every node. The tables themselves stay on the coordinator, where all
-- statements run as on a single server; each change of them is written to the copies in the same transaction.

-- Accounts whose only change is a later sign-in. Their copies learn of it a moment later (layout.copy_sign_ins), many at once: so a
-- sign-in writes to no node but that of its session.
create table if not exists /*p*/late_sign_ins (
  user_id uuid primary key
);

-- Nodes on which no session begins for now, since one of the servers could not reach them.
create table if not exists /*p*/avoided_nodes (
  group_id integer primary key,
  until timestamptz not null
);

-- Some accounts as they are now, to their copies.
create or replace function /*p*/copy_sign_ins(ids uuid[]) returns integer
language plpgsql
set search_path from current
set citus.all_modifications_commutative = on
as $$
declare
  accounts jsonb;
begin
  select jsonb_agg(jsonb_build_object('id', u.id, 'last_sign_in_at', u.last_sign_in_at, 'updated_at', u.updated_at))
  into accounts
  from (
    select u.id, u.last_sign_in_at, u.updated_at from /*p*/users u where u.id = any(ids) order by u.id for no key update
  ) u;
  update /*p*/node_users c set last_sign_in_at = n.last_sign_in_at, updated_at = n.updated_at
  from jsonb_to_recordset(accounts) as n (id uuid, last_sign_in_at timestamptz, updated_at timestamptz)
  where c.id = n.id;
  delete from /*p*/late_sign_ins l where l.user_id = any(ids);
  return coalesce(jsonb_array_length(accounts), 0);
end
$$;

-- Writes the changed rows of a table to its copy, with the columns that the copy has, as they are by now: a trigger of the same
-- statement may have changed them again. Arguments: the copy, whether it is that of accounts, and the columns of the key.
-- The lock of the changed row puts the changes of its copies in order. So Citus need not lock the whole copy until a transaction ends,
-- during which nobody could sign up.
create or replace function /*p*/copy_changes() returns trigger
language plpgsql
set search_path from current
set citus.all_modifications_commutative = on
as $$
declare
  keys text := array_to_string(tg_argv[2:], ', ');
  names text;
  sets text;
  matches text;
  rows jsonb;
  late uuid[];
begin
  if tg_op = 'TRUNCATE' then
    execute format('truncate %s', tg_argv[0]);
    if tg_argv[1] = 't' then
      truncate /*p*/sessions;
    end if;
    return null;
  end if;
  if tg_op = 'DELETE' then
    select jsonb_agg(to_jsonb(o)) into rows from old_rows o;
    -- A deleted account takes its sessions along, of which OAuth clients hear. Before the sessions are distributed a foreign key does it.
    if tg_argv[1] = 't' and rows is not null and to_regclass('/*p*/ended_sessions') is not null then
      insert into /*p*/ended_sessions (id)
      select s.id from /*p*/sessions_of(array(select (r ->> 'id')::uuid from jsonb_array_elements(rows) r)) s;
    end if;
  else
    if tg_op = 'UPDATE' and tg_argv[1] = 't' then
      select array_agg((n.content ->> 'id')::uuid) into late
      from (select to_jsonb(r) as content from new_rows r) n
      join (select to_jsonb(r) as content from old_rows r) o on o.content -> 'id' = n.content -> 'id'
      where o.content -> 'last_sign_in_at' is distinct from n.content -> 'last_sign_in_at'
        and o.content - '{last_sign_in_at,updated_at}'::text[] = n.content - '{last_sign_in_at,updated_at}'::text[];
    end if;
    if late is not null then
      insert into /*p*/late_sign_ins (user_id) select unnest(late) on conflict do nothing;
      select jsonb_agg(to_jsonb(u)) into rows from new_rows n join /*p*/users u on u.id = n.id where n.id <> all(late);
    else
      execute format('select jsonb_agg(to_jsonb(t)) from new_rows n join %I t using (%s)', tg_table_name, keys) into rows;
    end if;
  end if;
  if rows is null then
    return null;
  end if;
  select string_agg(format('%I', a.attname), ', '), string_agg(format('%1$I = n.%1$I', a.attname), ', '),
    string_agg(format('c.%1$I = n.%1$I', a.attname), ' and ') filter (where a.attname = any(tg_argv[2:]))
  into names, sets, matches
  from pg_attribute a where a.attrelid = tg_argv[0]::regclass and a.attnum > 0 and not a.attisdropped;
  execute case tg_op
    when 'INSERT' then format(
      'insert into %1$s (%2$s) select %2$s from jsonb_populate_recordset(null::%1$s, $1) n', tg_argv[0], names)
    when 'UPDATE' then format(
      'update %1$s c set %2$s from jsonb_populate_recordset(null::%1$s, $1) n where %3$s', tg_argv[0], sets, matches)
    else format(
      'delete from %1$s c using jsonb_populate_recordset(null::%1$s, $1) n where %2$s', tg_argv[0], matches)
  end using rows;
  return null;
end
$$;

-- A row of a copy is found by its key.
create or replace function /*p*/refuse_new_key() returns trigger
language plpgsql
as $$
begin
  raise exception 'The key of a row of % cannot be changed: each node has a copy of it. Insert another row instead.', tg_table_name;
end
$$;

-- The id of a new session: one of a node that can be reached.
create or replace function /*p*/new_session_id() returns uuid
language plpgsql
volatile
set search_path from current
as $$
declare
  id uuid := gen_random_uuid();
begin
  if exists (select from /*p*/avoided_nodes a where a.until > now()) then
    for attempt in 1..100 loop
      exit when not exists (
        select from pg_dist_placement p join /*p*/avoided_nodes a on a.group_id = p.groupid and a.until > now()
        where p.shardid = get_shard_id_for_distribution_column('/*p*/sessions', id));
      id := gen_random_uuid();
    end loop;
  end if;
  return id;
end
$$;

-- Makes the copy of a table, and lets each change of the table be written to it. Its key is of uuids. True: it was not there.
create or replace function /*p*/make_copy(source text, copy text, columns text, key text[], may_wait boolean) returns boolean
language plpgsql
set search_path from current
as $$
declare
  is_new constant boolean := to_regclass(format('%I', copy)) is null;
  added record;
  change record;
begin
  if is_new then
    execute format('create table %I as select %s from %I with no data', copy, columns, source);
    execute format('alter table %I add primary key (%s)', copy, array_to_string(key, ', '));
    if exists (select from pg_attribute a where a.attrelid = format('%I', copy)::regclass and a.attname = 'user_id') then
      execute format('create index on %I (user_id)', copy);
    end if;
    perform create_reference_table(format('%I', copy)::regclass);
  elsif columns = '*' then
    -- A release may have added columns.
    for added in
      select a.attname as name, format_type(a.atttypid, a.atttypmod) as type
      from pg_attribute a
      where a.attrelid = format('%I', source)::regclass and a.attnum > 0 and not a.attisdropped
        and not exists (select from pg_attribute c where c.attrelid = format('%I', copy)::regclass and c.attname = a.attname)
      order by a.attnum
    loop
      execute format('alter table %I add column %I %s', copy, added.name, added.type);
      -- It is not complete any more.
      execute format('comment on table %I is null', copy);
    end loop;
  end if;
  for change in
    select * from (values ('insert', 'referencing new table as new_rows'),
      ('update', 'referencing old table as old_rows new table as new_rows'),
      ('delete', 'referencing old table as old_rows'), ('truncate', '')) as c (event, tables)
  loop
    execute format('drop trigger if exists %I on %I', copy || '_' || change.event, source);
    execute format('create trigger %I after %s on %I %s for each statement execute function /*p*/copy_changes(%L, %L, %s)',
      copy || '_' || change.event, change.event, source, change.tables, format('%I', copy), may_wait,
      (select string_agg(quote_literal(k), ', ') from unnest(key) k));
  end loop;
  execute format('drop trigger if exists %I on %I', copy || '_keep_key', source);
  execute format('create trigger %I before update on %I for each row when (%s) execute function /*p*/refuse_new_key()',
    copy || '_keep_key', source, (select string_agg(format('old.%1$I <> new.%1$I', k), ' or ') from unnest(key) k));
  return is_new;
end
$$;

-- Copies the next rows that were there before. They are locked, so that no change of them is lost. Returns the key of the last one; null:
-- there are no more.
create or replace function /*p*/fill_copy(source text, copy text, key text[], after uuid[], how_many integer) returns uuid[]
language plpgsql
set search_path from current
as $$
declare
  keys text := array_to_string(key, ', ');
  names text;
  sets text;
  rows jsonb;
  last uuid[];
begin
  execute format(
    'select jsonb_agg(to_jsonb(t)), (array_agg(array[%1$s]::uuid[] order by %1$s desc))[1:1]
     from (select * from %2$I where $1 is null or (%1$s) > (%3$s) order by %1$s limit $2 for share) t',
    keys, source, (select string_agg(format('$1[%s]', n), ', ') from generate_subscripts(key, 1) n))
  into rows, last using after, how_many;
  if rows is null then
    return null;
  end if;
  select string_agg(format('%I', a.attname), ', '), string_agg(format('%1$I = excluded.%1$I', a.attname), ', ')
  into names, sets
  from pg_attribute a where a.attrelid = format('%I', copy)::regclass and a.attnum > 0 and not a.attisdropped;
  execute format(
    'insert into %1$I (%2$s) select %2$s from jsonb_populate_recordset(null::%1$I, $1) n on conflict (%3$s) do update set %4$s',
    copy, names, keys, sets)
  using rows;
  return (select array_agg(k) from unnest(last) k);
end
$$;
