-- The console lists who has allowed a client something, newest first.
create index /*p*/oauth_consents_granted_idx on /*p*/oauth_consents (client_id, granted_at, user_id) where revoked_at is null;
