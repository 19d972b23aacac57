-- Requests that clients have pushed (RFC 9126).

-- name: take
-- A browser comes with a request that its client has pushed (RFC 9126 4). It gets a new id, so that it comes only once,
-- and from now on waits as long as any other.
-- $1 its handle
-- $2 client id
-- $3 new id
-- $4 seconds a pushed request is valid
update /*p*/oauth_authorizations a
set id = $3, status = 'pending', created_at = now()
where a.id = $1 and a.client_id = $2 and a.status = 'pushed'
  and a.created_at > now() - make_interval(secs => $4::double precision)
returning a.login_hint, a.ui_locales;
