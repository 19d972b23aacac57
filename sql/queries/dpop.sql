-- Proofs of possession (RFC 9449). All instances share what they remember.

-- name: use_proof
-- Uses up a proof. No row: it was used before.
-- $1 hash of its key and its id
-- $2 its end, seconds since the epoch
insert into /*p*/dpop_proofs (id, expires_at)
values ($1, to_timestamp($2::double precision))
on conflict (id) do nothing
returning true as is_new;
