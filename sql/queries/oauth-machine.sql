-- Tokens that clients get for themselves.

-- name: revoke
-- No row: it was revoked before.
-- $1 id of the token
-- $2 when it expires, in seconds since the epoch
-- $3 audit entries, array
with revoked as (
  insert into /*p*/oauth_revoked_tokens (id, expires_at) values ($1, to_timestamp($2::double precision))
  on conflict (id) do nothing
  returning id
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from revoked, jsonb_array_elements($3::jsonb) e
)
select r.id from revoked r;

-- name: revoked
-- Whether a token is revoked: then there is a row.
-- read
-- $1 id of the token
select true as is_revoked from /*p*/oauth_revoked_tokens r where r.id = $1;
