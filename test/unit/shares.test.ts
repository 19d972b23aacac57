import { planThreads } from '../../src/server/runtime/shares.js';
import { t } from '../support/tap.js';

const here = 'postgres://u:p@localhost/d';
const elsewhere = 'postgres://u:p@db.example/d';
const wishes = { serverThreads: null, cryptoThreads: null, dbMaxPoolSize: 0, databaseUrl: elsewhere };

t.test('server threads by the number of cores', async (t) => {
  const threads = [1, 2, 4, 5, 8, 9, 12, 16, 64].map((cores) => planThreads(wishes, cores).serverThreads);
  t.same(threads, [1, 1, 1, 2, 2, 2, 3, 4, 4]);
});

t.test('hash threads and connections are budgets of the process', async (t) => {
  const sum = (given: Partial<typeof wishes> | object, cores: number) => {
    const { serverThreads, share } = planThreads({ ...wishes, ...given }, cores);
    return [serverThreads, serverThreads * share.hashThreads, serverThreads * share.maxConnections];
  };
  t.same(sum({ serverThreads: 2, cryptoThreads: 4, dbMaxPoolSize: 10 }, 8), [2, 4, 10]);
  t.same(sum({ serverThreads: 2, cryptoThreads: 5, dbMaxPoolSize: 9 }, 8), [2, 4, 8], 'never more');
  t.same(sum({ databaseUrl: here }, 4), [1, 3, 0], 'a core is left to a database on this machine');
  t.same(sum({ databaseUrl: here }, 1), [1, 1, 0], 'but one thread hashes');
  t.same(sum({ databaseUrl: here, serverThreads: 2 }, 2), [2, 2, 0], 'for each server thread');
});

t.test('a budget that is too small reduces the server threads', async (t) => {
  t.equal(planThreads({ ...wishes, serverThreads: 4, dbMaxPoolSize: 3 }, 8).serverThreads, 3);
  t.equal(planThreads({ ...wishes, serverThreads: 4, cryptoThreads: 1 }, 8).serverThreads, 1);
  t.equal(planThreads({ ...wishes, serverThreads: 4, dbMaxPoolSize: 0 }, 8).serverThreads, 4, '0 is no limit');
});
