-- Where an error of the application came from.

-- name: triggers
-- On the tables that mirror the accounts, by name.
-- read
-- $1 names of functions, array
-- $2 bit of pg_trigger.tgtype: 4 insert, 8 delete, 16 update
select t.tgname as name, t.tgrelid::regclass::text as table_name
from pg_trigger t join pg_proc p on p.oid = t.tgfoid
where not t.tgisinternal and p.proname = any ($1::text[]) and (t.tgtype & $2::integer) <> 0
  and exists (select from pg_trigger m where m.tgrelid = t.tgrelid and m.tgname = 'latchkey_changes')
order by t.tgname, 2;

-- name: deferred
-- Triggers and foreign keys of the application that wait for the end of a transaction, on any table. Latchkey has none.
-- read
-- $1 names of functions, array
-- $2 name of a foreign key, or null
select t.tgname as name, t.tgrelid::regclass::text as table_name, t.tgtype::integer as events
from pg_trigger t join pg_proc p on p.oid = t.tgfoid
where not t.tgisinternal and t.tgdeferrable and p.proname = any ($1::text[])
  and exists (select from pg_trigger m where m.tgname = 'latchkey_changes')
union all
select null, k.conrelid::regclass::text,
  case when exists (select from pg_trigger m where m.tgrelid = k.confrelid and m.tgname = 'latchkey_changes')
    then 8 else 4 end
from pg_constraint k
where k.conname = $2::text and k.contype = 'f' and k.condeferrable
  and exists (select from pg_trigger m where m.tgname = 'latchkey_changes');
