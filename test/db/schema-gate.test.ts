import { DatabaseUnavailableError, SchemaNotReadyError } from '../../src/db/errors.js';
import { requireSchema } from '../../src/db/schema-gate.js';
import type { Database } from '../../src/db/types.js';
import { t } from '../support/tap.js';

t.test('REL-30: until the schema is current, an unreachable database is part of the start', async (t) => {
  const refused = new Error('connect ECONNREFUSED');
  const answers: (() => unknown)[] = [
    () => {
      throw new DatabaseUnavailableError(refused);
    },
    () => [{ version: 1 }],
    () => [{ version: 2 }],
    () => 'of the statement',
    () => {
      throw new DatabaseUnavailableError(refused);
    },
  ];
  const db = { run: async () => answers.shift()!() } as unknown as Database;
  const gated = requireSchema(db, 2);
  const run = () => (gated.run as (name: string, values: unknown[]) => Promise<unknown>)('any', []);

  const unreached = await run().catch((error: unknown) => error);
  t.type(unreached, SchemaNotReadyError, 'which background work does not report');
  t.match(unreached, { message: 'The database cannot be reached right now.', cause: refused }, 'with the reason');
  t.match(await run().catch((error: unknown) => error), { message: /still being made/ });
  t.equal(await run(), 'of the statement');
  const lost = await run().catch((error: unknown) => error);
  t.type(lost, DatabaseUnavailableError);
  t.notOk(lost instanceof SchemaNotReadyError, 'afterwards it is a fault');
});
