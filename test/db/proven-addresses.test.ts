import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { migrate } from '../../src/db/migrate.js';
import { ownMigrationsDirectory } from '../../src/db/migration-files.js';
import { createTestDatabase } from '../support/database.js';
import { t } from '../support/tap.js';

const FILE = readdirSync(ownMigrationsDirectory).find((name) => name.endsWith('_proven_addresses.sql'))!;

const [EARLY, LATE] = ["'2026-01-01'", "'2026-02-01'"];

/** An account of an earlier release, and what the database shows of its addresses. */
interface Former {
  readonly columns: Readonly<Record<string, string>>;
  /** Rows beside it; `$id` is the account. */
  readonly rows: readonly string[];
  readonly isProven: boolean;
}

const identity = (provider: string, data: string, createdAt: string) =>
  `insert into identities (user_id, provider, provider_id, identity_data, created_at)
    values ('$id', '${provider}', '$id', '${data}'::jsonb || '{"email": "$id@example.com"}', ${createdAt})`;
const entry = (createdAt: string, payload: string) =>
  `insert into audit_log (payload, created_at) values ('${payload}', ${createdAt})`;
const byEmail = { email: "'$id@example.com'", email_confirmed_at: EARLY, created_at: EARLY };
const byPhone = { phone: "'$phone'", phone_confirmed_at: LATE, created_at: EARLY };

const formers: Readonly<Record<string, Former>> = {
  'a sign-up with autoconfirm': {
    columns: byEmail,
    rows: [identity('email', '{"email_verified": false}', EARLY)],
    isProven: false,
  },
  'a sign-up whose link was followed': {
    columns: { ...byEmail, email_confirmed_at: LATE },
    rows: [identity('email', '{"email_verified": true}', EARLY)],
    isProven: true,
  },
  'the first address of an anonymous user, with autoconfirm': {
    columns: { ...byEmail, email_confirmed_at: LATE },
    rows: [identity('email', '{"email_verified": true}', LATE)],
    isProven: false,
  },
  'the same, by a link': {
    columns: { ...byEmail, email_confirmed_at: LATE, email_change_sent_at: LATE },
    rows: [identity('email', '{"email_verified": true}', LATE)],
    isProven: true,
  },
  'a provider that vouches for it': {
    columns: byEmail,
    rows: [identity('github', '{"email_verified": true}', EARLY)],
    isProven: true,
  },
  'an administrator who created the account': {
    columns: byEmail,
    rows: [
      identity('email', '{"email_verified": false}', EARLY),
      entry(EARLY, '{"action": "user_signedup", "traits": {"user_id": "$id"}}'),
    ],
    isProven: true,
  },
  'an import': {
    columns: byEmail,
    rows: [`insert into moved_accounts (user_id, digest, updated_at) values ('$id', 'd', ${LATE})`],
    isProven: true,
  },
  'a number with autoconfirm, switched on later': {
    columns: byPhone,
    rows: [
      entry(LATE, '{"action": "user_signedup", "actor_id": "$id"}'),
      entry(LATE, '{"action": "login", "actor_id": "$id"}'),
    ],
    isProven: false,
  },
  'the code of a sign-up': {
    columns: byPhone,
    rows: [entry(LATE, '{"action": "user_signedup", "actor_id": "$id"}')],
    isProven: true,
  },
  'a change that needed no code': {
    columns: byPhone,
    rows: [identity('phone', '{"phone_verified": true}', EARLY)],
    isProven: false,
  },
};

t.test(
  'the migration counts an address as proven where the database shows it, and says what it leaves out',
  async (t) => {
    const { url, admin } = await createTestDatabase(t, { isEmpty: true });
    const directory = t.testdir();
    const copy = (isCopied: (name: string) => boolean) => {
      for (const name of readdirSync(ownMigrationsDirectory).filter(isCopied)) {
        copyFileSync(join(ownMigrationsDirectory, name), join(directory, name));
      }
    };
    copy((name) => name < FILE);
    const options = { url, prefix: '', directory };
    await migrate(options);
    for (const [index, { columns, rows }] of Object.values(formers).entries()) {
      const id = `00000000-0000-4000-8000-0000000000${String(index).padStart(2, '0')}`;
      const fill = (text: string) => text.replaceAll('$id', id).replaceAll('$phone', `155500000${10 + index}`);
      const names = Object.keys(columns).join(', ');
      await admin.query(
        fill(
          `insert into users (id, aud, ${names}) values ('$id', 'authenticated', ${Object.values(columns).join(', ')})`,
        ),
      );
      for (const row of rows) await admin.query(fill(row));
    }
    copy((name) => name === FILE);
    const { notices } = await migrate(options);
    const { rows } = await admin.query(
      `select coalesce(proven_email = email, false) or coalesce(proven_phone = phone, false) as is_proven from users order by id`,
    );
    for (const [index, [name, { isProven }]] of Object.entries(formers).entries()) {
      t.equal(rows[index].is_proven, isProven, name);
    }
    t.match(notices, [/^4 of 10 confirmed addresses count as unproven/]);
  },
);
