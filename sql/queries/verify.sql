-- What `users import --from-gotrue --verify` compares.

-- name: count
-- What was imported and is still here.
-- read
select
  (select count(*)::int from /*p*/moved_accounts m join /*p*/users u on u.id = m.user_id where u.deleted_at is null)
    as accounts,
  (select count(*)::int from /*p*/moved_accounts m join /*p*/identities i on i.user_id = m.user_id) as identities,
  (select count(*)::int from /*p*/moved_sessions m join /*p*/sessions s on s.id = m.session_id) as sessions;

-- name: accounts
-- Accounts as they are here. has_changed: here since they were imported.
-- read
-- $1 ids
select u.id, row_to_json(u) as "user",
  (select json_agg(row_to_json(i) order by i.provider, i.provider_id) from /*p*/identities i where i.user_id = u.id)
    as identities,
  coalesce(u.updated_at <> m.updated_at, true) as has_changed
from /*p*/users u left join /*p*/moved_accounts m on m.user_id = u.id
where u.id = any($1::uuid[]) and u.deleted_at is null;

-- name: sessions
-- Sessions as they are here. has_changed: refreshed or revoked here since they were imported.
-- read
-- $1 ids
select s.id, row_to_json(s) as session, coalesce(s.generation <> m.generation, true) as has_changed
from /*p*/sessions s left join /*p*/moved_sessions m on m.session_id = s.id
where s.id = any($1::uuid[]);

-- name: some_accounts
-- Ids of imported accounts that are here.
-- read
-- $1 id after which to begin
-- $2 limit
select m.user_id as id
from /*p*/moved_accounts m join /*p*/users u on u.id = m.user_id
where m.user_id > $1 and u.deleted_at is null
order by m.user_id
limit $2;

-- name: some_sessions
-- Ids of imported sessions that are here.
-- read
-- $1 id after which to begin
-- $2 limit
select m.session_id as id
from /*p*/moved_sessions m join /*p*/sessions s on s.id = m.session_id
where m.session_id > $1
order by m.session_id
limit $2;

-- name: imported
-- Which of these accounts or sessions were imported, whether or not they are still here.
-- read
-- $1 ids
select m.user_id as id from /*p*/moved_accounts m where m.user_id = any($1::uuid[])
union all
select m.session_id as id from /*p*/moved_sessions m where m.session_id = any($1::uuid[]);
