import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { Gate } from '../../src/db/gate.js';

t.test('first come, first served', async (t) => {
  const gate = new Gate({ comfortable: 1, most: 1, maxWaiting: 10 });
  const order: number[] = [];
  await gate.enter(1000);
  const entries = [1, 2, 3].map(async (n) => {
    await gate.enter(1000);
    order.push(n);
    gate.leave();
  });
  t.equal(gate.waiting, 3);
  gate.leave();
  await Promise.all(entries);
  t.same(order, [1, 2, 3]);
});

t.test('batches have a line of their own, and the two take turns', async (t) => {
  const gate = new Gate({ comfortable: 1, most: 1, maxWaiting: 4 });
  const order: string[] = [];
  await gate.enter(1000);
  const enter = async (name: string, isBatch: boolean): Promise<void> => {
    await gate.enter(1000, isBatch);
    order.push(name);
    gate.leave();
  };
  const entries = [1, 2, 3, 4].map((n) => enter(`single ${n}`, false));
  await t.rejects(gate.enter(1000), { code: 'POOL_EXHAUSTED' });
  entries.push(enter('batch 1', true), enter('batch 2', true));
  t.equal(gate.waiting, 6, 'a full line of singles refuses no batch');
  gate.leave();
  await Promise.all(entries);
  t.same(order, ['batch 1', 'single 1', 'batch 2', 'single 2', 'single 3', 'single 4']);
});

t.test('REL-05: a full line refuses at once, a line that does not move in time', async (t) => {
  const gate = new Gate({ comfortable: 1, most: 1, maxWaiting: 1 });
  await gate.enter(1000);
  const waiting = gate.enter(30);
  await t.rejects(gate.enter(60_000), { code: 'POOL_EXHAUSTED', retryAfterSeconds: 1 });
  await t.rejects(waiting, { code: 'POOL_EXHAUSTED' });
  t.equal(gate.waiting, 0);
  gate.leave();
  await gate.enter(1000);
  t.pass('who gave up holds no place');
});

t.test('grows only while somebody waits, up to the most, and falls back', async (t) => {
  const gate = new Gate({ comfortable: 2, most: 4, maxWaiting: 100 });
  let inside = 0;
  const enter = async (): Promise<void> => {
    await gate.enter(5000);
    inside += 1;
  };
  void Array.from({ length: 6 }, enter);
  await pause(0);
  t.equal(inside, 2);
  await pause(300);
  t.equal(inside, 4);
  for (let n = 0; n < 6; n += 1) {
    gate.leave();
    await pause(0);
  }
  t.equal(inside, 6);
  gate.shrinkTo(0);
  void Array.from({ length: 3 }, enter);
  await pause(0);
  t.equal(inside, 8, 'two at once again');
});

t.test('steps back when the server grants fewer', async (t) => {
  const gate = new Gate({ comfortable: 8, most: 20, maxWaiting: 100 });
  gate.setMost(0);
  t.equal(gate.most, 1, 'never none');
  await gate.enter(10);
  await t.rejects(gate.enter(10), { code: 'POOL_EXHAUSTED' });
});

t.test('tells when it is empty', async (t) => {
  const gate = new Gate({ comfortable: 1, most: 1, maxWaiting: 10 });
  await gate.empty();
  await gate.enter(10);
  const second = gate.enter(1000);
  let isEmpty = false;
  const empty = gate.empty().then(() => {
    isEmpty = true;
  });
  gate.leave();
  await second;
  t.equal(isEmpty, false);
  gate.leave();
  await empty;
  t.equal(isEmpty, true);
});

t.test('does not grow while a connection is being opened', async (t) => {
  const gate = new Gate({ comfortable: 1, most: 4, maxWaiting: 100 });
  await gate.enter(10);
  gate.beginOpening();
  let entered = false;
  const second = gate.enter(5000).then(() => {
    entered = true;
  });
  await pause(100);
  t.equal(entered, false);
  gate.endOpening();
  await second;
  t.equal(entered, true);
});
