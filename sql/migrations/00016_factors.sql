-- Second factors (docs/mfa.md). An account's factors are also listed in its row, so that every statement that returns the
-- account returns them, and an account without factors costs nothing.

create table /*p*/mfa_factors (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references /*p*/users (id) on delete cascade,
  kind text not null,
  status text not null default 'unverified',
  friendly_name text not null default '',
  -- Of totp: AES-256-GCM, with the id of the row as context.
  secret text,
  -- Of totp: the step (RFC 6238) of the last accepted code. A code of this step or an earlier one is refused.
  last_step bigint,
  phone text,
  -- Of recovery_code: tries in a row without success, and until when no more are taken.
  failed_tries smallint not null default 0,
  locked_until timestamptz,
  -- Of webauthn: the public key credential.
  credential jsonb,
  last_challenged_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint /*p*/mfa_factors_kind_check check (kind in ('totp', 'phone', 'webauthn', 'recovery_code')),
  constraint /*p*/mfa_factors_status_check check (status in ('unverified', 'verified'))
);

create unique index /*p*/mfa_factors_name_key on /*p*/mfa_factors (user_id, friendly_name) where friendly_name <> '';
create unique index /*p*/mfa_factors_phone_key on /*p*/mfa_factors (user_id, phone);
create unique index /*p*/mfa_factors_credential_key on /*p*/mfa_factors ((credential ->> 'id'));
create index /*p*/mfa_factors_unverified_idx on /*p*/mfa_factors (created_at) where status = 'unverified';
-- A user has one set of recovery codes.
create unique index /*p*/mfa_factors_recovery_key on /*p*/mfa_factors (user_id) where kind = 'recovery_code';
create index /*p*/mfa_factors_user_idx on /*p*/mfa_factors (user_id);

create table /*p*/mfa_challenges (
  id uuid primary key default gen_random_uuid(),
  factor_id uuid not null references /*p*/mfa_factors (id) on delete cascade,
  -- The session that opened it, and may answer it. No foreign key: it would slow down the end of every session.
  session_id uuid not null,
  ip inet,
  -- Of phone: keyed hash of the code.
  code_hash text,
  -- Of webauthn: the challenge of the ceremony, base64url.
  challenge text,
  tries smallint not null default 0,
  verified_at timestamptz,
  created_at timestamptz not null default now()
);

create table /*p*/mfa_recovery_codes (
  id uuid primary key default gen_random_uuid(),
  factor_id uuid not null references /*p*/mfa_factors (id) on delete cascade,
  -- Keyed hash; an Argon2id string if it was imported.
  code_hash text not null,
  consumed_at timestamptz,
  created_at timestamptz not null default now()
);

create index /*p*/mfa_recovery_codes_factor_idx on /*p*/mfa_recovery_codes (factor_id);

create index /*p*/mfa_challenges_factor_idx on /*p*/mfa_challenges (factor_id);
create index /*p*/mfa_challenges_created_idx on /*p*/mfa_challenges (created_at);

-- Method of each second factor that has raised the session → id of the factor. Null: none, and aal is aal1.
alter table /*p*/sessions add column second_factors jsonb;

-- Null without factors.
alter table /*p*/users add column factors jsonb;

create function /*p*/factor_summary(f /*p*/mfa_factors) returns jsonb
language sql stable
as $$
  select jsonb_build_object('id', f.id, 'kind', f.kind, 'status', f.status, 'friendly_name', f.friendly_name,
    'phone', f.phone, 'aaguid', f.credential ->> 'aaguid', 'last_challenged_at', f.last_challenged_at,
    'created_at', f.created_at, 'updated_at', f.updated_at)
$$;

-- sessions.second_factors without a factor; null: nothing is left.
create function /*p*/without_factor(second_factors jsonb, factor_id uuid) returns jsonb
language sql immutable
as $$
  select jsonb_object_agg(m.key, m.value) from jsonb_each(second_factors) m where m.value <> to_jsonb(factor_id)
$$;

create function /*p*/list_factors_of_user() returns trigger
language plpgsql
set search_path from current
as $$
begin
  update /*p*/users u
  set factors = (
    select jsonb_agg(/*p*/factor_summary(f) order by f.created_at, f.id) from /*p*/mfa_factors f where f.user_id = u.id)
  where u.id in (old.user_id, new.user_id);
  return null;
end
$$;

create trigger /*p*/mfa_factors_list_in_user
after insert or delete or update of user_id, kind, status, friendly_name, phone, last_challenged_at, created_at, updated_at
on /*p*/mfa_factors
for each row execute function /*p*/list_factors_of_user();
