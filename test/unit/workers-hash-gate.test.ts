import t from 'tap';
import { HashGate } from '../../src/workers/hash-gate.js';

function heldJob() {
  const { promise, resolve } = withResolvers<{ value: string; milliseconds: number }>();
  return { job: () => promise, finish: (milliseconds: number) => resolve({ value: 'done', milliseconds }) };
}

function makeClock() {
  let nowMilliseconds = 1_000;
  return {
    now: () => nowMilliseconds,
    pass(milliseconds: number) {
      nowMilliseconds += milliseconds;
    },
  };
}

function withResolvers<T>() {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((res) => {
    resolve = res;
  });
  return { promise, resolve };
}

t.test('takes as many as run and may wait, then refuses before the job starts', async (t) => {
  const gate = new HashGate(2, 3, 10);
  const held = heldJob();
  const taken = Array.from({ length: 5 }, () => gate.pass(held.job));
  t.equal(gate.running, 2);
  t.equal(gate.queued, 3);
  t.throws(() => gate.assertRoom(), { code: 'CRYPTO_POOL_FULL', retryAfterSeconds: 1 });
  await t.rejects(
    gate.pass(async () => t.fail('started') as never),
    { code: 'CRYPTO_POOL_FULL' },
  );
  t.equal(gate.refused, 2);
  held.finish(10);
  t.same(await Promise.all(taken), ['done', 'done', 'done', 'done', 'done']);
  t.equal(gate.running + gate.queued, 0);
  t.doesNotThrow(() => gate.assertRoom());
});

t.test('refuses what would wait more than two seconds, however short the queue', async (t) => {
  const gate = new HashGate(1, 64, 500);
  const held = heldJob();
  const taken = Array.from({ length: 5 }, () => gate.pass(held.job));
  t.equal(gate.queued, 4, 'four jobs of half a second wait two seconds');
  t.throws(() => gate.assertRoom(), { code: 'CRYPTO_POOL_FULL', retryAfterSeconds: 3 });
  held.finish(500);
  await Promise.all(taken);
});

t.test('refuses a job that has waited too long after all, and goes on with the rest', async (t) => {
  // In a server the busy thread keeps the process alive; the gate's own timer does not.
  const alive = setTimeout(() => undefined, 10_000);
  t.teardown(() => clearTimeout(alive));
  const gate = new HashGate(1, 64, 1, 0.05);
  const first = heldJob();
  const running = gate.pass(first.job);
  await t.rejects(
    gate.pass(async () => t.fail('started') as never),
    { code: 'CRYPTO_POOL_FULL', retryAfterSeconds: 1 },
  );
  t.match({ running: gate.running, queued: gate.queued, refused: gate.refused }, { running: 1, queued: 0, refused: 1 });
  const last = gate.pass(async () => ({ value: 'last', milliseconds: 1 }));
  first.finish(1);
  t.same(await Promise.all([running, last]), ['done', 'last']);
  t.equal(gate.running, 0);
});

t.test('jobs start in the order they came', async (t) => {
  const gate = new HashGate(2, 64, 1);
  const started: number[] = [];
  const jobs = Array.from({ length: 20 }, (_, n) =>
    gate.pass(async () => {
      started.push(n);
      await new Promise((resolve) => setImmediate(resolve));
      return { value: n, milliseconds: 1 };
    }),
  );
  const numbers = Array.from({ length: 20 }, (_, n) => n);
  t.same(await Promise.all(jobs), numbers);
  t.same(started, numbers);
});

t.test('a free thread takes a job of any length', async (t) => {
  const gate = new HashGate(1, 0, 60_000);
  t.doesNotThrow(() => gate.assertRoom());
});

t.test('the rate follows what is measured', async (t) => {
  const gate = new HashGate(2, 1, 10);
  t.equal(gate.jobsPerSecond, 200);
  for (let i = 0; i < 200; i++) await gate.pass(async () => ({ value: null, milliseconds: 40 }));
  t.equal(Math.round(gate.jobsPerSecond), 50);
});

t.test('one job that starved moves the rate by a fifth at most', async (t) => {
  const gate = new HashGate(2, 64, 10);
  await gate.pass(async () => ({ value: null, milliseconds: 60_000 }));
  t.ok(gate.jobsPerSecond >= 200 / 1.2, `${gate.jobsPerSecond}`);
});

t.test('while nothing runs the rate falls back to that of the warm-up', async (t) => {
  const clock = makeClock();
  const gate = new HashGate(2, 64, 10, 2, clock.now);
  for (let i = 0; i < 50; i++) await gate.pass(async () => ({ value: null, milliseconds: 1_000 }));
  const busy = 2_000 / gate.jobsPerSecond;
  t.ok(busy > 900, 'the machine was busy');
  clock.pass(100);
  t.equal(Math.round(2_000 / gate.jobsPerSecond), Math.round((busy + 10) / 2), 'half way after a tenth of a second');
  clock.pass(1_900);
  t.equal(Math.round(gate.jobsPerSecond), 200);
});

t.test('after jobs that starved an idle gate takes 32 at once', async (t) => {
  const clock = makeClock();
  const gate = new HashGate(2, 64, 10, 2, clock.now);
  for (let i = 0; i < 50; i++) await gate.pass(async () => ({ value: null, milliseconds: 1_000 }));
  clock.pass(1_000);
  const lookUps = heldJob();
  const burst = Array.from({ length: 32 }, () =>
    gate.withPlace(async (place) => {
      await lookUps.job();
      return gate.pass(async () => ({ value: 'done', milliseconds: 10 }), place);
    }),
  );
  lookUps.finish(0);
  t.same(new Set(await Promise.all(burst)), new Set(['done']));
  t.equal(gate.refused, 0);
});

t.test('while a job runs the rate stays what was measured', async (t) => {
  const clock = makeClock();
  const gate = new HashGate(1, 64, 10, 2, clock.now);
  for (let i = 0; i < 50; i++) await gate.pass(async () => ({ value: null, milliseconds: 1_000 }));
  const held = heldJob();
  const running = gate.pass(held.job);
  const before = gate.jobsPerSecond;
  clock.pass(60_000);
  t.equal(gate.jobsPerSecond, before);
  held.finish(1_000);
  await running;
});

t.test('a queue that is empty takes one, however long a job takes', async (t) => {
  const gate = new HashGate(2, 64, 60_000);
  const held = heldJob();
  const taken = [gate.pass(held.job), gate.pass(held.job)];
  t.doesNotThrow(() => gate.assertRoom());
  taken.push(gate.pass(held.job));
  t.equal(gate.queued, 1);
  t.throws(() => gate.assertRoom(), { code: 'CRYPTO_POOL_FULL' }, 'the next would wait two minutes');
  held.finish(10);
  await Promise.all(taken);
});

t.test('many jobs correct a warm-up that was measured on a busy machine', async (t) => {
  const clock = makeClock();
  const gate = new HashGate(1, 64, 1_000, 2, clock.now);
  for (let i = 0; i < 200; i++) await gate.pass(async () => ({ value: null, milliseconds: 10 }));
  clock.pass(60_000);
  t.equal(Math.round(gate.jobsPerSecond), 100);
});

t.test('at ten times what can be hashed no thread is ever idle, also after the machine was busy', async (t) => {
  const [threads, arrivalsPerMillisecond] = [2, 2];
  const clock = makeClock();
  const gate = new HashGate(threads, 64, 10, 2, clock.now);
  const running: { endMilliseconds: number; finish: () => void }[] = [];
  let jobMilliseconds = 100;
  let done = 0;
  const arrive = async (): Promise<void> => {
    await gate.pass(async () => {
      const milliseconds = jobMilliseconds;
      await new Promise<void>((finish) => running.push({ endMilliseconds: clock.now() + milliseconds, finish }));
      return { value: null, milliseconds };
    });
    done += 1;
  };
  async function passSeconds(seconds: number): Promise<number> {
    const before = done;
    for (let n = 0; n < seconds * 1_000; n++) {
      clock.pass(1);
      for (const job of running.filter(({ endMilliseconds }) => endMilliseconds <= clock.now())) {
        running.splice(running.indexOf(job), 1);
        job.finish();
      }
      for (let n = 0; n < arrivalsPerMillisecond; n++) arrive().catch(() => undefined);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return done - before;
  }
  await passSeconds(3);
  jobMilliseconds = 10;
  await passSeconds(0.2);
  const answered = await passSeconds(3);
  const possible = (3_000 * threads) / 10;
  t.ok(answered >= 0.98 * possible, `${answered} of ${possible}`);
  t.ok(gate.refused > 8_000, 'and the rest was refused');
  jobMilliseconds = 0;
  while (gate.running + gate.queued > 0) {
    clock.pass(1_000);
    for (const { finish } of running.splice(0)) finish();
    await new Promise((resolve) => setImmediate(resolve));
  }
});

t.test('a job that fails gives its place back', async (t) => {
  const gate = new HashGate(1, 0, 10);
  await t.rejects(
    gate.pass(async () => {
      throw new Error('lost');
    }),
    { message: 'lost' },
  );
  gate.assertRoom();
  t.equal(gate.jobsPerSecond, 100, 'and says nothing about the rate');
});

t.test('a place kept is no longer free, is used up by its job, and is given back when none comes', async (t) => {
  const gate = new HashGate(1, 1, 10);
  const held = heldJob();
  const lookUp = heldJob();
  const first = gate.withPlace(async (place) => {
    await lookUp.job();
    return gate.pass(held.job, place);
  });
  await gate.withPlace(async (place) => {
    t.throws(() => gate.assertRoom(), { code: 'CRYPTO_POOL_FULL' });
    await t.rejects(
      gate.withPlace(async () => t.fail('started')),
      { code: 'CRYPTO_POOL_FULL' },
    );
    t.equal(await gate.pass(async () => ({ value: 'used', milliseconds: 10 }), place), 'used');
    t.doesNotThrow(() => gate.assertRoom(), 'its own place is free again before its end');
  });
  await t.rejects(
    gate.withPlace(async () => {
      throw new Error('no such account');
    }),
    { message: 'no such account' },
  );
  lookUp.finish(0);
  await new Promise((resolve) => setImmediate(resolve));
  t.match({ running: gate.running, queued: gate.queued }, { running: 1, queued: 0 });
  t.doesNotThrow(() => gate.assertRoom(), 'one may wait beside the one that runs');
  held.finish(10);
  t.equal(await first, 'done');
});

t.test('a job with a place is not turned away when others have come before it', async (t) => {
  const gate = new HashGate(1, 1, 10);
  const held = heldJob();
  const others: Promise<string>[] = [];
  const mine = gate.withPlace(async (place) => {
    others.push(gate.pass(held.job));
    await t.rejects(gate.pass(held.job), { code: 'CRYPTO_POOL_FULL' });
    return gate.pass(held.job, place);
  });
  await new Promise((resolve) => setImmediate(resolve));
  t.match({ running: gate.running, queued: gate.queued }, { running: 1, queued: 1 });
  held.finish(10);
  t.same(await Promise.all([...others, mine]), ['done', 'done']);
});
