import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto';
import type pg from 'pg';

/** Creates the tables of supabase/auth that hold accounts and sessions, with their constraints, in a test database. */
export async function createPeerTables(admin: pg.Client): Promise<void> {
  await admin.query(`
    create schema auth;
    create type auth.aal_level as enum ('aal1', 'aal2', 'aal3');
    create type auth.factor_type as enum ('totp', 'webauthn', 'phone', 'recovery_code');
    create type auth.factor_status as enum ('unverified', 'verified');
    create table auth.users (
      instance_id uuid, id uuid primary key, aud varchar(255), role varchar(255), email varchar(255),
      encrypted_password varchar(255), email_confirmed_at timestamptz, invited_at timestamptz,
      confirmation_token varchar(255), confirmation_sent_at timestamptz, recovery_token varchar(255),
      recovery_sent_at timestamptz, email_change_token_new varchar(255), email_change varchar(255),
      email_change_sent_at timestamptz, last_sign_in_at timestamptz, raw_app_meta_data jsonb, raw_user_meta_data jsonb,
      is_super_admin boolean, created_at timestamptz, updated_at timestamptz, phone text unique default null,
      phone_confirmed_at timestamptz, phone_change text default '', phone_change_token varchar(255) default '',
      phone_change_sent_at timestamptz,
      confirmed_at timestamptz generated always as (least(email_confirmed_at, phone_confirmed_at)) stored,
      email_change_token_current varchar(255) default '',
      email_change_confirm_status smallint default 0 check (email_change_confirm_status between 0 and 2),
      banned_until timestamptz, reauthentication_token varchar(255) default '', reauthentication_sent_at timestamptz,
      is_sso_user boolean not null default false, deleted_at timestamptz, is_anonymous boolean not null default false
    );
    create unique index on auth.users (email) where is_sso_user = false;
    create unique index on auth.users (confirmation_token) where confirmation_token !~ '^[0-9 ]*$';
    create unique index on auth.users (recovery_token) where recovery_token !~ '^[0-9 ]*$';
    create unique index on auth.users (reauthentication_token) where reauthentication_token !~ '^[0-9 ]*$';
    create table auth.identities (
      provider_id text not null, user_id uuid not null references auth.users on delete cascade,
      identity_data jsonb not null, provider text not null, last_sign_in_at timestamptz, created_at timestamptz,
      updated_at timestamptz, email text generated always as (lower(identity_data ->> 'email')) stored,
      id uuid primary key default gen_random_uuid(), unique (provider_id, provider)
    );
    create index on auth.identities (user_id);
    create type auth.oauth_registration_type as enum ('dynamic', 'manual');
    create type auth.oauth_client_type as enum ('public', 'confidential');
    create table auth.oauth_clients (
      id uuid primary key, client_secret_hash text, registration_type auth.oauth_registration_type not null,
      redirect_uris text not null, grant_types text not null, client_name text check (char_length(client_name) <= 1024),
      client_uri text check (char_length(client_uri) <= 2048), logo_uri text check (char_length(logo_uri) <= 2048),
      created_at timestamptz not null default now(), updated_at timestamptz not null default now(), deleted_at timestamptz,
      client_type auth.oauth_client_type not null default 'confidential',
      token_endpoint_auth_method text not null
        check (token_endpoint_auth_method in ('client_secret_basic', 'client_secret_post', 'none'))
    );
    create table auth.oauth_consents (
      id uuid primary key, user_id uuid not null references auth.users on delete cascade,
      client_id uuid not null references auth.oauth_clients on delete cascade,
      scopes text not null check (char_length(scopes) <= 2048 and char_length(trim(scopes)) > 0),
      granted_at timestamptz not null default now(), revoked_at timestamptz check (revoked_at >= granted_at),
      unique (user_id, client_id)
    );
    create table auth.custom_oauth_providers (
      id uuid primary key default gen_random_uuid(), provider_type text not null check (provider_type in ('oauth2', 'oidc')),
      identifier text not null unique check (identifier ~ '^[a-z0-9][a-z0-9:-]{0,48}[a-z0-9]$'),
      name text not null check (char_length(name) between 1 and 100),
      client_id text not null check (char_length(client_id) between 1 and 512), client_secret text not null,
      acceptable_client_ids text[] not null default '{}', scopes text[] not null default '{}',
      pkce_enabled boolean not null default true, attribute_mapping jsonb not null default '{}',
      authorization_params jsonb not null default '{}', enabled boolean not null default true,
      email_optional boolean not null default false,
      issuer text check (provider_type <> 'oidc' or (issuer is not null and issuer like 'https://%')),
      discovery_url text check (discovery_url like 'https://%'), skip_nonce_check boolean not null default false,
      cached_discovery jsonb, discovery_cached_at timestamptz, authorization_url text check (authorization_url like 'https://%'),
      token_url text check (token_url like 'https://%'), userinfo_url text check (userinfo_url like 'https://%'),
      jwks_uri text check (jwks_uri like 'https://%'), created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(), custom_claims_allowlist text[] not null default '{}',
      check (provider_type <> 'oauth2'
        or (authorization_url is not null and token_url is not null and userinfo_url is not null))
    );
    create table auth.oauth_client_states (
      id uuid primary key, provider_type text not null, code_verifier text, created_at timestamptz not null
    );
    create table auth.sso_providers (
      id uuid primary key, resource_id text check (resource_id = null or char_length(resource_id) > 0),
      created_at timestamptz, updated_at timestamptz, disabled boolean
    );
    create unique index on auth.sso_providers (lower(resource_id));
    create table auth.sso_domains (
      id uuid primary key, sso_provider_id uuid not null references auth.sso_providers on delete cascade,
      domain text not null check (char_length(domain) > 0), created_at timestamptz, updated_at timestamptz
    );
    create index on auth.sso_domains (sso_provider_id);
    create unique index on auth.sso_domains (lower(domain));
    create table auth.saml_providers (
      id uuid primary key, sso_provider_id uuid not null references auth.sso_providers on delete cascade,
      entity_id text not null unique check (char_length(entity_id) > 0),
      metadata_xml text not null check (char_length(metadata_xml) > 0),
      metadata_url text check (metadata_url = null or char_length(metadata_url) > 0), attribute_mapping jsonb,
      created_at timestamptz, updated_at timestamptz, name_id_format text
    );
    create index on auth.saml_providers (sso_provider_id);
    create table auth.saml_relay_states (
      id uuid primary key, sso_provider_id uuid not null references auth.sso_providers on delete cascade,
      request_id text not null check (char_length(request_id) > 0), for_email text, redirect_to text,
      created_at timestamptz, updated_at timestamptz, flow_state_id uuid
    );
    create table auth.sessions (
      id uuid primary key, user_id uuid not null references auth.users on delete cascade, created_at timestamptz,
      updated_at timestamptz, factor_id uuid, aal auth.aal_level, not_after timestamptz,
      refreshed_at timestamp without time zone, user_agent text, ip inet, tag text,
      oauth_client_id uuid references auth.oauth_clients on delete cascade,
      refresh_token_hmac_key text, refresh_token_counter bigint, scopes text check (char_length(scopes) <= 4096)
    );
    create index on auth.sessions (user_id);
    create table auth.refresh_tokens (
      instance_id uuid, id bigserial primary key, token varchar(255) unique, user_id varchar(255), revoked boolean,
      created_at timestamptz, updated_at timestamptz, parent varchar(255),
      session_id uuid references auth.sessions on delete cascade
    );
    create index on auth.refresh_tokens (session_id, revoked);
    create table auth.mfa_factors (
      id uuid primary key, user_id uuid not null references auth.users on delete cascade, friendly_name text,
      factor_type auth.factor_type not null, status auth.factor_status not null, created_at timestamptz not null,
      updated_at timestamptz not null, secret text, phone text, last_challenged_at timestamptz unique,
      web_authn_credential jsonb, web_authn_aaguid uuid, last_webauthn_challenge_data jsonb, unique (user_id, phone)
    );
    create unique index on auth.mfa_factors (friendly_name, user_id) where trim(friendly_name) <> '';
    create index on auth.mfa_factors (user_id, created_at);
    create table auth.webauthn_credentials (
      id uuid primary key, user_id uuid not null references auth.users on delete cascade, credential_id bytea not null unique,
      public_key bytea not null, attestation_type text not null default '', aaguid uuid,
      sign_count bigint not null default 0, transports jsonb not null default '[]',
      backup_eligible boolean not null default false, backed_up boolean not null default false,
      friendly_name text not null default '', created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(), last_used_at timestamptz
    );
    create table auth.mfa_recovery_code_sets (
      id uuid primary key, user_id uuid not null unique references auth.users on delete cascade,
      mfa_factor_id uuid not null references auth.mfa_factors on delete cascade,
      failed_verification_count int not null default 0, verification_locked_until timestamptz,
      created_at timestamptz not null default now(), updated_at timestamptz not null default now()
    );
    create table auth.mfa_recovery_codes (
      id uuid primary key,
      mfa_recovery_code_set_id uuid not null references auth.mfa_recovery_code_sets on delete cascade,
      code_hash text not null, consumed_at timestamptz, created_at timestamptz not null default now()
    );
    create table auth.mfa_amr_claims (
      session_id uuid not null references auth.sessions on delete cascade, created_at timestamptz not null,
      updated_at timestamptz not null, authentication_method text not null, id uuid primary key,
      unique (session_id, authentication_method)
    )`);
}

/** Adds an account with one email identity. */
export async function addPeerUser(admin: pg.Client, email: string, id: string = randomUUID()): Promise<string> {
  await admin.query(
    `insert into auth.users (id, aud, role, email, email_confirmed_at, raw_app_meta_data, raw_user_meta_data,
       created_at, updated_at)
     values ($1, 'authenticated', 'authenticated', $2, '2024-01-01', '{"provider":"email","providers":["email"]}', '{}',
       '2024-01-01 10:00:00.123456+00', now())`,
    [id, email],
  );
  await admin.query(
    `insert into auth.identities (provider_id, user_id, identity_data, provider, created_at, updated_at)
     values ($1::text, $1::text::uuid, jsonb_build_object('sub', $1::text, 'email', $2::text), 'email', now(), now())`,
    [id, email],
  );
  return id;
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/** 12 random characters, as supabase/auth issues them. */
export const freshOpaqueToken = (): string => [...randomBytes(12)].map((byte) => ALPHABET[byte % 32]).join('');

/** Adds a session by password. @param columns of auth.sessions that differ */
export async function addPeerSession(
  admin: pg.Client,
  userId: string,
  columns: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const row: Record<string, unknown> = {
    id: randomUUID(),
    user_id: userId,
    created_at: '2026-01-01T10:00:00.123456Z',
    updated_at: '2026-01-01T10:00:00Z',
    aal: 'aal1',
    user_agent: 'Browser/1.0',
    ip: '203.0.113.7',
    ...columns,
  };
  await admin.query('insert into auth.sessions select * from jsonb_populate_record(null::auth.sessions, $1)', [row]);
  await admin.query(
    `insert into auth.mfa_amr_claims (session_id, created_at, updated_at, authentication_method, id)
     values ($1, '2026-01-01T10:00:00Z', '2026-01-01T10:00:00Z', 'password', gen_random_uuid())`,
    [row['id']],
  );
  return row['id'] as string;
}

/** Adds a chain of opaque tokens, each the parent of the next; all but the last are revoked. @returns the tokens */
export async function addPeerTokens(admin: pg.Client, sessionId: string, length = 1): Promise<string[]> {
  const tokens = Array.from({ length }, freshOpaqueToken);
  for (const [position, token] of tokens.entries()) {
    await admin.query(
      `insert into auth.refresh_tokens (token, user_id, revoked, created_at, updated_at, parent, session_id)
       select $1, user_id::text, $2, now() - interval '1 hour', now() - interval '1 hour', $3, id
       from auth.sessions where id = $4`,
      [token, position < length - 1, tokens[position - 1] ?? '', sessionId],
    );
  }
  return tokens;
}

/** Key of a session with tokens of version 2, as supabase/auth stores it. */
export const freshTokenKey = (): string => randomBytes(32).toString('base64url');

/** A token of version 2. */
export function sealPeerToken(sessionId: string, counter: number, key: string): string {
  const varint: number[] = [];
  for (let rest = counter; ; rest = Math.floor(rest / 128)) {
    varint.push(rest < 128 ? rest : (rest % 128) | 128);
    if (rest < 128) break;
  }
  const head = Buffer.concat([Buffer.of(0), Buffer.from(sessionId.replaceAll('-', ''), 'hex'), Buffer.from(varint)]);
  const mac = createHmac('sha256', Buffer.from(key, 'base64url')).update(head).digest().subarray(0, 16);
  const checksum = createHash('sha256').update(head).update(mac).digest().subarray(0, 4);
  return Buffer.concat([head, mac, checksum]).toString('base64url');
}
