-- What Citus says about the tables. Run only where AUTH_DB_CITUS is on, and by commands.

-- name: shards
-- The shards of the sessions, by their range of hashes, and the node of each.
-- read
select s.shardid as shard, s.shardminvalue::integer as lowest, s.shardmaxvalue::integer as highest,
  n.nodename as host, n.nodeport as port
from pg_dist_shard s
join pg_dist_placement p on p.shardid = s.shardid and p.shardstate = 1
join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
where s.logicalrelid = '/*p*/sessions'::regclass
order by s.shardminvalue::integer;
