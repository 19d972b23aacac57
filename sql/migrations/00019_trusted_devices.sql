-- Devices that stand for a second factor at sign-in (docs/mfa.md, Trusted devices). They end with their factor.

create table /*p*/mfa_trusted_devices (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references /*p*/users (id) on delete cascade,
  -- The factor that was verified.
  factor_id uuid not null references /*p*/mfa_factors (id) on delete cascade,
  name text not null default '',
  -- Keyed hash.
  token_hash text not null,
  -- Also the time of that verification.
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  expires_at timestamptz not null
);

create unique index /*p*/mfa_trusted_devices_token_key on /*p*/mfa_trusted_devices (token_hash);
create index /*p*/mfa_trusted_devices_user_idx on /*p*/mfa_trusted_devices (user_id);
create index /*p*/mfa_trusted_devices_factor_idx on /*p*/mfa_trusted_devices (factor_id);

-- In the transaction of every change of a password and every ban, whichever statement makes it.
create function /*p*/end_trusted_devices() returns trigger
language plpgsql
set search_path from current
as $$
begin
  -- A sign-in that renews the hash of an unchanged password says so.
  if coalesce(current_setting('latchkey.renewed_hash', true), '') = '' then
    delete from /*p*/mfa_trusted_devices d where d.user_id = new.id;
  end if;
  return null;
end
$$;

create trigger /*p*/users_end_trusted_devices
after update of password_hash, banned_until on /*p*/users
for each row when (old.password_hash is distinct from new.password_hash
  or new.banned_until is distinct from old.banned_until and new.banned_until > now())
execute function /*p*/end_trusted_devices();
