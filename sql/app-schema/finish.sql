-- The last step of a move: the other server does not come back to its tables as they are, so its secrets go. Tables that an older
-- release lacks are left out. Then its sessions make place for the view.
do $$
declare
  table_name text;
begin
  update /*a*/users m
  set encrypted_password = '', confirmation_token = '', recovery_token = '', email_change_token_new = '',
    email_change_token_current = '', phone_change_token = '', reauthentication_token = ''
  where m.encrypted_password <> '' or m.confirmation_token <> '' or m.recovery_token <> ''
    or m.email_change_token_new <> '' or m.email_change_token_current <> '' or m.phone_change_token <> ''
    or m.reauthentication_token <> '';
  -- A further import would take the empty passwords for news.
  delete from /*p*/moved_accounts;
  foreach table_name in array array['refresh_tokens', 'one_time_tokens', 'flow_state', 'saml_relay_states', 'mfa_challenges',
    'mfa_recovery_codes', 'mfa_recovery_code_sets', 'mfa_factors', 'webauthn_challenges', 'webauthn_credentials',
    'oauth_authorizations', 'oauth_client_states', 'oauth_consents', 'oauth_clients', 'custom_oauth_providers'] loop
    if to_regclass(format('%s.%I', '/*a*/', table_name)) is not null then
      execute format('delete from %s.%I', '/*a*/', table_name);
    end if;
  end loop;
  if (select c.relkind from pg_class c where c.oid = to_regclass('/*a*/sessions')) = 'r' then
    delete from /*a*/sessions;
    alter table /*a*/sessions rename to sessions_of_supabase_auth;
  end if;
end
$$;
