-- Proof by DNS that a domain of a company is its own.
alter table /*p*/sso_domains
  -- The secret part of the TXT record.
  add column proof text not null default replace(gen_random_uuid()::text, '-', ''),
  -- Null: the record was not seen, or is gone for too long.
  add column verified_at timestamptz,
  add column seen_at timestamptz,
  -- When it was last looked for, with or without success.
  add column looked_at timestamptz;

create index /*p*/sso_domains_due_idx on /*p*/sso_domains (looked_at) where verified_at is not null;
