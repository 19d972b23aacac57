-- What is stored of passwords: of which kinds, and at what cost.

-- name: sample
-- Counts accounts by the kind and cost of their hash in part of the table's blocks, the same ones each time, so that what is
-- drawn from it changes only as the table does. The kind is null where there is no hash, or one of no kind that is known.
-- read
-- $1 percentage of the blocks
select k.kind, count(*)::int as accounts
from /*p*/users u tablesample system ($1::real) repeatable (1)
cross join lateral (
  select substring(u.password_hash from
    '^([$]argon2id?[$]v=19[$]m=[0-9]+,t=[0-9]+,p=[0-9]+|[$]2[aby][$][0-9]{2}|[$]fbscrypt[$]v=1,n=[0-9]+,r=[0-9]+,p=[0-9]+)')
) k (kind)
group by k.kind
order by 2 desc, 1
limit 20;
