-- Clients of the authorization server that prove themselves by a key (private_key_jwt: RFC 7523, OpenID Connect Core 9).
alter table /*p*/oauth_clients
  -- Public keys of the client (RFC 7517 5), or where it publishes them.
  add column jwks jsonb,
  add column jwks_uri text,
  drop constraint /*p*/oauth_client_method_check,
  add constraint /*p*/oauth_client_method_check
    check (auth_method in ('none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'));
