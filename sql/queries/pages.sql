-- name: begin_flow
-- $1 flow id
-- $2 kind
-- $3 redirect target, or null
-- $4 PKCE challenge, or null
-- $5 its method, or null
-- $6 what is decided, or null
-- $7 languages
-- $8 address
-- $9 hash of the browser's secret, or null
-- $10 whether a new password is to be set
insert into /*p*/page_flows (id, kind, redirect_to, code_challenge, code_challenge_method, subject, languages, address,
  browser_hash, wants_password)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);

-- name: flow
-- read
-- $1 flow id
-- $2 seconds a flow is valid
select f.id, f.kind, f.redirect_to, f.code_challenge, f.code_challenge_method, f.subject, f.languages, f.address,
  f.sent_type, extract(epoch from now() - f.sent_at)::float8 as sent_seconds_ago, f.wants_password, f.browser_hash,
  f.session_id, f.wants_factor
from /*p*/page_flows f
where f.id = $1 and f.created_at > now() - make_interval(secs => $2);

-- name: note_address
-- Keeps what the person has typed, and what was sent to it. What was sent begins the sign-in anew.
-- $1 flow id
-- $2 address
-- $3 type of the code that was sent, or null
-- $4 whether a new password is to be set
-- $5 hash of the browser's secret
update /*p*/page_flows f
set address = $2, sent_type = coalesce($3, f.sent_type),
  sent_at = case when $3::text is null then f.sent_at else now() end, wants_password = $4, browser_hash = $5,
  session_id = case when $3::text is null then f.session_id end
where f.id = $1;

-- name: choose_device
-- The person has typed the code of a device.
-- $1 flow id
-- $2 user code
update /*p*/page_flows f set subject = $2 where f.id = $1 and f.kind = 'device';

-- name: use_session
-- The person goes on with a session. The address is kept for the case that the browser loses its cookie.
-- $1 flow id
-- $2 session id
-- $3 address that was typed, or empty
update /*p*/page_flows f
set session_id = $2, wants_factor = false, address = coalesce(nullif($3::text, ''), f.address)
where f.id = $1;

-- name: return_to
-- What the person comes back to, on the account page.
-- $1 flow id
-- $2 section
-- $3 whether a second factor is to be asked for first
-- $4 address for the sign-in, or null
update /*p*/page_flows f
set subject = $2, wants_factor = $3, address = coalesce($4, f.address)
where f.id = $1 and f.kind = 'manage';

-- name: want_factor
-- $1 flow id
update /*p*/page_flows f set wants_factor = true where f.id = $1;

-- name: password_set
-- $1 flow id
update /*p*/page_flows f set wants_password = false where f.id = $1;

-- name: accounts
-- The accounts that are signed in in a browser, the one in use first. A session that nothing refreshes ends by the use
-- of its browser.
-- read
-- $1 hash of the browser's secret
-- $2 seconds without use after which it is signed out
-- $3 maximum age of a session in seconds, or null
-- $4 maximum idle time of a session in seconds, or null
select s.id as session_id, s.user_id, s.aal, s.amr, u.email, u.phone, u.is_anonymous,
  b.used_at < now() - interval '10 minutes' as needs_touch
from /*p*/browsers b
cross join lateral unnest(b.session_ids) with ordinality as a (session_id, position)
join /*p*/sessions s on s.id = a.session_id
join /*p*/users u on u.id = s.user_id
where b.secret_hash = $1 and b.used_at > now() - make_interval(secs => $2::double precision)
  and s.revoked_at is null and (s.not_after is null or s.not_after > now())
  and ($3::double precision is null or s.created_at > now() - make_interval(secs => $3::double precision))
  and ($4::double precision is null
    or greatest(s.refreshed_at, s.created_at, b.used_at) > now() - make_interval(secs => $4::double precision))
  and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
order by a.position;

-- name: touch_browser
-- $1 hash of the browser's secret
update /*p*/browsers b set used_at = now() where b.secret_hash = $1;

-- name: remember_session
-- After a sign-in the browser gets a new secret, so that nobody who knew the former one is signed in. An earlier session
-- of the same account in this browser ends, and so does that of a sixth account.
-- $1 hash of the former secret
-- $2 hash of the new secret
-- $3 session id
-- $4 user id
with former as (
  select b.id, b.session_ids from /*p*/browsers b where b.secret_hash = $1 for update
), kept as (
  select coalesce(array_agg(k.session_id order by k.position), '{}') as ids
  from (
    select a.session_id, a.position
    from former f
    cross join lateral unnest(f.session_ids) with ordinality as a (session_id, position)
    join /*p*/sessions s on s.id = a.session_id
    where s.user_id <> $4::uuid
    order by a.position
    limit 4
  ) k
), ended as (
  delete from /*p*/sessions s
  using former f, kept k
  where s.id = any (f.session_ids) and s.id <> $3::uuid and s.id <> all (k.ids)
), renewed as (
  update /*p*/browsers b
  set secret_hash = $2, session_ids = $3::uuid || k.ids, used_at = now()
  from former f, kept k
  where b.id = f.id
)
insert into /*p*/browsers (secret_hash, session_ids)
select $2, array[$3::uuid] where not exists (select from former);

-- name: choose_session
-- $1 hash of the browser's secret
-- $2 session id
update /*p*/browsers b
set session_ids = $2::uuid || array_remove(b.session_ids, $2::uuid), used_at = now()
where b.secret_hash = $1 and $2::uuid = any (b.session_ids);

-- name: forget_session
-- $1 hash of the browser's secret
-- $2 session id
update /*p*/browsers b
set session_ids = array_remove(b.session_ids, $2::uuid)
where b.secret_hash = $1;

-- name: issue_code
-- An auth code for a session of the pages. No row: the session has ended.
-- $1 flow id
-- $2 user id
-- $3 session id
-- $4 hash of the auth code
-- $5 PKCE challenge
-- $6 its method
-- $7 redirect target
insert into /*p*/flow_states (id, user_id, authentication_method, auth_code_hash, auth_code_issued_at, code_challenge,
  code_challenge_method, redirect_to, source_session_id)
select $1, s.user_id, coalesce(s.amr -> 0 ->> 'method', 'password'), $4, now(), $5, $6, $7, s.id
from /*p*/sessions s
where s.id = $3 and s.user_id = $2 and s.revoked_at is null
returning id;

-- name: open_session_like
-- A session for an application, with level and methods of that of the pages, and what a company set: its end, and the session
-- there. The organization of that of the pages is entered afterwards, as at every sign-in. No row: that one has ended, or the account
-- is banned.
-- $1 user id
-- $2 session id
-- $3 user agent
-- $4 ip
-- $5 audit entries, array
with source as (
  select s.* from /*p*/sessions s
  where s.id = $2 and s.user_id = $1 and s.revoked_at is null and (s.not_after is null or s.not_after > now())
), signed_in as (
  update /*p*/users u
  set last_sign_in_at = now(), updated_at = now()
  from source s
  where u.id = s.user_id and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
  returning u.*
), new_session as (
  insert into /*p*/sessions (user_id, aal, amr, second_factors, user_agent, ip, not_after, sso_provider_id, saml)
  select u.id, s.aal, s.amr, s.second_factors, $3, $4::inet, s.not_after, s.sso_provider_id, s.saml
  from signed_in u, source s
  returning *
), new_audit as (
  insert into /*p*/audit_log (payload)
  select e.value from signed_in, jsonb_array_elements($5::jsonb) e
)
select row_to_json(u) as "user",
  (select json_agg(i order by i.created_at, i.id) from /*p*/identities i where i.user_id = u.id) as identities,
  s.id as session_id, s.generation, s.aal, s.amr, o.organization_id as source_organization_id
from signed_in u cross join new_session s cross join source o;
