-- Disables on the workers the triggers of the copies that each node has: what they do is done once, on the coordinator, and reaches
-- the workers as any other write does. Those that run before a row is written stay, for they change the row itself.
do $$
declare
  copy record;
  kept record;
  name text;
begin
  for copy in
    select p.logicalrelid, s.shardid from pg_dist_partition p join pg_dist_shard s on s.logicalrelid = p.logicalrelid
    where p.partmethod = 'n' and p.repmodel = 't' and exists (
      select from pg_trigger t where t.tgrelid = p.logicalrelid and not t.tgisinternal)
  loop
    select c.relname || '_' || copy.shardid into name from pg_class c where c.oid = copy.logicalrelid;
    perform r.success from run_command_on_workers(format('alter table %I disable trigger user', name)) r;
    for kept in
      select t.tgname from pg_trigger t where t.tgrelid = copy.logicalrelid and not t.tgisinternal and t.tgtype & 2 = 2
    loop
      perform r.success from run_command_on_workers(
        format('alter table %I enable trigger %I', name, kept.tgname || '_' || copy.shardid)) r;
    end loop;
  end loop;
end
$$;
