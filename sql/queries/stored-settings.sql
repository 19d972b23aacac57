-- Settings in the database.

-- name: read
-- What is in force with a version: of each name, what its last change up to then says. No row: there is no set so old.
-- read
-- $1 version, or null for the newest
with chosen as (
  select s.version, s.changed_at, s.changed_by
  from /*p*/setting_sets s
  where s.version <= coalesce($1::integer, 2147483647)
  order by s.version desc
  limit 1
)
select c.version, to_json(c.changed_at) as changed_at, c.changed_by, coalesce(v.entries, '[]'::json) as entries
from chosen c
left join lateral (
  select json_agg(json_build_object('name', l.name, 'text', l.text, 'is_sealed', l.is_sealed) order by l.name) as entries
  from (
    select distinct on (x.name) x.name, x.text, x.is_sealed
    from /*p*/setting_changes x
    where x.version <= c.version
    order by x.name, x.version desc
  ) l
  where l.text is not null
) v on true;

-- name: store
-- No row: another set was stored meanwhile.
-- $1 version of the newest set that the caller knows
-- $2 who changes them
-- $3 comment
-- $4 version that is restored, or null
-- $5 changes, array of name, text and is_sealed
-- $6 audit entries, array
with latest as (
  select coalesce(max(s.version), 0) as version from /*p*/setting_sets s
), new_set as (
  insert into /*p*/setting_sets (version, changed_by, comment, restored)
  select l.version + 1, $2::text, $3, $4::integer from latest l where l.version = $1::integer
  on conflict (version) do nothing
  returning version
), new_changes as (
  insert into /*p*/setting_changes (version, name, text, is_sealed)
  select s.version, c.name, c.text, c.is_sealed
  from new_set s, jsonb_to_recordset($5::jsonb) as c (name text, text text, is_sealed boolean)
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from new_set, jsonb_array_elements($6::jsonb) e
)
select s.version,
  /*p*/record_event('settings.changed', null, jsonb_build_object('version', s.version, 'changed_by', $2::text,
    'names', (select jsonb_agg(c.name order by c.name) from jsonb_to_recordset($5::jsonb) as c (name text)),
    'restored', $4::integer)) as recorded
from new_set s;

-- name: changed_since
-- The last change of each of these names after a version.
-- read
-- $1 version
-- $2 names
select distinct on (c.name) c.name, c.text, c.is_sealed, s.version, s.changed_by, to_json(s.changed_at) as changed_at
from /*p*/setting_changes c
join /*p*/setting_sets s on s.version = c.version
where c.name = any ($2::text[]) and c.version > $1::integer
order by c.name, c.version desc;

-- name: history
-- The newest first, each change with what was in force before it.
-- read
-- $1 versions before this one
-- $2 limit
select s.version, to_json(s.changed_at) as changed_at, s.changed_by, s.comment, s.restored,
  coalesce(v.changes, '[]'::json) as changes
from /*p*/setting_sets s
left join lateral (
  select json_agg(
    json_build_object('name', c.name, 'after', c.text, 'is_after_sealed', c.is_sealed, 'before', b.text,
      'is_before_sealed', coalesce(b.is_sealed, false)) order by c.name
  ) as changes
  from /*p*/setting_changes c
  left join lateral (
    select x.text, x.is_sealed from /*p*/setting_changes x
    where x.name = c.name and x.version < c.version
    order by x.version desc
    limit 1
  ) b on true
  where c.version = s.version
) v on true
where s.version < $1::integer
order by s.version desc
limit $2::integer;

-- name: look
-- The newest version. Says which one a process uses, unless it has said so within the third of the time after which it counts
-- as gone; processes that are gone are forgotten then.
-- $1 id
-- $2 name of the machine
-- $3 version in use
-- $4 why it is not the newest one, or null
-- $5 seconds after which a process counts as gone
with due as (
  select 1 where not exists (
    select from /*p*/setting_processes p
    where p.id = $1::uuid and p.version = $3::integer and p.error is not distinct from $4::text
      and p.seen_at > now() - make_interval(secs => $5::double precision / 3)
  )
), gone as (
  delete from /*p*/setting_processes p
  using due
  where p.id <> $1::uuid and p.seen_at < now() - make_interval(secs => $5::double precision)
), noted as (
  insert into /*p*/setting_processes (id, host, version, error)
  select $1::uuid, $2, $3::integer, $4::text from due
  on conflict (id) do update set version = excluded.version, error = excluded.error, seen_at = now()
)
select max(s.version) as version from /*p*/setting_sets s;

-- name: processes
-- read
-- $1 seconds after which a process counts as gone
select p.id, p.host, p.version, p.error, to_json(p.seen_at) as seen_at
from /*p*/setting_processes p
where p.seen_at > now() - make_interval(secs => $1::double precision)
order by p.host, p.id;

-- name: sealed
-- Every text that is sealed, earlier ones included: an earlier state can be restored.
-- read
-- $1 version of the last row of the page before
-- $2 its name
-- $3 limit
select c.version, c.name, c.text as sealed
from /*p*/setting_changes c
where c.is_sealed and (c.version, c.name) > ($1::integer, $2)
order by c.version, c.name
limit $3::integer;

-- name: reseal
-- $1 version
-- $2 name
-- $3 sealed with the new key
-- $4 sealed as it was read
update /*p*/setting_changes set text = $3 where version = $1::integer and name = $2 and text = $4;
