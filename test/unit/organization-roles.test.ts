import type { Database } from '../../src/db/types.js';
import { followRoles } from '../../src/server/organizations/follow-roles.js';
import { t } from '../support/tap.js';

t.test('REL-04: a database that does not answer delays no start', async (t) => {
  let answer = (_rows: never[]): void => {};
  const run = (): Promise<never[]> =>
    new Promise((resolve) => {
      answer = resolve;
    });
  const roles = await followRoles({ run } as unknown as Database, { error: () => t.fail('nothing is logged') });
  t.teardown(() => roles.close());
  t.throws(() => roles.catalog(), /busy/, 'without roles nothing is signed for an organization');
  answer([]);
  await new Promise(setImmediate);
  t.ok(roles.catalog().names.has('owner'), 'an answer that comes later counts');
});
