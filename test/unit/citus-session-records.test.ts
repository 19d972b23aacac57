/** Records that nodes have left are carried to the coordinator: in batches, past those that it refuses, and no longer than the server runs. */
import { SessionRecords } from '../../src/db/citus/session-records.js';
import { DatabaseUnavailableError } from '../../src/db/errors.js';
import type { SqlValue, Statements } from '../../src/db/types.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

const idOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** A node with so many records, and a coordinator. */
function open(count: number, refuses: (ids: readonly string[]) => Error | undefined = () => undefined) {
  const left = new Map(
    Array.from({ length: count }, (_, n) => [idOf(n + 1), { session_id: idOf(n + 1), id: idOf(n + 1) }]),
  );
  const taken: string[] = [];
  const warnings: object[] = [];
  let batches = 0;
  const run = async (name: string, values: readonly SqlValue[]): Promise<unknown[]> => {
    if (name === 'session-records.waiting@1') {
      const found = [...left.values()].filter(({ id }) => id > String(values[1])).slice(0, 200);
      return [{ records: found.length === 0 ? null : found }];
    }
    if (name === 'session-records.remove@1') {
      for (const id of values[1] as unknown as string[]) left.delete(id);
      return [];
    }
    batches += 1;
    const ids = (JSON.parse(String(values[0])) as { id: string }[]).map(({ id }) => id);
    const refusal = refuses(ids);
    if (refusal !== undefined) throw refusal;
    taken.push(...ids);
    return [];
  };
  const statements = { run } as unknown as Statements;
  const log = { debug: () => undefined, info: () => undefined, warn: (fields: object) => warnings.push(fields) };
  const records = new SessionRecords({ coordinator: statements, nodeOf: () => statements, log: log as never });
  return { records, left, taken, warnings, countBatches: () => batches };
}

t.test('all are carried, each once', async (t) => {
  const { records, left, taken } = open(1001);
  records.carry('1');
  records.carry('1');
  await until(() => left.size === 0);
  await records.close();
  t.equal(taken.length, 1001);
  t.equal(new Set(taken).size, 1001);
});

t.test('those that the coordinator refuses stay, also more than come at a time, and hold up no other', async (t) => {
  const refused = new Set(Array.from({ length: 250 }, (_, n) => idOf(n + 1)));
  const { records, left, taken, warnings, countBatches } = open(400, (ids) =>
    ids.some((id) => refused.has(id)) ? new Error('refused') : undefined,
  );
  records.carry('1');
  await until(() => taken.length === 150);
  await until(() => left.size === 250);
  t.equal(warnings.length, 250, 'each is said');
  const before = countBatches();
  records.carry('1');
  await records.close();
  t.equal(countBatches(), before, 'they are not tried with each log-out');
  t.equal(warnings.length, 250);
});

t.test('without the coordinator nothing is removed, and nothing is refused', async (t) => {
  const { records, left, warnings } = open(3, () => new DatabaseUnavailableError(new Error('away')));
  records.carry('1');
  await records.close();
  t.equal(left.size, 3);
  t.same(warnings, []);
});

t.test('a server that stops does not wait for all', async (t) => {
  let begun = 0;
  const { records, left } = open(10_000, () => {
    begun += 1;
    if (begun === 3) void records.close();
    return undefined;
  });
  records.carry('1');
  await until(() => begun >= 3);
  await records.close();
  t.equal(left.size, 10_000 - 3 * 200, 'what has begun is ended');
  records.carry('1');
  await records.close();
  t.equal(begun, 3);
});
