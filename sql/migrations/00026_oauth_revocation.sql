-- The access tokens of a client's session that were issued until then are revoked (RFC 7009).
alter table /*p*/sessions add column tokens_revoked_at timestamptz;

-- Resources (RFC 8707) that a client serves: it may ask about their tokens (RFC 7662).
alter table /*p*/oauth_clients add column resources text[] not null default '{}';
