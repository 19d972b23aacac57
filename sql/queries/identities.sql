-- name: find_owners
-- Accounts that an identity at a provider may belong to (docs/decisions.md, Account linking).
-- read
-- $1 provider
-- $2 subject
-- $3 verified addresses, lower case
-- $4 address of the new account, or ''
-- $5 providers of its linking domain; null for the default one
-- $6 providers that are in another linking domain than the default one
with known as (
  select i.user_id from /*p*/identities i where i.provider = $1 and i.provider_id = $2
), matching as (
  -- Accounts of the default domain, confirmed or not.
  select u.id as user_id
  from /*p*/users u
  where u.email = any($3::text[]) and not u.is_sso_user and u.deleted_at is null and $5::text[] is null
  union
  -- Accounts whose address another provider has verified. Unverified addresses would let an attacker who linked one
  -- first collect the identities of its owner (SEC-64).
  select i.user_id
  from /*p*/identities i join /*p*/users u on u.id = i.user_id
  where i.email = any($3::text[]) and i.identity_data @> '{"email_verified": true}' and u.deleted_at is null
    and case
      when $5::text[] is not null then i.provider = any($5::text[])
      else i.provider not in ('email', 'phone') and i.provider not like 'sso:%' and not i.provider = any($6::text[])
    end
)
select
  (select json_agg(p) from (
      select u.id, u.email, u.phone, u.user_metadata ->> 'full_name' as full_name, u.is_anonymous,
        u.email_confirmed_at is not null as is_email_confirmed,
        u.phone_confirmed_at is not null as is_phone_confirmed,
        u.email is not null and u.proven_email is not distinct from u.email as is_email_proven,
        coalesce(u.phone in (u.proven_phone, u.vouched_phone), false) as is_phone_proven,
        coalesce(u.banned_until > now(), false) as is_banned,
  exists (select from /*p*/account_origins o where o.user_id = u.id and 'email' = any(o.operator_set))
    as is_operators_email,
        u.id in (select k.user_id from known k) as is_known
      from /*p*/users u
      where u.id in (select k.user_id from known k union select m.user_id from matching m) and u.deleted_at is null
    ) p) as people,
  exists (select from /*p*/users u where u.email = $4 and not u.is_sso_user) as is_address_taken;

-- name: invited_by_link
-- The account of an invitation link that has not expired.
-- read
-- $1 hash of the link's token
-- $2 seconds an invitation is valid
select u.id, u.email, u.phone, u.user_metadata ->> 'full_name' as full_name, u.is_anonymous,
  u.email_confirmed_at is not null as is_email_confirmed,
  u.phone_confirmed_at is not null as is_phone_confirmed,
  u.email is not null and u.proven_email is not distinct from u.email as is_email_proven,
  coalesce(u.phone in (u.proven_phone, u.vouched_phone), false) as is_phone_proven,
  coalesce(u.banned_until > now(), false) as is_banned,
  exists (select from /*p*/account_origins o where o.user_id = u.id and 'email' = any(o.operator_set))
    as is_operators_email,
  false as is_known
from /*p*/one_time_tokens t join /*p*/users u on u.id = t.user_id
where t.link_hash = $1 and t.kind = 'confirmation' and u.invited_at is not null and u.deleted_at is null
  and t.created_at > now() - make_interval(secs => $2);

-- name: sign_in
-- A sign-in at a provider: creates or updates the account and its identity, and opens a session or issues the auth code
-- of a flow, all or nothing. An identity that another account took in the meantime is a unique violation. No row: the
-- account is gone, banned, or its address was taken.
-- $1 user id
-- $2 provider
-- $3 subject
-- $4 identity data
-- $5 new account, array of at most one {aud, role, email, is_confirmed, is_proven, is_sso_user}
-- $6 change of an existing account: met (none), proven (its address is confirmed; first-proof.sql has removed unproven
--    data before)
-- $7 opens a session
-- $8 user agent
-- $9 ip
-- $10 PKCE flow that is completed, array of at most one {id, auth_code_hash, access_token, refresh_token}
-- $11 one-time tokens, array of {kind, recipient, link_hash, code_hash}
-- $12 mails, array of {id, kind, recipient_hash, sealed}
-- $13 audit entries, array
-- $14 method in the amr of the session
-- $15 id of the provider where it belongs to an organization, else null
with providers as (
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
), new_user as (
  insert into /*p*/users (id, aud, role, email, email_confirmed_at, proven_email, confirmation_sent_at, app_metadata,
    user_metadata, is_sso_user, last_sign_in_at)
  select $1, n.aud, n.role, n.email, case when n.is_confirmed then now() end, case when n.is_proven then n.email end,
    case when jsonb_array_length($11::jsonb) > 0 then now() end,
    jsonb_build_object('provider', $2::text, 'providers', jsonb_build_array($2::text)), $4::jsonb, n.is_sso_user,
    case when $7::boolean then now() end
  from jsonb_to_recordset($5::jsonb)
    as n (aud text, role text, email text, is_confirmed boolean, is_proven boolean, is_sso_user boolean)
  on conflict do nothing
  returning *
), changed as (
  update /*p*/users u
  set email_confirmed_at = case
      when $6::text = 'proven' then coalesce(u.email_confirmed_at, now())
      else u.email_confirmed_at end,
    proven_email = case when $6::text = 'proven' then u.email else u.proven_email end,
    confirmation_sent_at = case
      when $6::text = 'proven' then null
      when jsonb_array_length($11::jsonb) > 0 then now()
      else u.confirmation_sent_at end,
    new_email = case when $6::text = 'proven' then null else u.new_email end,
    new_phone = case when $6::text = 'proven' then null else u.new_phone end,
    user_metadata = u.user_metadata || $4::jsonb
      || case when $6::text = 'proven' then '{"email_verified": true}'::jsonb else '{}' end,
    app_metadata = u.app_metadata
      || jsonb_build_object('provider', p.names[1], 'providers', to_jsonb(p.names)),
    last_sign_in_at = case when $7::boolean then now() else u.last_sign_in_at end,
    updated_at = now()
  from providers p
  where u.id = $1 and jsonb_array_length($5::jsonb) = 0
    and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
    -- The decision was made for an unproven address; it is void if the address was proven since.
    and ($6::text <> 'proven' or u.proven_email is distinct from u.email)
  returning u.*
), person as (
  select * from new_user union all select * from changed
), renewed as (
  update /*p*/identities i
  set identity_data = $4::jsonb, updated_at = now()
  from person p
  where i.user_id = p.id and i.provider = $2 and i.provider_id = $3
  returning i.*
), added as (
  insert into /*p*/identities (user_id, provider, provider_id, identity_data, last_sign_in_at)
  select p.id, $2, $3, $4::jsonb, now() from person p where not exists (select from renewed)
  returning *
), ended_tokens as (
  delete from /*p*/one_time_tokens t
  using person p
  where t.user_id = p.id and $6::text = 'proven'
), new_tokens as (
  insert into /*p*/one_time_tokens (user_id, kind, recipient, link_hash, code_hash)
  select p.id, t.kind, t.recipient, t.link_hash, t.code_hash
  from person p, jsonb_to_recordset($11::jsonb) as t (kind text, recipient text, link_hash text, code_hash text)
  on conflict (user_id, kind) where user_id is not null do update
  set recipient = excluded.recipient, link_hash = excluded.link_hash, code_hash = excluded.code_hash,
    flow_state_id = null, wrong_tries = 0, created_at = now()
), older_mails as (
  delete from /*p*/outbox o
  using jsonb_to_recordset($12::jsonb) as m (kind text, recipient_hash text)
  where o.recipient_hash = m.recipient_hash and o.kind = m.kind and o.data_started_at is null
), new_mails as (
  insert into /*p*/outbox (id, user_id, kind, recipient_hash, sealed)
  select m.id, p.id, m.kind, m.recipient_hash, m.sealed
  from person p, jsonb_to_recordset($12::jsonb) as m (id uuid, kind text, recipient_hash text, sealed text)
), flow as (
  update /*p*/flow_states f
  set user_id = p.id, auth_code_hash = c.auth_code_hash, auth_code_issued_at = now(),
    provider_access_token = c.access_token, provider_refresh_token = c.refresh_token, provider_state = null
  from person p, jsonb_to_recordset($10::jsonb)
    as c (id uuid, auth_code_hash text, access_token text, refresh_token text)
  where f.id = c.id
), new_session as (
  insert into /*p*/sessions (user_id, amr, user_agent, ip)
  select p.id,
    jsonb_build_array(
      jsonb_build_object('method', $14::text, 'timestamp', extract(epoch from now())::bigint)
        || case when $15::uuid is null then '{}' else jsonb_build_object('provider', $15::uuid) end),
    $8, $9::inet
  from person p where $7::boolean
  returning *
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from person, jsonb_array_elements($13::jsonb) e
)
select row_to_json(u) as "user",
  (select json_agg(i order by i.created_at, i.id) from (
      select * from renewed
      union all
      select * from added
      union all
      select o.* from /*p*/identities o
      where o.user_id = u.id and not (o.provider = $2 and o.provider_id = $3)
    ) i) as identities,
  s.id as session_id, s.generation, s.aal, s.amr
from person u left join new_session s on true;

-- name: unlink
-- Removes an identity from its account. No row: the account has changed since it was read.
-- $1 user id
-- $2 identity id
-- $3 updated_at of the account when it was read
-- $4 address that the account keeps, or null
-- $5 the address is confirmed
-- $6 audit entries, array
-- $7 a provider vouches for the address
with changed as (
  update /*p*/users u
  set phone = case when i.provider = 'phone' then null else u.phone end,
    phone_confirmed_at = case when i.provider = 'phone' then null else u.phone_confirmed_at end,
    email = $4,
    email_confirmed_at = case when $5::boolean then coalesce(u.email_confirmed_at, now()) end,
    -- What an operator vouched for still owes its first proof.
    proven_email = case when $7::boolean and u.vouched_email is distinct from $4 then $4 else u.proven_email end,
    -- An address that is replaced ends every pending change (SEC-40).
    new_email = case when u.email is not distinct from $4 then u.new_email end,
    new_phone = case when u.email is not distinct from $4 then u.new_phone end,
    email_change_confirmations = case when u.email is not distinct from $4 then u.email_change_confirmations else 0 end,
    app_metadata = u.app_metadata || (
      select jsonb_build_object('provider', (array_agg(p.provider order by p.since))[1],
        'providers', to_jsonb(array_agg(p.provider order by p.since)))
      from (
        select o.provider, min(o.created_at) as since
        from /*p*/identities o
        where o.user_id = $1 and o.id <> $2
        group by o.provider
      ) p),
    updated_at = greatest(clock_timestamp(), u.updated_at + interval '1 microsecond')
  from /*p*/identities i
  where u.id = $1 and u.deleted_at is null and u.updated_at = $3 and i.id = $2 and i.user_id = u.id
  returning u.id
), removed as (
  delete from /*p*/identities i using changed c where i.id = $2 and i.user_id = c.id
), ended_tokens as (
  delete from /*p*/one_time_tokens t using changed c where t.user_id = c.id and t.recipient <> coalesce($4, '')
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from changed, jsonb_array_elements($6::jsonb) e
)
select c.id from changed c;
