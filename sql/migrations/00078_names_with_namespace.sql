-- Two functions named a parameter by their own name, which has a prefix where AUTH_DB_NAMESPACE is set: there an account could not be
-- deactivated by SCIM, and no write succeeded whose event a webhook wanted. The texts are changed where they stand, since those of a
-- distributed database are others (sql/citus/triggers.sql).
do $$
begin
  execute replace(pg_get_functiondef('/*p*/record_event(text,uuid,jsonb)'::regprocedure), 'record_event.type', '$1');
  execute replace(pg_get_functiondef('/*p*/settle_scim_ban(uuid)'::regprocedure), 'settle_scim_ban.id', '$1');
end
$$;
