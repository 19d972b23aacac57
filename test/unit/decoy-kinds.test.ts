import type { Database } from '../../src/db/types.js';
import { type DecoyKindsOptions, openDecoyKinds } from '../../src/server/accounts/decoy-kinds.js';
import { t } from '../support/tap.js';

const USUAL = '$argon2id$v=19$m=19456,t=2,p=1';
const BCRYPT = '$2b$10';
const FIREBASE = '$fbscrypt$v=1,n=14,r=8,p=1';

type Row = { kind: string | null; accounts: number };

/** The sampled accounts, or a fault. */
function openTable(first: Row[] | Error) {
  const table = { rows: first, samples: 0, waiting: Promise.resolve() };
  const db = {
    async run() {
      table.samples += 1;
      await table.waiting;
      if (table.rows instanceof Error) throw table.rows;
      return table.rows;
    },
  } as unknown as Database;
  let nowMs = 0;
  const kinds = (options: Partial<DecoyKindsOptions> = {}) =>
    openDecoyKinds({
      ...{ jwtSecret: 'a secret', usualKind: USUAL, db, log: { debug: () => undefined }, now: () => nowMs },
      ...options,
    });
  return {
    table,
    kinds,
    pass: (milliseconds: number) => {
      nowMs += milliseconds;
    },
  };
}

const addresses = Array.from({ length: 4_000 }, (_, n) => `user${n}@example.com`);
const enough = (rows: Row[]) => rows.map((row) => ({ ...row, accounts: row.accounts * 1_000 }));

async function drawAll(kinds: ReturnType<typeof openDecoyKinds>): Promise<string[]> {
  return Promise.all(addresses.map(async (address) => (await kinds.kindFor('email', address)) ?? 'none'));
}

const shareOf = (kind: string, drawn: string[]): number => drawn.filter((each) => each === kind).length / drawn.length;

t.test('addresses without a hash get the kinds of the others, in their proportion', async (t) => {
  const rows = enough([
    { kind: BCRYPT, accounts: 5 },
    { kind: USUAL, accounts: 3 },
    { kind: FIREBASE, accounts: 2 },
    { kind: null, accounts: 90 },
  ]);
  const drawn = await drawAll(openTable(rows).kinds());
  // Four standard deviations of 4,000 draws are 3 %.
  for (const [kind, share] of [
    [BCRYPT, 0.5],
    [USUAL, 0.3],
    [FIREBASE, 0.2],
  ] as const) {
    t.ok(Math.abs(shareOf(kind, drawn) - share) < 0.032, `${kind}: ${shareOf(kind, drawn)}`);
  }
});

t.test('an address keeps its kind; another secret or channel selects anew', async (t) => {
  const rows = enough([
    { kind: BCRYPT, accounts: 1 },
    { kind: USUAL, accounts: 1 },
  ]);
  const { kinds } = openTable(rows);
  const drawn = await drawAll(kinds());
  t.same(await drawAll(kinds()), drawn, 'also in another process');
  const other = await drawAll(kinds({ jwtSecret: 'another secret' }));
  const changed = addresses.filter((_, at) => drawn[at] !== other[at]).length;
  t.ok(changed > 1_700 && changed < 2_300, `${changed} of 4,000 differ`);
  const asPhone = await Promise.all(addresses.map((address) => kinds().kindFor('phone', address)));
  t.notSame(asPhone, drawn);
});

t.test('as hashes are renewed, addresses change to the usual kind, and none changes back', async (t) => {
  const rows = (usual: number) =>
    enough([
      { kind: BCRYPT, accounts: 10 - usual },
      { kind: USUAL, accounts: usual },
    ]);
  const before = await drawAll(openTable(rows(2)).kinds());
  const after = await drawAll(openTable(rows(6)).kinds());
  t.ok(shareOf(USUAL, after) > shareOf(USUAL, before));
  t.ok(before.every((kind, at) => kind === BCRYPT || after[at] === USUAL));
});

t.test('without hashes the kind is that of new ones, and a single kind applies to all', async (t) => {
  t.equal(await openTable([]).kinds().kindFor('email', 'a@example.com'), null);
  t.equal(
    await openTable([{ kind: null, accounts: 5_000 }])
      .kinds()
      .kindFor('email', 'a@example.com'),
    null,
  );
  t.equal(
    await openTable([{ kind: BCRYPT, accounts: 5 }])
      .kinds()
      .kindFor('email', 'a@example.com'),
    BCRYPT,
  );
});

t.test('read at the first use, and refreshed in the background after five minutes', async (t) => {
  const { table, kinds, pass } = openTable([{ kind: BCRYPT, accounts: 5_000 }]);
  const opened = kinds();
  t.equal(table.samples, 0, 'nothing before it is needed');
  const draw = () => opened.kindFor('email', 'a@example.com');
  t.same(await Promise.all([draw(), draw()]), [BCRYPT, BCRYPT]);
  t.equal(table.samples, 1, 'two at once read once');
  pass(299_000);
  await draw();
  t.equal(table.samples, 1);
  pass(1_000);
  let finish: () => void = () => undefined;
  table.waiting = new Promise((resolve) => {
    finish = resolve;
  });
  table.rows = [{ kind: USUAL, accounts: 5_000 }];
  t.same(await Promise.all([draw(), draw()]), [BCRYPT, BCRYPT], 'what was known');
  t.equal(table.samples, 2);
  finish();
  await new Promise((resolve) => setImmediate(resolve));
  t.equal(await draw(), USUAL);
});

t.test('a failed read is retried after ten seconds, with the old result until then', async (t) => {
  const { table, kinds, pass } = openTable(new Error('no database'));
  const opened = kinds();
  const draw = () => opened.kindFor('email', 'a@example.com');
  t.equal(await draw(), null);
  t.equal(await draw(), null);
  t.equal(table.samples, 1);
  table.rows = [{ kind: BCRYPT, accounts: 5_000 }];
  pass(10_000);
  t.equal(await draw(), BCRYPT);
  table.rows = new Error('no database');
  pass(300_000);
  await draw();
  await new Promise((resolve) => setImmediate(resolve));
  t.equal(await draw(), BCRYPT);
});
