/** docs/growing/citus.md says how many shards each statement asks. */
import { coordinatorStatements } from '../../src/db/citus/statements.js';
import { withClient } from '../support/citus/cluster.js';
import { createDistributedDatabase } from '../support/citus/server.js';
import { tryStatements } from '../support/citus/try-statements.js';
import { readSource } from '../support/source-tree.js';
import { t } from '../support/tap.js';

/** Of every request of a session. */
const HOT = ['sessions.redeem_refresh_token', 'users.known_caller', 'users.caller', 'account-locks.session'];

/** @returns the names in code spans of the paragraph that begins so */
function listed(start: string): string[] {
  const paragraph = readSource('docs/growing/citus.md')
    .text.split(/\n\n+/)
    .find((text) => text.startsWith(start));
  return [...(paragraph ?? '').matchAll(/`([a-z-]+\.[a-z_]+)`/g)].map(([, name]) => name!).sort();
}

void t.test('Citus runs all statements; how many shards each asks is in docs/growing/citus.md', async (t) => {
  const url = await createDistributedDatabase(t);
  if (url === undefined) return;
  const statements = coordinatorStatements('');
  const { refused, shards } = await withClient(url, (client) => tryStatements(client, statements.values()));
  t.strictSame([...refused], [], 'none is refused');
  t.equal(shards.size, statements.size, 'each was planned');
  const those = (wanted: string): string[] =>
    [...shards].flatMap(([key, found]) => (found === wanted && !key.startsWith('layout.') ? [key] : [])).sort();
  t.same(those('one'), listed('These ask one shard'), 'of one shard');
  t.same(those('all'), listed('These ask all shards'), 'of all shards');
  for (const key of HOT) t.equal(shards.get(key), 'one', `${key} asks one shard`);
});
