-- Where a client may send users back to after it has signed them out (OpenID Connect RP-Initiated Logout 1.0, 3.1).
alter table /*p*/oauth_clients add column post_logout_redirect_uris text[] not null default '{}';
