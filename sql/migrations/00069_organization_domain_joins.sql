-- Who joins an organization by an address of its domain, and domains whose record is looked for again (docs/organizations.md, Domains).
alter table /*p*/organization_domains
  -- Who has proven an address of it joins at the next sign-in.
  add column auto_join boolean not null default false,
  -- Of those who join so. Sorted.
  add column roles text[] not null default '{member}',
  -- An administrator has vouched for it: there need not be a record.
  add column by_admin boolean not null default false,
  -- Null: not since this column is there.
  add column seen_at timestamptz,
  -- When the record was last looked for, with or without success.
  add column looked_at timestamptz;

-- Those by which users join.
create index /*p*/organization_domains_join_idx on /*p*/organization_domains (domain)
  where auto_join and verified_at is not null;
-- Those that are looked at again.
create index /*p*/organization_domains_due_idx on /*p*/organization_domains (coalesce(looked_at, verified_at))
  where verified_at is not null and not by_admin;

-- Who has left an organization, or was removed, does not join it again by a sign-in.
create table /*p*/organization_former_members (
  organization_id uuid not null references /*p*/organizations (id) on delete cascade,
  user_id uuid not null references /*p*/users (id) on delete cascade,
  left_at timestamptz not null default now(),
  primary key (user_id, organization_id)
);

create index /*p*/organization_former_idx on /*p*/organization_former_members (organization_id);
