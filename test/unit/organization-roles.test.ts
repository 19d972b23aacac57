import { DatabaseUnavailableError } from '../../src/db/errors.js';
import type { Database } from '../../src/db/types.js';
import { followRoles } from '../../src/server/organizations/follow-roles.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

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

t.test('what cannot be read is logged once, a database that is away is not', async (t) => {
  const said: unknown[] = [];
  const failures = [
    new DatabaseUnavailableError(undefined),
    new TypeError('a role that cannot be'),
    new TypeError('a role that cannot be'),
  ];
  let looks = 0;
  const run = (): Promise<never[]> => {
    looks += 1;
    const failure = failures[looks - 1];
    return failure === undefined ? Promise.resolve([]) : Promise.reject(failure);
  };
  const roles = await followRoles({ run } as unknown as Database, { error: (fields: object) => said.push(fields) });
  t.teardown(() => roles.close());
  t.same(said, []);
  await until(() => Promise.resolve(looks > failures.length));
  t.match(said, [{ component: 'organizations', error: 'a role that cannot be' }]);
  t.equal(said.length, 1);
});
