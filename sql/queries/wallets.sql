-- Sign-in with a wallet.

-- name: use_message
-- Uses up what a wallet signed, and finds the identities that its address has by any of its spellings.
-- $1 ids of the message and of its nonce
-- $2 their ends, seconds since the epoch
-- $3 subjects
with used as (
  insert into /*p*/used_challenges (id, expires_at)
  select c.id, to_timestamp(c.seconds) from unnest($1::uuid[], $2::double precision[]) as c (id, seconds)
  on conflict (id) do nothing
  returning id
)
select (select count(*)::int from used) as used,
  (select array_agg(i.provider_id order by i.created_at, i.id)
    from /*p*/identities i
    where i.provider = 'web3' and i.provider_id = any($3::text[])) as known;
