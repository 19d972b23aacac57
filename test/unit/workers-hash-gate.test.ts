import { HashGate } from '../../src/workers/hash-gate.js';
import { t } from '../support/tap.js';

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

t.test('takes as many jobs as may run and wait, then refuses', async (t) => {
  const gate = new HashGate(2, 3, 10);
  const held = heldJob();
  const taken = Array.from({ length: 5 }, () => gate.run(held.job));
  t.equal(gate.running, 2);
  t.equal(gate.queued, 3);
  t.throws(() => gate.assertCapacity(), { code: 'CRYPTO_POOL_FULL', retryAfterSeconds: 1 });
  await t.rejects(
    gate.run(async () => t.fail('started') as never),
    { code: 'CRYPTO_POOL_FULL' },
  );
  t.equal(gate.rejected, 2);
  held.finish(10);
  t.same(await Promise.all(taken), ['done', 'done', 'done', 'done', 'done']);
  t.equal(gate.running + gate.queued, 0);
  t.doesNotThrow(() => gate.assertCapacity());
});

t.test('rejects jobs that would wait more than two seconds, however short the queue', async (t) => {
  const gate = new HashGate(1, 64, 500);
  const held = heldJob();
  const taken = Array.from({ length: 5 }, () => gate.run(held.job));
  t.equal(gate.queued, 4, 'four jobs of half a second wait two seconds');
  t.throws(() => gate.assertCapacity(), { code: 'CRYPTO_POOL_FULL', retryAfterSeconds: 3 });
  held.finish(500);
  await Promise.all(taken);
});

t.test('refuses a job that has waited too long, and continues with the rest', async (t) => {
  // In a server the busy thread keeps the process alive; the gate's own timer does not.
  const alive = setTimeout(() => undefined, 10_000);
  t.teardown(() => clearTimeout(alive));
  const gate = new HashGate(1, 64, 1, 0.05);
  const first = heldJob();
  const running = gate.run(first.job);
  await t.rejects(
    gate.run(async () => t.fail('started') as never),
    { code: 'CRYPTO_POOL_FULL', retryAfterSeconds: 1 },
  );
  t.match(
    { running: gate.running, queued: gate.queued, refused: gate.rejected },
    { running: 1, queued: 0, refused: 1 },
  );
  const last = gate.run(async () => ({ value: 'last', milliseconds: 1 }));
  first.finish(1);
  t.same(await Promise.all([running, last]), ['done', 'last']);
  t.equal(gate.running, 0);
});

t.test('jobs start in order of arrival', async (t) => {
  const gate = new HashGate(2, 64, 1);
  const started: number[] = [];
  const jobs = Array.from({ length: 20 }, (_, n) =>
    gate.run(async () => {
      started.push(n);
      await new Promise((resolve) => setImmediate(resolve));
      return { value: n, milliseconds: 1 };
    }),
  );
  const numbers = Array.from({ length: 20 }, (_, n) => n);
  t.same(await Promise.all(jobs), numbers);
  t.same(started, numbers);
});

t.test('a free thread accepts a job of any length', async (t) => {
  const gate = new HashGate(1, 0, 60_000);
  t.doesNotThrow(() => gate.assertCapacity());
});

t.test('the rate follows the measurements', async (t) => {
  // Whose time stands still: between two jobs the gate would be idle.
  const gate = new HashGate(2, 1, 10, 2, makeClock().now);
  t.equal(gate.jobsPerSecond, 200);
  for (let i = 0; i < 200; i++) await gate.run(async () => ({ value: null, milliseconds: 40 }));
  t.equal(Math.round(gate.jobsPerSecond), 50);
});

t.test('one starved job changes the rate by a fifth at most', async (t) => {
  const gate = new HashGate(2, 64, 10, 2, makeClock().now);
  await gate.run(async () => ({ value: null, milliseconds: 60_000 }));
  t.equal(Math.round(gate.jobsPerSecond), Math.round(200 / 1.2));
});

t.test('while idle the rate returns to that of the warm-up', async (t) => {
  const clock = makeClock();
  const gate = new HashGate(2, 64, 10, 2, clock.now);
  for (let i = 0; i < 50; i++) await gate.run(async () => ({ value: null, milliseconds: 1_000 }));
  const busy = 2_000 / gate.jobsPerSecond;
  t.ok(busy > 900, 'the machine was busy');
  clock.pass(100);
  t.equal(Math.round(2_000 / gate.jobsPerSecond), Math.round((busy + 10) / 2), 'half way after a tenth of a second');
  clock.pass(1_900);
  t.equal(Math.round(gate.jobsPerSecond), 200);
});

t.test('after starved jobs an idle gate accepts 32 at once', async (t) => {
  const clock = makeClock();
  const gate = new HashGate(2, 64, 10, 2, clock.now);
  for (let i = 0; i < 50; i++) await gate.run(async () => ({ value: null, milliseconds: 1_000 }));
  clock.pass(1_000);
  const lookUps = heldJob();
  const burst = Array.from({ length: 32 }, () =>
    gate.withSlot(async (place) => {
      await lookUps.job();
      return gate.run(async () => ({ value: 'done', milliseconds: 10 }), place);
    }),
  );
  lookUps.finish(0);
  t.same(new Set(await Promise.all(burst)), new Set(['done']));
  t.equal(gate.rejected, 0);
});

t.test('while a job runs the measured rate stays', async (t) => {
  const clock = makeClock();
  const gate = new HashGate(1, 64, 10, 2, clock.now);
  for (let i = 0; i < 50; i++) await gate.run(async () => ({ value: null, milliseconds: 1_000 }));
  const held = heldJob();
  const running = gate.run(held.job);
  const before = gate.jobsPerSecond;
  clock.pass(60_000);
  t.equal(gate.jobsPerSecond, before);
  held.finish(1_000);
  await running;
});

t.test('an empty queue accepts one job of any length', async (t) => {
  const gate = new HashGate(2, 64, 60_000);
  const held = heldJob();
  const taken = [gate.run(held.job), gate.run(held.job)];
  t.doesNotThrow(() => gate.assertCapacity());
  taken.push(gate.run(held.job));
  t.equal(gate.queued, 1);
  t.throws(() => gate.assertCapacity(), { code: 'CRYPTO_POOL_FULL' }, 'the next would wait two minutes');
  held.finish(10);
  await Promise.all(taken);
});

t.test('many jobs correct a warm-up that was measured on a busy machine', async (t) => {
  const clock = makeClock();
  const gate = new HashGate(1, 64, 1_000, 2, clock.now);
  for (let i = 0; i < 200; i++) await gate.run(async () => ({ value: null, milliseconds: 10 }));
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
    await gate.run(async () => {
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
  t.ok(gate.rejected > 8_000, 'and the rest was rejected');
  jobMilliseconds = 0;
  while (gate.running + gate.queued > 0) {
    clock.pass(1_000);
    for (const { finish } of running.splice(0)) finish();
    await new Promise((resolve) => setImmediate(resolve));
  }
});

t.test('a failed job releases its slot', async (t) => {
  const gate = new HashGate(1, 0, 10);
  await t.rejects(
    gate.run(async () => {
      throw new Error('lost');
    }),
    { message: 'lost' },
  );
  gate.assertCapacity();
  t.equal(gate.jobsPerSecond, 100, 'and does not affect the rate');
});

t.test('a reserved slot is taken, used by its job, and released without one', async (t) => {
  const gate = new HashGate(1, 1, 10);
  const held = heldJob();
  const lookUp = heldJob();
  const first = gate.withSlot(async (place) => {
    await lookUp.job();
    return gate.run(held.job, place);
  });
  await gate.withSlot(async (place) => {
    t.throws(() => gate.assertCapacity(), { code: 'CRYPTO_POOL_FULL' });
    await t.rejects(
      gate.withSlot(async () => t.fail('started')),
      { code: 'CRYPTO_POOL_FULL' },
    );
    t.equal(await gate.run(async () => ({ value: 'used', milliseconds: 10 }), place), 'used');
    t.doesNotThrow(() => gate.assertCapacity(), 'its own place is free again before its end');
  });
  await t.rejects(
    gate.withSlot(async () => {
      throw new Error('no such account');
    }),
    { message: 'no such account' },
  );
  lookUp.finish(0);
  await new Promise((resolve) => setImmediate(resolve));
  t.match({ running: gate.running, queued: gate.queued }, { running: 1, queued: 0 });
  t.doesNotThrow(() => gate.assertCapacity(), 'one may wait beside the one that runs');
  held.finish(10);
  t.equal(await first, 'done');
});

t.test('a job with a slot is not refused when others arrive first', async (t) => {
  const gate = new HashGate(1, 1, 10);
  const held = heldJob();
  const others: Promise<string>[] = [];
  const mine = gate.withSlot(async (place) => {
    others.push(gate.run(held.job));
    await t.rejects(gate.run(held.job), { code: 'CRYPTO_POOL_FULL' });
    return gate.run(held.job, place);
  });
  await new Promise((resolve) => setImmediate(resolve));
  t.match({ running: gate.running, queued: gate.queued }, { running: 1, queued: 1 });
  held.finish(10);
  t.same(await Promise.all([...others, mine]), ['done', 'done']);
});
