import { serveChannel, ThreadChannel } from '../../src/workers/thread-channel.js';
import { type Test, t } from '../support/tap.js';

/** Requests served by this thread, which end on command. */
function openLine(t: Test) {
  const ends: ((reason: Error) => void)[] = [];
  const line = new ThreadChannel((port) => {
    t.teardown(() => port.close());
    void serveChannel(port, {
      double: (numbers: readonly number[]) => numbers.map((n) => 2 * n),
      fail: (text: string) => {
        throw new Error(text);
      },
    });
    return new Promise((_, reject) => ends.push(reject));
  });
  t.teardown(() => {
    for (const end of ends) end(new Error('the test is over'));
  });
  return { line, ends };
}

t.test('every caller gets its own answer', async (t) => {
  const { line, ends } = openLine(t);
  const asked = [1, 2, 3, 4].map((n) => line.send({ task: 'double', jobs: [n] }));
  t.equal(line.length, 4);
  t.same(await Promise.all(asked), [[2], [4], [6], [8]]);
  t.equal(line.length, 0);
  t.equal(ends.length, 1, 'by one thread');
});

t.test('a failed job fails alone', async (t) => {
  const { line } = openLine(t);
  const [good, bad, unknown, last] = await Promise.allSettled([
    line.send({ task: 'double', jobs: [1] }),
    line.send({ task: 'fail', jobs: 'too bad' }),
    line.send({ task: 'nothing', jobs: null }),
    line.send({ task: 'double', jobs: [2] }),
  ]);
  t.match(good, { value: [2] });
  t.match(bad, { reason: { message: 'too bad' } });
  t.match(unknown, { status: 'rejected' });
  t.match(last, { value: [4] });
});

t.test('a job that cannot be serialised fails alone', async (t) => {
  const { line } = openLine(t);
  const [bad, good] = await Promise.allSettled([
    line.send({ task: 'double', jobs: () => 1 }),
    line.send({ task: 'double', jobs: [2] }),
  ]);
  t.match(bad, { reason: { name: 'DataCloneError' } });
  t.match(good, { value: [4] });
});

t.test('a thread that ends fails its pending jobs, and the next one takes over', async (t) => {
  const { line, ends } = openLine(t);
  await line.send({ task: 'double', jobs: [1] });
  const waiting = [1, 2].map((n) => line.send({ task: 'double', jobs: [n] }));
  ends[0]!(new Error('out of memory'));
  const results = await Promise.allSettled(waiting);
  t.match(
    results.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  t.equal(line.length, 0);
  t.same(await line.send({ task: 'double', jobs: [3] }), [6]);
  t.equal(ends.length, 2);
});
