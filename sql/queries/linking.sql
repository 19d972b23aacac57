-- Manual linking: an identity is added to the account that asked for it.

-- name: link
-- Runs in a transaction that has locked the account and checked its session (account-locks.sql). No row: the account is
-- banned or gone, has an address now, or the auth code was used. An identity or address that another account took in
-- the meantime is a unique violation.
-- $1 user id
-- $2 provider
-- $3 subject
-- $4 identity data
-- $5 confirmed address for an account without one, or null
-- $6 address that needs confirmation, or null
-- $7 opens a session
-- $8 user agent
-- $9 ip
-- $10 PKCE flow that ends, or null
-- $11 hash of its auth code, or null
-- $12 one-time tokens, array of {kind, recipient, link_hash, code_hash}
-- $13 mails, array of {id, kind, recipient_hash, sealed}
-- $14 audit entries, array
-- $15 method in the amr of the session
with asker as (
  select u.id
  from /*p*/users u
  where u.id = $1 and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
    -- Valid only for an account without an address.
    and (u.email is null or ($5::text is null and $6::text is null))
), spent as (
  delete from /*p*/flow_states f using asker a
  where f.id = $10::uuid and f.auth_code_hash = $11 and f.linking_target_id = a.id
  returning f.id
), providers as (
  -- Oldest first; the first one is the account's original provider.
  select array_agg(p.provider order by p.since) as names
  from (
    select i.provider, min(i.created_at) as since
    from /*p*/identities i
    where i.user_id = $1 and i.provider <> $2::text
    group by i.provider
    union all
    select $2::text, coalesce(
      (select min(i.created_at) from /*p*/identities i where i.user_id = $1 and i.provider = $2::text), now())
  ) p
), changed as (
  update /*p*/users u
  set email = coalesce($5, u.email),
    email_confirmed_at = case when $5::text is null then u.email_confirmed_at else now() end,
    proven_email = coalesce($5, u.proven_email),
    -- An address that takes effect ends every pending change (SEC-40).
    new_email = case when $5::text is null then coalesce($6, u.new_email) else $6::text end,
    new_phone = case when $5::text is null then u.new_phone end,
    email_change_sent_at = case when $6::text is null then u.email_change_sent_at else now() end,
    email_change_confirmations = case when $5::text is null and $6::text is null then u.email_change_confirmations else 0 end,
    app_metadata = u.app_metadata
      || jsonb_build_object('provider', p.names[1], 'providers', to_jsonb(p.names)),
    -- Who can come back with an address or a wallet is not anonymous.
    is_anonymous = u.is_anonymous and $5::text is null and $2::text <> 'web3',
    last_sign_in_at = case when $7::boolean then now() else u.last_sign_in_at end,
    updated_at = now()
  from asker a, providers p
  where u.id = a.id and ($10::uuid is null or exists (select from spent))
  returning u.*
), added as (
  insert into /*p*/identities (user_id, provider, provider_id, identity_data, last_sign_in_at)
  select c.id, $2, $3, $4::jsonb, now() from changed c
  returning *
), ended_tokens as (
  delete from /*p*/one_time_tokens t using changed c where t.user_id = c.id and $5::text is not null
), new_tokens as (
  insert into /*p*/one_time_tokens (user_id, kind, recipient, link_hash, code_hash)
  select c.id, t.kind, t.recipient, t.link_hash, t.code_hash
  from changed c, jsonb_to_recordset($12::jsonb) as t (kind text, recipient text, link_hash text, code_hash text)
  on conflict (user_id, kind) where user_id is not null do update
  set recipient = excluded.recipient, link_hash = excluded.link_hash, code_hash = excluded.code_hash,
    flow_state_id = null, wrong_tries = 0, created_at = now()
), older_mails as (
  delete from /*p*/outbox o
  using jsonb_to_recordset($13::jsonb) as m (kind text, recipient_hash text)
  where o.recipient_hash = m.recipient_hash and o.kind = m.kind and o.data_started_at is null
    and exists (select from changed)
), new_mails as (
  insert into /*p*/outbox (id, user_id, kind, recipient_hash, sealed)
  select m.id, c.id, m.kind, m.recipient_hash, m.sealed
  from changed c, jsonb_to_recordset($13::jsonb) as m (id uuid, kind text, recipient_hash text, sealed text)
), new_session as (
  insert into /*p*/sessions (user_id, amr, user_agent, ip)
  select c.id,
    jsonb_build_array(jsonb_build_object('method', $15::text, 'timestamp', extract(epoch from now())::bigint)),
    $8, $9::inet
  from changed c where $7::boolean
  returning *
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from changed, jsonb_array_elements($14::jsonb) e
)
select row_to_json(u) as "user",
  (select json_agg(i order by i.created_at, i.id) from (
      select * from added union all select o.* from /*p*/identities o where o.user_id = u.id
    ) i) as identities,
  s.id as session_id, s.generation, s.aal, s.amr
from changed u left join new_session s on true;
