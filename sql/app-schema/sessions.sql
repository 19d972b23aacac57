-- Sessions for readers in SQL, where the other server has no table of that name.
create or replace view /*a*/sessions as
select s.id, s.user_id, s.created_at, s.aal, s.not_after, s.user_agent, s.ip
from /*p*/sessions s
where s.revoked_at is null;

do $$
begin
  -- The rights are those of the reader. Before release 15 they are those of the owner, and the view is granted to no role.
  if current_setting('server_version_num')::integer >= 150000 then
    alter view /*a*/sessions set (security_invoker = true);
  end if;
end
$$;
