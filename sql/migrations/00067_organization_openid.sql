-- Custom identity providers of organizations (docs/organizations.md, Single sign-on).
alter table /*p*/custom_providers
  -- Null: it belongs to the installation.
  add column organization_id uuid references /*p*/organizations (id) on delete cascade,
  -- Of those who join the organization by a sign-in there. Sorted.
  add column roles text[] not null default '{member}',
  -- Other roles by what claims say: array of {attribute, value, roles}.
  add column role_mapping jsonb not null default '[]';

create index /*p*/custom_providers_org_idx on /*p*/custom_providers (organization_id) where organization_id is not null;
