-- What `users import --from-gotrue` brought of second factors and passkeys. As with moved_accounts these rows outlive what
-- they are about: what was removed here does not come back.
create table /*p*/moved_factors (
  factor_id uuid primary key,
  -- Of the factor and its recovery codes as they were read.
  digest text not null,
  -- mfa_factors.updated_at as imported. Another value now: the factor has changed here since.
  updated_at timestamptz not null
);

create table /*p*/moved_passkeys (
  passkey_id uuid primary key,
  digest text not null,
  updated_at timestamptz not null
);
