-- Who users are to a client: their id, or a name that clients of other sectors do not know (OpenID Connect Core 8).
alter table /*p*/oauth_clients
  add column subject_type text not null default 'public',
  -- Lists the redirect URIs of all clients of the sector.
  add column sector_identifier_uri text,
  add constraint /*p*/oauth_client_subject_check check (subject_type in ('public', 'pairwise'));
