import { BreakerOpenError, FAILURES_TO_OPEN, makeBreaker, OPEN_SECONDS } from '../../src/server/outbound/breaker.js';
import { type Test, t } from '../support/tap.js';

function setUp() {
  const state = { time: 0, changes: [] as boolean[], calls: 0 };
  const breaker = makeBreaker({
    now: () => state.time,
    isFailure: (error) => (error as Error).message !== 'number',
    onChange: (isOpen) => void state.changes.push(isOpen),
  });
  const run = (result: 'good' | 'bad' | 'number') =>
    breaker.run(async () => {
      state.calls++;
      if (result !== 'good') throw new Error(result);
      return result;
    });
  const fail = async (t: Test, times: number) => {
    for (let i = 0; i < times; i++) await t.rejects(run('bad'), { message: 'bad' });
  };
  return { state, breaker, run, fail };
}

t.test('opens after 5 failures in a row, and tries again after 30 s', async (t) => {
  const { state, breaker, run, fail } = setUp();
  await fail(t, FAILURES_TO_OPEN - 1);
  t.equal(await run('good'), 'good');
  await fail(t, FAILURES_TO_OPEN);
  t.same(state.changes, [true]);
  const { calls } = state;
  await t.rejects(run('good'), new BreakerOpenError(OPEN_SECONDS));
  state.time = OPEN_SECONDS * 1000 - 1;
  await t.rejects(run('good'), new BreakerOpenError(1));
  t.equal(state.calls, calls, 'nothing was run');
  state.time += 1;
  t.equal(breaker.waitSeconds(), 0);
  t.equal(await run('good'), 'good');
  t.same(state.changes, [true, false]);
  await fail(t, FAILURES_TO_OPEN - 1);
  t.equal(await run('good'), 'good', 'the count began anew');
});

t.test('one probe at a time; a failed one opens it for another 30 s', async (t) => {
  const { state, breaker, run, fail } = setUp();
  await fail(t, FAILURES_TO_OPEN);
  state.time = OPEN_SECONDS * 1000;
  let failProbe = (_error: Error): void => {};
  const probing = breaker.run(() => new Promise((_resolve, reject) => (failProbe = reject)));
  await t.rejects(run('good'), new BreakerOpenError(1));
  failProbe(new Error('bad'));
  await t.rejects(probing, { message: 'bad' });
  await t.rejects(run('good'), new BreakerOpenError(OPEN_SECONDS));
  state.time += OPEN_SECONDS * 1000;
  await t.rejects(run('number'), { message: 'number' });
  t.equal(await run('good'), 'good', 'a gateway that rejects a number works');
  t.same(state.changes, [true, false]);
});

t.test('refused numbers do not count, and late failures do not prolong it', async (t) => {
  const { state, breaker, run, fail } = setUp();
  for (let i = 0; i < 20; i++) await t.rejects(run('number'), { message: 'number' });
  t.same(state.changes, []);
  let failLate = (_error: Error): void => {};
  const underWay = breaker.run(() => new Promise((_resolve, reject) => (failLate = reject)));
  await fail(t, FAILURES_TO_OPEN);
  state.time = 20_000;
  failLate(new Error('bad'));
  await t.rejects(underWay);
  t.equal(breaker.waitSeconds(), 10);
});
