-- Events of sessions need no trigger to be switched on.
do $$
declare
  given text := pg_get_functiondef('/*p*/renew_event_recording()'::regprocedure);
  changed text := regexp_replace(given, '\(''/*p*/sessions'', ''/*p*/sessions_record_events'', ''[{]session[}]''\),', '');
begin
  if changed = given and given like '%/*p*/sessions_record_events%' then
    raise exception '/*p*/renew_event_recording is not as this release knows it';
  end if;
  execute changed;
end
$$;
