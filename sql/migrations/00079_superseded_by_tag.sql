-- Whether the account of a session used another one later that has the same tag (AUTH_SESSIONS_TAGS). A function, since four statements ask
-- it, and cheap by its own word, since the planner counts a sub-select also where no tags are set: where accounts have many sessions,
-- a plan without it looked so much cheaper than the one for all that each refresh was planned anew, at three times the cost of running it.
create function /*p*/is_superseded_by_tag(session uuid, owner uuid, own_tag text, used_at timestamptz, tags text,
  timebox_seconds double precision) returns boolean
language plpgsql stable cost 1
set search_path from current
as $$
begin
  return exists (
    select from /*p*/sessions o
    where o.user_id = owner and o.id <> session and o.revoked_at is null and o.oauth_client_id is null and o.act is null
      and (o.not_after is null or o.not_after > now())
      and (timebox_seconds is null or o.created_at > now() - make_interval(secs => timebox_seconds))
      and coalesce(o.refreshed_at, o.created_at) > used_at
      and case when o.tag = any(string_to_array(tags, ',')) then o.tag else split_part(tags, ',', 1) end
        = case when own_tag = any(string_to_array(tags, ',')) then own_tag else split_part(tags, ',', 1) end);
end
$$;
