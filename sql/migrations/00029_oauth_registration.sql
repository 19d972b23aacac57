-- Clients that registered themselves: their management (RFC 7592), and the end of those that nobody uses.

-- SHA-256 of the registration access token, base64url; null: there is none.
alter table /*p*/oauth_clients add column registration_hash text;
-- The last use that is known. Only housekeeping moves it, so a refresh writes nothing here.
alter table /*p*/oauth_clients add column used_at timestamptz default now() not null;

create index /*p*/oauth_clients_used_idx on /*p*/oauth_clients (used_at)
  where deleted_at is null and registration = 'dynamic';
