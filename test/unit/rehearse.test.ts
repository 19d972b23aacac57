import { rehearseWrite, within } from '../../src/db/rehearse.js';
import type { Database, Statements } from '../../src/db/types.js';
import { t } from '../support/tap.js';

/** Notes what is asked of it. */
function fakeDatabase(asked: string[]): Database {
  const statements: Statements = {
    run: async (name) => {
      asked.push(`statement ${name}`);
      return [];
    },
  };
  return {
    ...statements,
    transaction: async (work) => {
      asked.push('begin');
      return work(statements);
    },
    isReady: async () => true,
    stats: () => ({ open: 1, idle: 2, waiting: 3, limit: 4 }),
    close: async () => {
      asked.push('close');
    },
  };
}

t.test('an open transaction serves as a database: what begins inside is part of it', async (t) => {
  const asked: string[] = [];
  const db = fakeDatabase(asked);
  await db.transaction(async (statements) => {
    const inner = within(db, statements);
    await inner.run('a.b', []);
    await inner.transaction((more) => more.run('c.d', []));
    t.equal(await inner.isReady(), true);
    t.same(inner.stats(), { open: 1, idle: 2, waiting: 3, limit: 4 });
    await inner.close();
  });
  t.same(asked, ['begin', 'statement a.b', 'statement c.d', 'close']);
});

t.test('a rehearsal returns its row and passes on what fails', async (t) => {
  const db = fakeDatabase([]);
  t.equal(await rehearseWrite(db, async () => 'row'), 'row');
  await t.rejects(
    rehearseWrite(db, () => Promise.reject(new Error('refused'))),
    /refused/,
  );
});
