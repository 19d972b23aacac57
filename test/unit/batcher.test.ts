import { setImmediate as nextTurn } from 'node:timers/promises';
import { Batcher, type BatcherOptions } from '../../src/batching/batcher.js';
import { t } from '../support/tap.js';

/** A batcher with one lane, whose answers are the jobs themselves, and what it has sent. */
function openRecording(
  options: Pick<BatcherOptions<number, number>, 'maxJobs' | 'maxCharacters' | 'countCharacters' | 'patienceMs'>,
) {
  const batches: number[][] = [];
  const batcher = new Batcher<number, number>({
    concurrency: 1,
    ...options,
    send: async (jobs) => {
      batches.push(jobs);
      return jobs;
    },
  });
  return { batcher, batches };
}

/** Runs all microtasks, and nothing of the next turn of the event loop. */
const restOfTurn = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));

t.test('jobs that arrive while a message is in flight go with the next', async (t) => {
  const batches: number[][] = [];
  let release: () => void = () => undefined;
  const batcher = new Batcher<number, string>({
    concurrency: 1,
    maxJobs: 256,
    maxCharacters: 1_048_576,
    send: async (jobs) => {
      batches.push(jobs);
      if (batches.length === 1) {
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      }
      return jobs.map(String);
    },
    countCharacters: () => 1,
  });
  const first = [batcher.add(1), batcher.add(2)];
  await Promise.resolve();
  const later = [batcher.add(3), batcher.add(4), batcher.add(5)];
  await new Promise((resolve) => setImmediate(resolve));
  t.same(batches, [[1, 2]]);
  t.equal(batcher.queued, 3);
  release();
  t.same(await Promise.all([...first, ...later]), ['1', '2', '3', '4', '5']);
  t.same(batches, [
    [1, 2],
    [3, 4, 5],
  ]);
  t.equal(batcher.queued, 0);
});

t.test('a free lane waits one turn of the event loop for sockets that are about to be read', async (t) => {
  const batches: number[][] = [];
  let release: () => void = () => undefined;
  const batcher = new Batcher<number, number>({
    concurrency: 1,
    maxJobs: 3,
    waitsForPoll: true,
    send: (jobs) => {
      batches.push(jobs);
      return new Promise((resolve) => {
        release = () => resolve(jobs);
      });
    },
  });
  const answers = [batcher.add(1)];
  await Promise.resolve();
  answers.push(batcher.add(2));
  release();
  await restOfTurn();
  t.same(batches, [[1]], 'what waits does not go at once');
  await nextTurn();
  answers.push(batcher.add(3));
  await nextTurn();
  t.same(batches, [[1], [2, 3]], 'but with whom the next turn brings');

  answers.push(...[4, 5, 6, 7].map((job) => batcher.add(job)));
  release();
  await restOfTurn();
  t.same(batches.at(-1), [4, 5, 6], 'a full batch is sent at once');
  release();
  await restOfTurn();
  await nextTurn();
  await nextTurn();
  t.same(batches.at(-1), [7], 'a single job waits no longer');
  release();
  await Promise.all(answers);
});

t.test('a job that can wait goes with the next one that cannot, or when it is wanted', async (t) => {
  const { batcher, batches } = openRecording({ maxJobs: 4, patienceMs: 60_000 });
  const waiting = batcher.add(1, true);
  await nextTurn();
  t.same(batches, [], 'it waits');
  t.notOk(batcher.isIdle);
  t.same(await Promise.all([batcher.add(2), waiting]), [2, 1]);
  t.same(batches, [[1, 2]]);

  const wanted = [batcher.add(3, true), batcher.add(4, true)];
  batcher.hurry();
  batcher.hurry();
  t.same(await Promise.all(wanted), [3, 4]);
  t.same(batches.slice(1), [[3, 4]]);

  t.same(await Promise.all([5, 6, 7, 8].map((job) => batcher.add(job, true))), [5, 6, 7, 8], 'a full batch starts');
  t.ok(batcher.isIdle);
});

t.test('a job that can wait starts a batch after its patience', async (t) => {
  const { batcher, batches } = openRecording({ maxJobs: 4, patienceMs: 1 });
  // The timer keeps no process alive.
  const alive = setInterval(() => undefined, 1000);
  t.teardown(() => clearInterval(alive));
  t.same(await Promise.all([batcher.add(1, true), batcher.add(2, true)]), [1, 2]);
  t.same(batches, [[1, 2]]);
  t.equal(await batcher.add(3, true), 3, 'and again');
});

t.test('no message holds more than 256 jobs', async (t) => {
  const sizes: number[] = [];
  const batcher = new Batcher<number, number>({
    concurrency: 2,
    maxJobs: 256,
    maxCharacters: 1_048_576,
    send: async (jobs) => {
      sizes.push(jobs.length);
      return jobs;
    },
    countCharacters: () => 1,
  });
  const jobs = Array.from({ length: 600 }, (_, i) => i);
  t.same(await Promise.all(jobs.map((job) => batcher.add(job))), jobs);
  t.same(sizes, [256, 256, 88]);
});

t.test('nor much more than a million characters', async (t) => {
  const { batcher, batches } = openRecording({
    ...{ maxJobs: 256, maxCharacters: 1_048_576 },
    countCharacters: (job) => job,
  });
  const jobs = [1_048_575, 1, 2_000_000, 500_000, 500_000, 100_000, 7];
  t.same(await Promise.all(jobs.map((job) => batcher.add(job))), jobs);
  t.same(batches, [[1_048_575, 1], [2_000_000], [500_000, 500_000, 100_000], [7]]);
});

t.test('REL-10 a job that takes its thread down fails alone', async (t) => {
  const batcher = new Batcher<string, string>({
    concurrency: 1,
    maxJobs: 256,
    maxCharacters: 1_048_576,
    send: async (jobs) => {
      if (jobs.includes('poison')) throw new Error('thread lost');
      return jobs;
    },
    countCharacters: () => 1,
  });
  const results = await Promise.allSettled(['a', 'poison', 'b'].map((job) => batcher.add(job)));
  t.same(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  t.notOk(batcher.isIdle, 'the lane is given back after the answers');
  t.equal(await batcher.add('c'), 'c', 'and the next batch is taken');
  await new Promise((resolve) => setImmediate(resolve));
  t.ok(batcher.isIdle);
});

t.test('a failure of all jobs is not retried for each', async (t) => {
  let sent = 0;
  const batcher = new Batcher<number, number>({
    concurrency: 1,
    maxJobs: 32,
    shouldRetrySingly: () => false,
    send: async () => {
      sent += 1;
      throw new Error('no connection');
    },
  });
  const results = await Promise.allSettled([1, 2, 3].map((job) => batcher.add(job)));
  t.same(
    results.map(({ status }) => status),
    ['rejected', 'rejected', 'rejected'],
  );
  t.equal(sent, 1);
});

t.test('a job that waited too long is refused when a lane is free, and the others continue', async (t) => {
  let release: () => void = () => undefined;
  const batcher = new Batcher<number, number>({
    concurrency: 1,
    maxJobs: 32,
    maxWaitMs: 30,
    maxWaiting: 2,
    makeFullError: () => new Error('late'),
    send: async (jobs) => {
      if (jobs[0] === 1)
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      return jobs;
    },
  });
  const first = batcher.add(1);
  await new Promise((resolve) => setImmediate(resolve));
  const late = batcher.add(2).catch((error: Error) => error.message);
  await new Promise((resolve) => setTimeout(resolve, 60));
  const inTime = batcher.add(3);
  const tooMany = batcher.add(4).catch((error: Error) => error.message);
  t.equal(await tooMany, 'late', 'the line is full');
  release();
  t.same(await Promise.all([first, late, inTime]), [1, 'late', 3]);
});

/** A batcher whose batches end on command. */
function openHeld(options: { lingerMs: number }) {
  const batches: { jobs: number[]; release: () => void }[] = [];
  const batcher = new Batcher<number, number>({
    concurrency: 2,
    maxJobs: 8,
    ...options,
    send: (jobs) => new Promise((resolve) => batches.push({ jobs, release: () => resolve(jobs) })),
  });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return { batcher, batches, turn };
}

t.test('a second lane is taken when a whole batch waits', async (t) => {
  const { batcher, batches, turn } = openHeld({ lingerMs: 60_000 });
  const sent = () => batches.map(({ jobs }) => jobs);
  const answers = [1, 2].map((job) => batcher.add(job));
  await turn();
  answers.push(...[3, 4, 5, 6, 7, 8, 9].map((job) => batcher.add(job)));
  await turn();
  t.same(sent(), [[1, 2]], 'seven are not worth it');
  answers.push(batcher.add(10));
  await turn();
  t.same(sent(), [
    [1, 2],
    [3, 4, 5, 6, 7, 8, 9, 10],
  ]);
  answers.push(batcher.add(11));
  await turn();
  batches[0]!.release();
  await turn();
  t.same(batches[2], undefined, 'the other lane is still busy');
  batches[1]!.release();
  await turn();
  t.same(batches[2]?.jobs, [11], 'a lane of its own once both are free');
  batches[2]!.release();
  t.same(await Promise.all(answers), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
});

t.test('or when the first in line has waited long enough', async (t) => {
  const { batcher, batches, turn } = openHeld({ lingerMs: 20 });
  const first = batcher.add(1);
  await turn();
  const second = batcher.add(2);
  while (batches.length < 2) await turn();
  t.same(batches[1]!.jobs, [2], 'beside one that hangs');
  for (const { release } of batches) release();
  t.same(await Promise.all([first, second]), [1, 2]);
});

t.test('an answer that comes later does not hold the lane', async (t) => {
  let settle: (answer: number) => void = () => undefined;
  const late = new Promise<number>((resolve) => {
    settle = resolve;
  });
  const batcher = new Batcher<number, number>({
    concurrency: 1,
    maxJobs: 8,
    send: async (jobs) => jobs.map((job) => (job === 2 ? late : job === 3 ? Promise.reject(new Error('three')) : job)),
  });
  const answers = Promise.allSettled([1, 2, 3].map((job) => batcher.add(job)));
  t.equal(await batcher.add(4), 4);
  t.equal(await batcher.add(5), 5, 'a batch after the one that is not wholly answered');
  settle(22);
  t.match(await answers, [
    { status: 'fulfilled', value: 1 },
    { status: 'fulfilled', value: 22 },
    { status: 'rejected', reason: { message: 'three' } },
  ]);
});
