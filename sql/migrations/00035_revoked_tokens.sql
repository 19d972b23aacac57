-- Tokens that clients got for themselves and gave up (RFC 7009). No session stands behind one that could be marked.
create table /*p*/oauth_revoked_tokens (
  -- `jti` of the token.
  id uuid primary key,
  -- That of the token: from then on it is not valid in any case.
  expires_at timestamptz not null
);

create index /*p*/oauth_revoked_tokens_end_idx on /*p*/oauth_revoked_tokens (expires_at);
