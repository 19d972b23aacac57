-- Refresh tokens of supabase/auth whose sessions were imported.

-- name: are_there
-- Whether any session was imported.
-- read
select (select m.session_id from /*p*/moved_sessions m order by m.session_id limit 1) is not null as are_there;

-- name: opaque
-- Which token of ours an opaque one stands for. moved_generation is that of the session when it was imported. After a
-- change of the secret and another import there may be two hashes; that of the later import counts.
-- read
-- $1 keyed hashes of the token, one for each accepted secret
select t.session_id, t.generation, m.generation as moved_generation
from /*p*/moved_tokens t join /*p*/moved_sessions m on m.session_id = t.session_id
where t.token_hash = any($1::text[])
order by t.generation desc
limit 1;

-- name: token_key
-- The sealed key of the tokens that name this session. No row: it was not imported, has none, or has ended.
-- read
-- $1 session id
select m.token_key, m.generation as moved_generation
from /*p*/moved_sessions m join /*p*/sessions s on s.id = m.session_id
where m.session_id = $1 and m.token_key is not null;
