-- Kinds and costs of stored password hashes.

-- name: sample
-- Counts accounts by kind and cost of their hash, in a sample of the table's blocks. The sample is the same each time,
-- so the result changes only with the table. The kind is null without a hash, or with one of an unknown kind.
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
