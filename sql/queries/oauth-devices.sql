-- Requests of devices (RFC 8628). Approval, denial and redemption are those of all requests (oauth-authorizations).

-- name: begin
-- No row: the user code is taken.
-- $1 request id
-- $2 client id
-- $3 scope as sent
-- $4 scopes
-- $5 resources
-- $6 hash of the device code
-- $7 user code
-- $8 least seconds between two polls
-- $9 user agent
-- $10 ip
-- $11 id or slug of the organization that the client names, or null
insert into /*p*/oauth_authorizations (id, client_id, scope, scopes, resources, code_hash, user_code, poll_seconds,
  user_agent, ip, asked_organization)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::inet, $11)
on conflict (user_code) where user_code is not null do nothing
returning id;

-- name: find
-- What a device asks for, also once it is decided.
-- read
-- $1 user code
-- $2 seconds a request is valid
select row_to_json(a) as request, row_to_json(c) as client
from /*p*/oauth_authorizations a join /*p*/oauth_clients c on c.id = a.client_id and c.deleted_at is null
where a.user_code = $1 and a.created_at > now() - make_interval(secs => $2::double precision);

-- name: poll
-- The device asks whether its user has decided. One that asks too early has to wait five seconds longer from then on
-- (RFC 8628 3.5).
-- $1 hash of the device code
-- $2 client id
-- $3 seconds a request is valid
with asked as (
  select a.id, coalesce(a.polled_at > now() - make_interval(secs => a.poll_seconds), false) as is_early
  from /*p*/oauth_authorizations a
  where a.code_hash = $1 and a.client_id = $2 and a.user_code is not null
  for no key update
)
update /*p*/oauth_authorizations a
set polled_at = now(), poll_seconds = a.poll_seconds + case when p.is_early then 5 else 0 end
from asked p
where a.id = p.id
returning a.status, p.is_early, a.created_at <= now() - make_interval(secs => $3::double precision) as is_expired;
