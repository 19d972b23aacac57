-- What Citus says about the tables. Run only where AUTH_DB_CITUS is on, and by commands.

-- name: layout
-- How far the database is distributed.
-- read
select case when to_regclass('/*p*/new_sessions') is null then 'single'
  when exists (select from pg_dist_partition p where p.logicalrelid = to_regclass('/*p*/sessions')) then 'distributed'
  else 'prepared' end as layout;

-- name: shards
-- The shards of the sessions, by their range of hashes, the node of each, and the shard of session_records beside it; null: there is
-- none yet. While they are being distributed, the coordinator has one shard of all, which Citus splits.
-- read
select s.shardid as shard, r.shardid as records, coalesce(s.shardminvalue::integer, -2147483648) as lowest,
  coalesce(s.shardmaxvalue::integer, 2147483647) as highest,
  n.nodename as host, n.nodeport as port
from pg_dist_shard s
join pg_dist_placement p on p.shardid = s.shardid and p.shardstate = 1
join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
left join pg_dist_shard r
  on r.logicalrelid = to_regclass('/*p*/session_records') and r.shardminvalue = s.shardminvalue and r.shardmaxvalue = s.shardmaxvalue
where s.logicalrelid = '/*p*/sessions'::regclass
order by s.shardminvalue::integer;

-- name: copies
-- The only shard of the copy of each table.
-- read
select t.relname as copy, s.shardid as shard
from pg_dist_shard s join pg_class t on t.oid = s.logicalrelid
where t.oid in ('/*p*/node_users'::regclass, '/*p*/node_identities'::regclass, '/*p*/node_organizations'::regclass,
  '/*p*/node_organization_members'::regclass, '/*p*/node_oauth_clients'::regclass, '/*p*/node_sso_providers'::regclass,
  '/*p*/node_custom_providers'::regclass);

-- name: avoid_node
-- New sessions begin on other nodes for a while.
-- $1 host
-- $2 port
-- $3 seconds
insert into /*p*/avoided_nodes (group_id, until)
select n.groupid, now() + make_interval(secs => $3::double precision)
from pg_dist_node n where n.nodename = $1 and n.nodeport = $2::integer
on conflict (group_id) do update set until = excluded.until;

-- name: copy_sign_ins
-- Writes the times of sign-ins to the copies of the accounts; one process at a time does.
with mine as materialized (
  select l.user_id from /*p*/late_sign_ins l order by l.user_id limit 1000 for update skip locked
)
select /*p*/copy_sign_ins(array_agg(m.user_id)) as copied from mine m having count(*) > 0;

-- name: nodes
-- The shards of the sessions and their size, by node.
-- read
select n.nodename as host, n.nodeport as port, count(s.shardid)::int as shards, coalesce(sum(s.shard_size), 0)::bigint as bytes
from pg_dist_node n
left join citus_shards s
  on s.nodename = n.nodename and s.nodeport = n.nodeport and s.table_name = '/*p*/sessions'::regclass
where n.noderole = 'primary' and n.shouldhaveshards
group by n.nodename, n.nodeport
order by n.nodename, n.nodeport;

-- name: late_records
-- Records of log-outs that servers should have carried to the coordinator long ago.
-- read
select count(*)::int as late from /*p*/session_records r where r.created_at < now() - interval '5 minutes';

-- name: superseded
-- Whether the account of a session used another one later that has the same tag.
-- read
-- $1 session id
-- $2 tags, separated by commas
-- $3 maximum age of a session in seconds, or null
select true as is_superseded where /*p*/is_superseded($1, $2, $3);
