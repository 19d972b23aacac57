-- Tokens that are bound to a key of their client (RFC 9449).

-- Every request of the client for tokens needs a proof.
alter table /*p*/oauth_clients add column dpop_bound_access_tokens boolean not null default false;
-- Thumbprint of the key that the code of a request is bound to; null: of any, or none.
alter table /*p*/oauth_authorizations add column dpop_jkt text;

-- Proofs that were used, so that none is used again. They are valid for a minute, and may be lost with a crash.
create unlogged table /*p*/dpop_proofs (
  -- SHA-256 of the thumbprint of the key and of the id of the proof.
  id bytea primary key,
  expires_at timestamptz not null
);

create index /*p*/dpop_proofs_expires_idx on /*p*/dpop_proofs (expires_at);
