/** docs/growing/citus.md lists what Citus refuses, and what asks all shards. */
import { coordinatorStatements } from '../../src/db/citus/statements.js';
import { withClient } from '../support/citus/cluster.js';
import { createDistributedDatabase } from '../support/citus/server.js';
import { tryStatements } from '../support/citus/try-statements.js';
import { readSource } from '../support/source-tree.js';
import { t } from '../support/tap.js';

const HOT = ['sessions.redeem_refresh_token', 'users.known_caller', 'users.caller', 'account-locks.session'];

/** @returns the names in code spans of the paragraph that begins so */
function listed(start: string): string[] {
  const paragraph = readSource('docs/growing/citus.md')
    .text.split(/\n\n+/)
    .find((text) => text.startsWith(start));
  return [...(paragraph ?? '').matchAll(/`([a-z-]+\.[a-z_]+)`/g)].map(([, name]) => name!).sort();
}

void t.test('Citus plans all statements but those that docs/growing/citus.md lists', async (t) => {
  const url = await createDistributedDatabase(t);
  if (url === undefined) return;
  const statements = coordinatorStatements('');
  const found = await withClient(url, (client) => tryStatements(client, statements.values()));
  t.same([...found.refused.keys()].sort(), listed('Citus 13.2 refuses, with'), 'refused');
  const own = found.ofAllShards.filter((key) => !key.startsWith('layout.'));
  t.same(own.sort(), listed('These ask all shards'), 'of all shards');
  for (const key of HOT) t.equal(found.tasks.get(key), 1, `${key} asks one shard`);
});
