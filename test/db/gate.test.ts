import { setTimeout as pause } from 'node:timers/promises';
import { Gate } from '../../src/db/gate.js';
import { t } from '../support/tap.js';

t.test('first come, first served', async (t) => {
  const gate = new Gate({ softLimit: 1, hardLimit: 1, maxWaiting: 10 });
  const order: number[] = [];
  await gate.acquire(1000);
  const entries = [1, 2, 3].map(async (n) => {
    await gate.acquire(1000);
    order.push(n);
    gate.release();
  });
  t.equal(gate.waiting, 3);
  gate.release();
  await Promise.all(entries);
  t.same(order, [1, 2, 3]);
});

t.test('batches have their own queue, and the two alternate', async (t) => {
  const gate = new Gate({ softLimit: 1, hardLimit: 1, maxWaiting: 4 });
  const order: string[] = [];
  await gate.acquire(1000);
  const enter = async (name: string, isBatch: boolean): Promise<void> => {
    await gate.acquire(1000, isBatch);
    order.push(name);
    gate.release();
  };
  const entries = [1, 2, 3, 4].map((n) => enter(`single ${n}`, false));
  await t.rejects(gate.acquire(1000), { code: 'POOL_EXHAUSTED' });
  entries.push(enter('batch 1', true), enter('batch 2', true));
  t.equal(gate.waiting, 6, 'a full queue of single jobs rejects no batch');
  gate.release();
  await Promise.all(entries);
  t.same(order, ['batch 1', 'single 1', 'batch 2', 'single 2', 'single 3', 'single 4']);
});

t.test('REL-05: a full queue refuses at once, a stuck queue after the time limit', async (t) => {
  const gate = new Gate({ softLimit: 1, hardLimit: 1, maxWaiting: 1 });
  await gate.acquire(1000);
  const waiting = gate.acquire(30);
  await t.rejects(gate.acquire(60_000), { code: 'POOL_EXHAUSTED', retryAfterSeconds: 1 });
  await t.rejects(waiting, { code: 'POOL_EXHAUSTED' });
  t.equal(gate.waiting, 0);
  gate.release();
  await gate.acquire(1000);
  t.pass('who gave up holds no place');
});

t.test('grows only while callers wait, up to the maximum, and shrinks again', async (t) => {
  const gate = new Gate({ softLimit: 2, hardLimit: 4, maxWaiting: 100 });
  let inside = 0;
  const enter = async (): Promise<void> => {
    await gate.acquire(5000);
    inside += 1;
  };
  void Array.from({ length: 6 }, enter);
  await pause(0);
  t.equal(inside, 2);
  await pause(300);
  t.equal(inside, 4);
  for (let n = 0; n < 6; n += 1) {
    gate.release();
    await pause(0);
  }
  t.equal(inside, 6);
  gate.shrinkTo(0);
  void Array.from({ length: 3 }, enter);
  await pause(0);
  t.equal(inside, 8, 'two at once again');
});

t.test('steps back when the server grants fewer', async (t) => {
  const gate = new Gate({ softLimit: 8, hardLimit: 20, maxWaiting: 100 });
  gate.setHardLimit(0);
  t.equal(gate.hardLimit, 1, 'never none');
  await gate.acquire(10);
  await t.rejects(gate.acquire(10), { code: 'POOL_EXHAUSTED' });
});

t.test('reports when it is empty', async (t) => {
  const gate = new Gate({ softLimit: 1, hardLimit: 1, maxWaiting: 10 });
  await gate.drain();
  await gate.acquire(10);
  const second = gate.acquire(1000);
  let isEmpty = false;
  const empty = gate.drain().then(() => {
    isEmpty = true;
  });
  gate.release();
  await second;
  t.equal(isEmpty, false);
  gate.release();
  await empty;
  t.equal(isEmpty, true);
});

t.test('does not grow while a connection is being opened', async (t) => {
  const gate = new Gate({ softLimit: 1, hardLimit: 4, maxWaiting: 100 });
  await gate.acquire(10);
  gate.beginOpening();
  let entered = false;
  const second = gate.acquire(5000).then(() => {
    entered = true;
  });
  await pause(100);
  t.equal(entered, false);
  gate.endOpening();
  await second;
  t.equal(entered, true);
});
