import { setTimeout as pause } from 'node:timers/promises';
import { type Test, t } from '../support/tap.js';
import { assertAlike } from '../support/timing-arms.js';

/** @returns what a test of these arms would assert: whether each is distinguishable, or that this could not be seen */
async function compare(rounds: number, other: () => Promise<unknown>): Promise<string[]> {
  const said: string[] = [];
  const recorder = {
    comment: () => undefined,
    pass: (_: string, { skip }: { skip: string }) => said.push(`skipped: ${skip}`),
    notOk: (isDistinguishable: boolean) => said.push(isDistinguishable ? 'distinguishable' : 'alike'),
  };
  const baseline = async () => undefined;
  await assertAlike(recorder as unknown as Test, { name: 'arms', rounds, baseline, others: { other } });
  return said;
}

t.test('an arm that takes longer is seen', async (t) => {
  t.same(await compare(24, () => pause(60)), ['distinguishable']);
});

t.test('where the control is not seen, an arm like the baseline is skipped', async (t) => {
  // So few rounds give no probability of 0.001, however near or far the times are.
  const [said] = await compare(4, async () => undefined);
  t.match(said, /^skipped: 5 ms more are not seen \(gap .*; load \d/);
});
