-- Figures of the console's overview.

-- How often something happened on a day (UTC): `sign_in` by method and result, `sign_up`, `refresh`; and how many users were
-- `active` within a day, a week and a month. `scan` marks the hours in which sessions were counted.
create table /*p*/stats_daily (
  day date not null,
  name text not null,
  method text not null,
  result text not null,
  count bigint not null,
  primary key (day, name, method, result)
);

-- What each server thread does at present.
create unlogged table /*p*/live_figures (
  thread_id uuid primary key,
  figures jsonb not null,
  updated_at timestamptz not null
);
