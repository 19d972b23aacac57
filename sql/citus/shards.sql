-- For statements that a node runs on the tables of a shard, without Citus. A shard that is moved leaves its tables behind for some
-- time, and what is written there is lost, so a statement makes sure that its shard is still on this node.

-- For a statement that reads: shard and rows are seen at the same time. A primary that became a standby has its shards, too, but not
-- yet all that its successor wrote.
create or replace function /*p*/assert_shard(shard bigint) returns boolean
language plpgsql
stable
as $$
begin
  if pg_is_in_recovery() or not exists (
    select from pg_dist_placement p join pg_dist_local_group g on g.groupid = p.groupid
    where p.shardid = shard and p.shardstate = 1) then
    raise exception 'shard % is not on this node', shard using errcode = 'LK001';
  end if;
  return true;
end
$$;

-- For a statement that writes: the shard stays until its transaction ends. Citus takes the same lock for its own writes, and locks a
-- shard against it before it switches to another node. A function that may write sees what was committed while it waited.
create or replace function /*p*/hold_shard(shard bigint) returns boolean
language plpgsql
volatile
as $$
begin
  perform lock_shard_metadata(5, array[shard]);
  return /*p*/assert_shard(shard);
end
$$;
