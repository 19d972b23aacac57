/** Accounts made by SQL, as many as a large installation has. */
import type pg from 'pg';

/** In order of age, the newest first: address 0000001, 0000002, … */
export const addressOf = (n: number): string => `u${String(n).padStart(7, '0')}@example.com`;

/** Which of the accounts are what: each so-manieth, counted from the newest. */
export const EVERY = { phone: 10, github: 7, unconfirmed: 9, banned: 100, session: 10 } as const;

/**
 * Accounts of one second's distance, each with an identity and an audit entry of its sign-in; some have a number, another
 * provider, a ban, a session, or are not confirmed ({@link EVERY}).
 */
export async function addManyUsers(admin: pg.Client, count: number): Promise<void> {
  await admin.query(
    `insert into users (id, aud, role, email, phone, email_confirmed_at, banned_until, last_sign_in_at, app_metadata,
      created_at)
    select md5('user ' || n)::uuid, 'authenticated', 'authenticated', 'u' || lpad(n::text, 7, '0') || '@example.com',
      case when n % $2::int = 0 then (15550000000 + n)::text end, case when n % $3::int > 0 then now() end,
      case when n % $4::int = 0 then 'infinity'::timestamptz end, now() - n * interval '1 second',
      case when n % $5::int = 0 then '{"provider":"github","providers":["github"]}'::jsonb
        else '{"provider":"email","providers":["email"]}' end,
      now() - n * interval '1 second'
    from generate_series(1, $1::int) n`,
    [count, EVERY.phone, EVERY.unconfirmed, EVERY.banned, EVERY.github],
  );
  await admin.query(
    `insert into identities (user_id, provider, provider_id, identity_data)
    select id, app_metadata ->> 'provider', id::text, jsonb_build_object('sub', id, 'email', email) from users`,
  );
  await admin.query(
    `insert into audit_log (payload, created_at)
    select jsonb_build_object('action', 'login', 'actor_id', id, 'actor_username', email, 'log_type', 'account'), created_at
    from users`,
  );
  await admin.query(
    `insert into sessions (user_id, created_at)
    select md5('user ' || n)::uuid, now() from generate_series($2::int, $1::int, $2::int) n`,
    [count, EVERY.session],
  );
  await admin.query('analyze');
}
