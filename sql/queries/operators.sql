-- Operators of the console: who they are, their links and sessions. Audit entries are stored by the statement that does
-- what they say.

-- name: create
-- An operator and the link that sets up the sign-in. No row: the name is taken.
-- $1 id
-- $2 name
-- $3 role
-- $4 hash of the link
-- $5 lifetime of the link in seconds
-- $6 audit entries, array
with created as (
  insert into /*p*/operators (id, name, role) values ($1, $2, $3)
  on conflict (name) do nothing
  returning *
), link as (
  insert into /*p*/operator_links (token_hash, operator_id, signs_in, expires_at)
  select $4, c.id, false, now() + make_interval(secs => $5::double precision) from created c
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from created, jsonb_array_elements($6::jsonb) e
)
select c.id, c.name, c.role, c.created_at, c.last_sign_in_at, false as has_password, 0 as passkeys from created c;

-- name: list
-- read
select o.id, o.name, o.role, o.created_at, o.last_sign_in_at, o.password_hash is not null as has_password,
  (select count(*)::int from /*p*/operator_passkeys p where p.operator_id = o.id) as passkeys
from /*p*/operators o
order by o.name;

-- name: find
-- read
-- $1 id, or null
-- $2 name, or null
select o.id, o.name, o.role, o.created_at, o.last_sign_in_at, o.password_hash is not null as has_password,
  (select count(*)::int from /*p*/operator_passkeys p where p.operator_id = o.id) as passkeys
from /*p*/operators o
where o.id = $1::uuid or o.name = $2::text;

-- name: lock_all
-- Held by changes after which there must still be an owner.
select o.id, o.role from /*p*/operators o order by o.id for no key update;

-- name: remove
-- With passkeys, links and sessions.
-- $1 id
-- $2 audit entries, array
with removed as (
  delete from /*p*/operators o where o.id = $1 returning o.id
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from removed, jsonb_array_elements($2::jsonb) e
)
select r.id from removed r;

-- name: set_role
-- Ends the sessions, which were opened under the former role.
-- $1 id
-- $2 role
-- $3 audit entries, array
with changed as (
  update /*p*/operators o set role = $2 where o.id = $1 returning o.id
), ended as (
  delete from /*p*/operator_sessions s using changed c where s.operator_id = c.id
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from changed, jsonb_array_elements($3::jsonb) e
)
select c.id from changed c;

-- name: reset
-- Removes every way to sign in, ends the sessions, and stores a link that sets up a new one. Former links end.
-- $1 id
-- $2 hash of the link
-- $3 lifetime of the link in seconds
-- $4 audit entries, array
with changed as (
  update /*p*/operators o set password_hash = null, totp_secret = null, totp_last_step = null
  where o.id = $1
  returning o.id
), ended_passkeys as (
  delete from /*p*/operator_passkeys p using changed c where p.operator_id = c.id
), ended_sessions as (
  delete from /*p*/operator_sessions s using changed c where s.operator_id = c.id
), ended_links as (
  delete from /*p*/operator_links l using changed c where l.operator_id = c.id
), link as (
  insert into /*p*/operator_links (token_hash, operator_id, signs_in, expires_at)
  select $2, c.id, false, now() + make_interval(secs => $3::double precision) from changed c
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from changed, jsonb_array_elements($4::jsonb) e
)
select c.id from changed c;

-- name: add_sign_in_link
-- Of the operator of a development server, who is made if there is none of this name.
-- $1 name
-- $2 hash of the link
-- $3 lifetime of the link in seconds
with operator as (
  insert into /*p*/operators as o (name, role) values ($1, 'owner')
  on conflict (name) do update set name = o.name
  returning o.id
)
insert into /*p*/operator_links (token_hash, operator_id, signs_in, expires_at)
select $2, o.id, true, now() + make_interval(secs => $3::double precision) from operator o;

-- name: read_link
-- read
-- $1 hash of the link
select o.id, o.name, o.role, l.signs_in, l.totp_secret
from /*p*/operator_links l join /*p*/operators o on o.id = l.operator_id
where l.token_hash = $1 and l.expires_at > now();

-- name: keep_link_secret
-- The secret of an authenticator app, until a code of it comes.
-- $1 hash of the link
-- $2 sealed secret
update /*p*/operator_links l set totp_secret = $2 where l.token_hash = $1 and l.expires_at > now() returning l.operator_id;

-- name: use_link_for_passkey
-- Uses up a link: the passkey is stored, and the session opened. No row: the link was used before, or the credential is
-- registered already.
-- $1 hash of the link
-- $2 credential id
-- $3 public key
-- $4 signature counter
-- $5 transports, array
-- $6 backup eligible
-- $7 name of the passkey
-- $8 hash of the session
-- $9 user agent
-- $10 ip
-- $11 audit entries, array
with used as (
  delete from /*p*/operator_links l
  where l.token_hash = $1 and l.expires_at > now() and not l.signs_in
    and not exists (select from /*p*/operator_passkeys p where p.credential_id = $2)
  returning l.operator_id
), added as (
  insert into /*p*/operator_passkeys (operator_id, credential_id, public_key, sign_count, transports, backup_eligible,
    friendly_name, last_used_at)
  select u.operator_id, $2, $3, $4, $5, $6, $7, now() from used u
), signed_in as (
  update /*p*/operators o set last_sign_in_at = now() from used u where o.id = u.operator_id returning o.id
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from used, jsonb_array_elements($11::jsonb) e
)
insert into /*p*/operator_sessions (operator_id, token_hash, method, user_agent, ip)
select s.id, $8, 'passkey', $9, $10::inet from signed_in s
returning id;

-- name: use_link_for_password
-- The same for a password with an authenticator app.
-- $1 hash of the link
-- $2 sealed secret that the link has
-- $3 password hash
-- $4 secret, sealed for the operator
-- $5 step of the code
-- $6 hash of the session
-- $7 user agent
-- $8 ip
-- $9 audit entries, array
with used as (
  delete from /*p*/operator_links l
  where l.token_hash = $1 and l.expires_at > now() and not l.signs_in and l.totp_secret = $2
  returning l.operator_id
), signed_in as (
  update /*p*/operators o
  set password_hash = $3, totp_secret = $4, totp_last_step = $5, last_sign_in_at = now()
  from used u
  where o.id = u.operator_id
  returning o.id
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from used, jsonb_array_elements($9::jsonb) e
)
insert into /*p*/operator_sessions (operator_id, token_hash, method, user_agent, ip)
select s.id, $6, 'password', $7, $8::inet from signed_in s
returning id;

-- name: use_link_to_sign_in
-- The same for a link that signs in itself.
-- $1 hash of the link
-- $2 hash of the session
-- $3 user agent
-- $4 ip
-- $5 audit entries, array
with used as (
  delete from /*p*/operator_links l
  where l.token_hash = $1 and l.expires_at > now() and l.signs_in
  returning l.operator_id
), signed_in as (
  update /*p*/operators o set last_sign_in_at = now() from used u where o.id = u.operator_id returning o.id
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from used, jsonb_array_elements($5::jsonb) e
)
insert into /*p*/operator_sessions (operator_id, token_hash, method, user_agent, ip)
select s.id, $2, 'link', $3, $4::inet from signed_in s
returning id;

-- name: for_password
-- read
-- $1 name
select o.id, o.name, o.role, o.password_hash, o.totp_secret, o.totp_last_step
from /*p*/operators o where o.name = $1;

-- name: take_step
-- Uses up the step of a code. No row: it, or a later one, was used before, or the password has changed.
-- $1 operator id
-- $2 step of the code
-- $3 password hash that was checked
-- $4 the secret sealed with the current key, or null: it is already
-- $5 new hash of the same password, or null
update /*p*/operators o
set totp_last_step = $2, totp_secret = coalesce($4, o.totp_secret), password_hash = coalesce($5, o.password_hash)
where o.id = $1 and o.password_hash = $3 and (o.totp_last_step is null or o.totp_last_step < $2)
returning o.id;

-- name: passkey
-- read
-- $1 credential id
select p.id, p.public_key, p.sign_count, p.backup_eligible, o.id as operator_id, o.name, o.role
from /*p*/operator_passkeys p join /*p*/operators o on o.id = p.operator_id
where p.credential_id = $1;

-- name: use_passkey
-- No row: since it was read the passkey was removed, or used with a counter that is not lower.
-- $1 passkey id
-- $2 signature counter of the assertion
update /*p*/operator_passkeys p set sign_count = greatest(p.sign_count, $2::bigint), last_used_at = now()
where p.id = $1 and (p.sign_count < $2::bigint or p.sign_count = 0 and $2::bigint = 0)
returning p.id;

-- name: passkeys
-- read
-- $1 operator id
select p.id, p.friendly_name, p.created_at, p.last_used_at, p.credential_id
from /*p*/operator_passkeys p where p.operator_id = $1
order by p.created_at, p.id;

-- name: add_passkey
-- No row: the operator is gone, or the credential is registered already.
-- $1 operator id
-- $2 credential id
-- $3 public key
-- $4 signature counter
-- $5 transports, array
-- $6 backup eligible
-- $7 name
-- $8 audit entries, array
with added as (
  insert into /*p*/operator_passkeys (operator_id, credential_id, public_key, sign_count, transports, backup_eligible,
    friendly_name)
  select o.id, $2, $3, $4, $5, $6, $7 from /*p*/operators o where o.id = $1
  on conflict (credential_id) do nothing
  returning *
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from added, jsonb_array_elements($8::jsonb) e
)
select a.id, a.friendly_name, a.created_at, a.last_used_at, a.credential_id from added a;

-- name: remove_passkey
-- Not the last way to sign in. No row: there is no such passkey, or it is the last way.
-- $1 operator id
-- $2 passkey id
-- $3 audit entries, array
with locked as materialized (
  select o.id, o.password_hash from /*p*/operators o where o.id = $1 for no key update
), removed as (
  delete from /*p*/operator_passkeys p using locked l
  where p.id = $2 and p.operator_id = l.id
    and (l.password_hash is not null
      or exists (select from /*p*/operator_passkeys q where q.operator_id = l.id and q.id <> p.id))
  returning p.id
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from removed, jsonb_array_elements($3::jsonb) e
)
select r.id from removed r;

-- name: open_session
-- $1 operator id
-- $2 hash of the session
-- $3 method
-- $4 user agent
-- $5 ip
-- $6 audit entries, array
with signed_in as (
  update /*p*/operators o set last_sign_in_at = now() where o.id = $1 returning o.id
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from signed_in, jsonb_array_elements($6::jsonb) e
)
insert into /*p*/operator_sessions (operator_id, token_hash, method, user_agent, ip)
select s.id, $2, $3, $4, $5::inet from signed_in s
returning id;

-- name: session
-- The operator of a session. Its use is noted once a minute.
-- $1 hash of the session
-- $2 longest idle time in seconds
-- $3 longest lifetime in seconds
-- $4 the request shows that somebody is there
with found as (
  select s.id as session_id, s.method, s.proven_at, s.created_at, s.used_at, o.id, o.name, o.role,
    o.password_hash is not null as has_password,
    o.password_hash is not null or exists (
      select from /*p*/operator_passkeys p where p.operator_id = o.id) as has_factor
  from /*p*/operator_sessions s join /*p*/operators o on o.id = s.operator_id
  where s.token_hash = $1
    and s.used_at > now() - make_interval(secs => $2::double precision)
    and s.created_at > now() - make_interval(secs => $3::double precision)
), noted as (
  update /*p*/operator_sessions s set used_at = now()
  from found f
  where s.id = f.session_id and $4::boolean and s.used_at < now() - interval '1 minute'
)
select f.session_id, f.method, f.id, f.name, f.role, f.has_password, f.has_factor,
  extract(epoch from now() - f.proven_at)::double precision as proven_seconds_ago,
  f.created_at + make_interval(secs => $3::double precision) as ends_at
from found f;

-- name: step_up
-- The session gets another token. No row: it is gone.
-- $1 session id
-- $2 former hash of the session
-- $3 new hash of the session
-- $4 audit entries, array
with raised as (
  update /*p*/operator_sessions s set token_hash = $3, proven_at = now(), used_at = now()
  where s.id = $1 and s.token_hash = $2
  returning s.id
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from raised, jsonb_array_elements($4::jsonb) e
)
select r.id from raised r;

-- name: sessions
-- read
-- $1 operator id
-- $2 longest idle time in seconds
-- $3 longest lifetime in seconds
select s.id, s.method, s.user_agent, host(s.ip) as ip, s.created_at, s.used_at
from /*p*/operator_sessions s
where s.operator_id = $1
  and s.used_at > now() - make_interval(secs => $2::double precision)
  and s.created_at > now() - make_interval(secs => $3::double precision)
order by s.used_at desc, s.id;

-- name: end_session
-- $1 operator id
-- $2 session id
-- $3 audit entries, array
with ended as (
  delete from /*p*/operator_sessions s where s.id = $2 and s.operator_id = $1 returning s.id
), new_audit as (
  insert into /*p*/audit_log (payload) select e.value from ended, jsonb_array_elements($3::jsonb) e
)
select e.id from ended e;

-- name: forget_ended
-- Sessions that are over, and links that nobody has used.
-- $1 longest idle time in seconds
-- $2 longest lifetime in seconds
with ended_sessions as (
  delete from /*p*/operator_sessions s
  where s.used_at < now() - make_interval(secs => $1::double precision)
    or s.created_at < now() - make_interval(secs => $2::double precision)
)
delete from /*p*/operator_links l where l.expires_at < now();
