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

-- name: move_session_log
-- What triggers of sessions have left for the coordinator, in the order of writing.
with moved as (
  delete from /*p*/session_log returning session_id, user_id, type, details, created_at
), new_events as (
  insert into /*p*/events (type, user_id, data, created_at)
  select m.type, m.user_id, m.details, m.created_at
  from moved m cross join /*p*/event_log l
  where m.type is not null and /*p*/matches_event(l.types, m.type)
  order by m.created_at
), new_logouts as (
  insert into /*p*/oauth_logouts (client_id, user_id, session_id)
  select c.id, m.user_id, m.session_id
  from moved m join /*p*/oauth_clients c on c.id = (m.details ->> 'client_id')::uuid
  where m.type is null and c.backchannel_logout_uri is not null and c.deleted_at is null
)
select count(*)::int as moved from moved;

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
