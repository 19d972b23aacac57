-- The clients that users have allowed something.

-- name: of_user
-- Newest first.
-- read
-- $1 user id
select k.scopes, k.granted_at, row_to_json(c) as client
from /*p*/oauth_consents k join /*p*/oauth_clients c on c.id = k.client_id
where k.user_id = $1 and k.revoked_at is null and c.deleted_at is null
order by k.granted_at desc, c.id;

-- name: revoke
-- With the sessions and requests of the client. Call it with the account locked.
-- $1 user id
-- $2 client id
-- $3 audit entries, array
with revoked as (
  update /*p*/oauth_consents k
  set revoked_at = now()
  where k.user_id = $1 and k.client_id = $2 and k.revoked_at is null
  returning k.user_id, k.client_id
), ended_sessions as (
  delete from /*p*/sessions s using revoked r where s.oauth_client_id = r.client_id and s.user_id = r.user_id
), ended_requests as (
  delete from /*p*/oauth_authorizations a using revoked r where a.user_id = r.user_id and a.client_id = r.client_id
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from revoked, jsonb_array_elements($3::jsonb) e
)
select r.client_id from revoked r;
