-- Clients whose id is the address of a metadata document (docs/oauth-server.md, Clients).

-- Null: the id of the client is the UUID. Otherwise the UUID is made from this address, so it needs no index of its own.
alter table /*p*/oauth_clients add column url text;
-- Until then the copy of the document may be used.
alter table /*p*/oauth_clients add column fresh_until timestamptz;
