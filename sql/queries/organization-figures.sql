-- Figures of organizations, for metrics.

-- name: counts
-- How many there are. Each is counted up to a number, since counting millions takes a second: beyond it, what Postgres knew when it
-- looked last.
-- read
-- $1 how many are counted at most
select
  case when o.counted < $1::bigint then o.counted else greatest(o.counted, (
    select c.reltuples::bigint from pg_class c where c.oid = '/*p*/organizations'::regclass)) end::int as organizations,
  case when m.counted < $1::bigint then m.counted else greatest(m.counted, (
    select c.reltuples::bigint from pg_class c where c.oid = '/*p*/organization_members'::regclass)) end::int as members,
  i.counted::int as pending
from (
  select count(*) as counted from (select from /*p*/organizations n order by n.id limit $1::bigint) s
) o, (
  select count(*) as counted
  from (select from /*p*/organization_members n order by n.organization_id, n.user_id limit $1::bigint) s
) m, (
  select count(*) as counted
  from (
    select from /*p*/organization_invitations n
    where n.state = 'pending' and n.expires_at > now()
    order by n.organization_id, n.created_at desc, n.id desc
    limit $1::bigint
  ) s
) i;
