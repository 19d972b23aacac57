-- Domains of organizations, and their proof by DNS (docs/organizations.md, Domains).

create table /*p*/organization_domains (
  organization_id uuid not null references /*p*/organizations (id) on delete cascade,
  -- Lower case, as in addresses.
  domain text not null,
  -- The secret part of the TXT record.
  proof text not null default replace(gen_random_uuid()::text, '-', ''),
  created_at timestamptz not null default now(),
  -- Null: the record was not seen.
  verified_at timestamptz,
  primary key (organization_id, domain)
);

-- Any number may want a domain, one has it.
create unique index /*p*/organization_domains_key on /*p*/organization_domains (domain)
  where verified_at is not null;
