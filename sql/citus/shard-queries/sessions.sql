-- Changes of one session that its node makes, in the place of the statements of the same name in sql/queries. What has to be written on the
-- coordinator is left in a row beside the session, in the same transaction (session_records.sql). No row: there is nothing to change here,
-- and the coordinator answers.

-- name: end_own_session
-- $1 user id
-- $2 session id
-- $3 audit entries, array
with ended as (
  delete from /*p*/sessions s where /*s*/ s.id = $2 and s.user_id = $1
  returning s.id, s.user_id, s.sso_provider_id, s.saml, s.oauth_client_id,
    s.revoked_at is null and (s.not_after is null or s.not_after > now()) as was_valid
), new_record as (
  insert into /*p*/session_records (id, session_id, audit, origin, ended, is_reuse, created_at)
  select gen_random_uuid(), e.id, $3::jsonb, nullif(current_setting('latchkey.origin', true), '')::jsonb,
    case when e.was_valid then jsonb_build_object('id', e.id, 'user_id', e.user_id, 'oauth_client_id', e.oauth_client_id) end,
    false, now()
  from ended e
)
select case when e.saml is not null and e.oauth_client_id is null then
    jsonb_build_object('provider_id', e.sso_provider_id, 'saml', e.saml) end as sso
from ended e;

-- name: revoke_session
-- $1 session id
with revoked as (
  update /*p*/sessions s set revoked_at = now() where /*s*/ s.id = $1 and s.revoked_at is null
  returning s.id, s.user_id, s.oauth_client_id, s.not_after is null or s.not_after > now() as was_valid
), new_record as (
  insert into /*p*/session_records (id, session_id, audit, origin, ended, is_reuse, created_at)
  select gen_random_uuid(), r.id, '[]', nullif(current_setting('latchkey.origin', true), '')::jsonb,
    jsonb_build_object('id', r.id, 'user_id', r.user_id, 'oauth_client_id', r.oauth_client_id), true, now()
  from revoked r
  where r.was_valid
)
select r.id from revoked r;
