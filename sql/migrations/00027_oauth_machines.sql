-- Role of the tokens that a client gets for itself (RFC 6749 4.4); null: the first of AUTH_OAUTH_SERVER_MACHINE_ROLES.
alter table /*p*/oauth_clients add column role text;
