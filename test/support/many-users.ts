/** Accounts made by SQL, as many as a large installation has. */
import type pg from 'pg';

/** In order of age, the newest first: address 0000001, 0000002, … */
export const addressOf = (n: number): string => `u${String(n).padStart(7, '0')}@example.com`;

/** Accounts of one second's distance, each with an identity. One in a thousand has a number. */
export async function addManyUsers(admin: pg.Client, count: number): Promise<void> {
  await admin.query(
    `insert into users (id, aud, role, email, phone, email_confirmed_at, app_metadata, created_at)
    select md5('user ' || n)::uuid, 'authenticated', 'authenticated', 'u' || lpad(n::text, 7, '0') || '@example.com',
      case when n % 1000 = 0 then (15550000000 + n)::text end, now(), '{"provider":"email","providers":["email"]}',
      now() - n * interval '1 second'
    from generate_series(1, $1::int) n`,
    [count],
  );
  await admin.query(
    `insert into identities (user_id, provider, provider_id, identity_data)
    select id, 'email', id::text, jsonb_build_object('sub', id, 'email', email) from users`,
  );
  await admin.query('analyze');
}
