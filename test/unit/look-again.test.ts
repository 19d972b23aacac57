import { setImmediate as nextTurn } from 'node:timers/promises';
import { lookAgain } from '../../src/batching/look-again.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

const HOUR_MS = 3_600_000;

/** Looks that end when they are told to. */
function openLooks() {
  const ends: (() => void)[] = [];
  const look = () => new Promise<void>((resolve) => void ends.push(resolve));
  return { ends, looks: lookAgain(look, () => HOUR_MS, HOUR_MS) };
}

t.test('a look that is wanted while one runs follows as soon as that has ended', async (t) => {
  const { ends, looks } = openLooks();
  t.teardown(looks.close);
  looks.now();
  looks.now();
  looks.now();
  t.equal(ends.length, 1, 'one at a time');
  ends[0]!();
  await until(() => ends.length === 2);
});

t.test('none follows after the end, not even one that was wanted', async (t) => {
  const { ends, looks } = openLooks();
  looks.now();
  looks.now();
  looks.close();
  ends[0]!();
  await nextTurn();
  looks.now();
  await nextTurn();
  t.equal(ends.length, 1);
});
