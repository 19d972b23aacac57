import { samplePasswordKinds } from '../../src/db/password-kinds.js';
import { openDatabase } from '../../src/db/pool.js';
import type { Database, SqlValue } from '../../src/db/types.js';
import { createTestDatabase } from '../support/database.js';
import { silentLog } from '../support/sql-files.js';
import { type Test, t } from '../support/tap.js';

const ARGON2 = `$argon2id$v=19$m=19456,t=2,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;
const ARGON2_DEARER = ARGON2.replace('t=2', 't=3');
const BCRYPT = `$2y$11$${'a'.repeat(53)}`;
const FIREBASE = '$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=AAAA$AAAA$AAAA';

async function openUsers(t: Test) {
  const { url, admin } = await createTestDatabase(t);
  const db = openDatabase({ url, maxConnections: 2, prefix: '', preparedStatements: true, log: silentLog });
  t.teardown(() => db.close());
  const percentages: SqlValue[] = [];
  const watched: Database = {
    ...db,
    run: (name, values) => {
      percentages.push(values[0]!);
      return db.run(name, values);
    },
  };
  /** @param hashes of each ten accounts */
  const fill = (count: number, hashes: (string | null)[]) =>
    admin.query(
      `insert into users (id, aud, email, password_hash)
       select gen_random_uuid(), 'authenticated', n || '@example.com', ($2::text[])[1 + n % 10]
       from generate_series(1, $1) n`,
      [count, hashes],
    );
  return { db: watched, admin, fill, percentages };
}

t.test('kinds and costs are distinguished, and invalid hashes are not counted', async (t) => {
  const { db, fill } = await openUsers(t);
  await fill(100, [BCRYPT, BCRYPT, BCRYPT, ARGON2, ARGON2, ARGON2_DEARER, FIREBASE, null, null, 'made up']);
  t.same(await samplePasswordKinds(db), [
    { kind: '$2y$11', accounts: 30 },
    { kind: '$argon2id$v=19$m=19456,t=2,p=1', accounts: 20 },
    { kind: '$argon2id$v=19$m=19456,t=3,p=1', accounts: 10 },
    { kind: '$fbscrypt$v=1,n=14,r=8,p=1', accounts: 10 },
  ]);
});

t.test('an empty table has no kinds', async (t) => {
  const { db } = await openUsers(t);
  t.same(await samplePasswordKinds(db), []);
});

t.test('of a large table a fixed, representative sample is read', async (t) => {
  const { db, admin, fill, percentages } = await openUsers(t);
  // Nine of ten have no hash: they count for what is read.
  await fill(60_000, [BCRYPT, ARGON2, ...Array.from({ length: 8 }, () => null)]);
  const kinds = await samplePasswordKinds(db);
  t.same(percentages, [0.01, 0.1, 1, 10]);
  const [bcrypt, argon2] = ['$2y$11', '$argon2id$v=19$m=19456,t=2,p=1'].map(
    (name) => kinds.find(({ kind }) => kind === name)!.accounts,
  );
  t.ok(bcrypt! + argon2! < 2_500, `${bcrypt! + argon2!} of 12,000`);
  t.ok(Math.abs(bcrypt! / (bcrypt! + argon2!) - 0.5) < 0.06, `${bcrypt} and ${argon2}`);
  t.same(await samplePasswordKinds(db), kinds);
  await admin.query('analyze users');
  t.same(await samplePasswordKinds(db), kinds);
});
