/** The journal of calls of provisioning. */
import type { ScimCallInput } from '../../src/db/scim-calls.js';
import type { Database } from '../../src/db/types.js';
import type { ProvisioningAnswer } from '../../src/server/http/types.js';
import { openScimJournal } from '../../src/server/records/scim-journal.js';
import { keepLog } from '../support/quiet-log.js';
import { t } from '../support/tap.js';

t.test('calls of one millisecond keep their order', async (t) => {
  const calls: ScimCallInput[] = [];
  const run = async (name: string, [batch]: readonly unknown[]) => {
    if (name === 'scim-calls.insert') calls.push(...JSON.parse(batch as string));
    return [];
  };
  const describe = (_answer: ProvisioningAnswer, calledAt: string) => ({ called_at: calledAt }) as ScimCallInput;
  const journal = openScimJournal({ db: { run } as unknown as Database, log: keepLog(), describe });
  for (let n = 0; n < 100; n++) journal.record({} as ProvisioningAnswer);
  await journal.close();
  const times = calls.map(({ called_at }) => called_at);
  t.equal(times.length, 100);
  t.same(times, [...new Set(times)].sort());
});
