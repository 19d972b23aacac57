/** Looks at the database that are repeated: why one fails is logged, whatever kind of error it is, and once. */
import { setImmediate } from 'node:timers/promises';
import { DatabaseUnavailableError, PoolExhaustedError } from '../../src/db/errors.js';
import { watchLookFailures } from '../../src/db/look-failures.js';
import type { Database } from '../../src/db/types.js';
import { newOrganizationFigures, watchOrganizations } from '../../src/server/organizations/organization-figures.js';
import { watchSettings } from '../../src/server/stored-settings/watch-settings.js';
import { t } from '../support/tap.js';

const sqlError = Object.assign(new Error('permission denied'), { code: '42501', severity: 'ERROR' });

t.test('each reason once, until a look succeeds', async (t) => {
  const told: string[] = [];
  const failures = watchLookFailures((reason) => told.push(reason));
  for (const error of [sqlError, sqlError, new TypeError('no array'), 'a text', sqlError]) failures.note(error);
  t.same(told, ['permission denied', 'no array', 'a text', 'permission denied']);
  failures.note(new DatabaseUnavailableError(null));
  failures.note(new PoolExhaustedError());
  t.equal(told.length, 4, 'without a database others say so');
  failures.clear();
  failures.note(sqlError);
  t.equal(told.length, 5);
});

/** A database whose statements fail so. */
const failingWith = (error: unknown) => ({ run: () => Promise.reject(error) }) as unknown as Database;

t.test('what is no error of SQL is told, too: settings, and figures of organizations', async (t) => {
  const lines: object[] = [];
  const log = { error: (line: object) => void lines.push(line), warn: (line: object) => void lines.push(line) };
  const error = new TypeError('the answer has no rows');
  const db = failingWith(error);
  const use = { processId: 'p', version: 0, error: null, isKnown: false };
  const settings = watchSettings({ db, use, log, onNewest: () => undefined });
  const stop = watchOrganizations(db, log, newOrganizationFigures(), 60_000);
  while (lines.length < 2) await setImmediate();
  settings.close();
  stop();
  t.match(
    new Set(lines.map((line) => (line as { component: string }).component)),
    new Set(['config', 'organizations']),
  );
  for (const line of lines) t.match(line, { error: error.message });
});
