-- Import of sessions of supabase/auth.

-- name: sessions
-- One batch. Returns a verdict for each: imported, changed (there, and not here), same, kept (refreshed or revoked here
-- since it was imported), ended (here, since it was imported), there (it was not imported), no_account, or no_client (it is of
-- a client that is not here).
-- $1 array of {position, id, user_id, digest, generation, refreshed_at, aal, amr, second_factors, user_agent, ip, tag,
--    not_after, revoked_at, created_at, token_key, oauth_client_id, client, sso_provider_id}
-- $2 array of {session_id, token_hash, generation}
with given as (
  select r.* from jsonb_to_recordset($1::jsonb) as r (position int, id uuid, user_id uuid, digest text,
    generation bigint, refreshed_at timestamptz, aal text, amr jsonb, second_factors jsonb, user_agent text, ip inet,
    tag text, not_after timestamptz, revoked_at timestamptz, created_at timestamptz, token_key text,
    oauth_client_id uuid, client jsonb, sso_provider_id uuid)
), given_tokens as (
  select r.* from jsonb_to_recordset($2::jsonb) as r (session_id uuid, token_hash text, generation bigint)
), judged as (
  select g.*, m.generation as moved_generation,
    case
      when u.id is null then 'no_account'
      when m.session_id is null and s.id is not null then 'there'
      when m.session_id is null and g.oauth_client_id is not null and c.id is null then 'no_client'
      when m.session_id is null then 'imported'
      when s.id is null then 'ended'
      when m.digest = g.digest then 'same'
      when s.generation <> m.generation or s.revoked_at is not null then 'kept'
      else 'changed'
    end as verdict
  from given g
  left join /*p*/users u on u.id = g.user_id and u.deleted_at is null
  left join /*p*/moved_sessions m on m.session_id = g.id
  left join /*p*/sessions s on s.id = g.id
  left join /*p*/oauth_clients c on c.id = g.oauth_client_id and c.deleted_at is null
), new_sessions as (
  insert into /*p*/sessions (id, user_id, generation, refreshed_at, aal, amr, second_factors, user_agent, ip, tag,
    not_after, revoked_at, created_at, oauth_client_id, client, sso_provider_id)
  select j.id, j.user_id, j.generation, j.refreshed_at, j.aal, j.amr, j.second_factors, j.user_agent,
    j.ip, j.tag, j.not_after, j.revoked_at, j.created_at, j.oauth_client_id, j.client,
    j.sso_provider_id
  from judged j
  where j.verdict = 'imported'
  on conflict do nothing
  returning id
), changed_sessions as (
  update /*p*/sessions s
  set generation = j.generation, refreshed_at = j.refreshed_at, aal = j.aal, amr = j.amr,
    second_factors = j.second_factors, user_agent = j.user_agent, ip = j.ip, tag = j.tag, not_after = j.not_after,
    revoked_at = j.revoked_at, sso_provider_id = j.sso_provider_id
  from judged j
  -- Checked again on the row as it is now: a refresh may have come in between.
  where s.id = j.id and j.verdict = 'changed' and s.generation = j.moved_generation and s.revoked_at is null
  returning s.id
), stored as (
  select n.id from new_sessions n
  union all
  select c.id from changed_sessions c
), noted as (
  insert into /*p*/moved_sessions (session_id, digest, generation, token_key)
  select j.id, j.digest, j.generation, j.token_key
  from judged j join stored d on d.id = j.id
  on conflict (session_id) do update
  set digest = excluded.digest, generation = excluded.generation, token_key = excluded.token_key
), older_tokens as (
  -- Tokens of an earlier run that are not in this one are older than all that are.
  update /*p*/moved_tokens t
  set generation = j.generation - 2
  from judged j join changed_sessions c on c.id = j.id
  where t.session_id = j.id
    and not exists (select from given_tokens n where n.session_id = t.session_id and n.token_hash = t.token_hash)
), new_tokens as (
  insert into /*p*/moved_tokens (token_hash, session_id, generation)
  select n.token_hash, n.session_id, n.generation
  from given_tokens n join stored d on d.id = n.session_id
  on conflict (token_hash) do update set generation = excluded.generation
)
select j.position,
  case when j.verdict in ('imported', 'changed') and d.id is null then 'kept' else j.verdict end as verdict
from judged j left join stored d on d.id = j.id;

-- name: end_gone
-- Ends sessions that an earlier run brought and that are no longer where they came from: a sign-out there is one here.
-- One that was refreshed here since stays.
-- $1 id after which to look, null: from the beginning
-- $2 last id, null: to the end
-- $3 ids that are still there
with gone as (
  select m.session_id, m.generation
  from /*p*/moved_sessions m
  where m.session_id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000')
    and m.session_id <= coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    and not exists (select from unnest($3::uuid[]) p where p = m.session_id)
), ended as (
  delete from /*p*/sessions s using gone g
  where s.id = g.session_id and s.generation = g.generation and s.revoked_at is null
  returning s.id
)
select count(*)::int as ended from ended;
