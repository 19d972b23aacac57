-- What operators note about users.

-- name: list
-- Newest first.
-- read
-- $1 user id
-- $2 most
select n.id, n.operator_id, n.operator_name, n.body, to_json(n.created_at) as created_at
from /*p*/user_notes n
where n.user_id = $1
order by n.created_at desc, n.id desc
limit $2;

-- name: add
-- No row: there is no such user.
-- $1 user id
-- $2 id of the operator
-- $3 name of the operator
-- $4 text
-- $5 audit entries, array
with added as (
  insert into /*p*/user_notes (user_id, operator_id, operator_name, body)
  select u.id, $2, $3, $4 from /*p*/users u where u.id = $1 and u.deleted_at is null
  returning *
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from added, jsonb_array_elements($5::jsonb) e
)
select a.id, a.operator_id, a.operator_name, a.body, to_json(a.created_at) as created_at from added a;

-- name: remove
-- No row: there is no such note, or it is one of another operator.
-- $1 user id
-- $2 id of the note
-- $3 id of the operator who wrote it, or null: whoever did
-- $4 audit entries, array
with removed as (
  delete from /*p*/user_notes n
  where n.id = $2 and n.user_id = $1 and n.operator_id = coalesce($3::uuid, n.operator_id)
  returning n.id
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from removed, jsonb_array_elements($4::jsonb) e
)
select r.id from removed r;
