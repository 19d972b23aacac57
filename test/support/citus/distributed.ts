/** A distributed database, without what only tests need: benches use it, too. */
import { distributeTables } from '../../../src/db/citus/distribute.js';
import { ShardMap } from '../../../src/db/citus/shard-map.js';
import { coordinatorStatements } from '../../../src/db/citus/statements.js';
import { migrate } from '../../../src/db/migrate.js';
import { createCitusDatabase, sealTemplate, withClient } from './cluster.js';

/** @param coordinator URL of a superuser. @returns the URL of a migrated and distributed database */
export async function makeDistributedDatabase(coordinator: string, name: string): Promise<string> {
  const url = await createCitusDatabase(coordinator, name);
  await migrate({ url, prefix: '' });
  await distributeTables({ url, prefix: '', onStep: () => undefined });
  return url;
}

/** Where the sessions are now. */
export async function readShardMap(url: string): Promise<ShardMap> {
  const statement = (name: string): string => coordinatorStatements('').get(`layout.${name}`)!.text;
  return withClient(url, async (client) => {
    const shards = await client.query(statement('shards'));
    const copies = await client.query(statement('copies'));
    return new ShardMap(shards.rows, copies.rows);
  });
}

/** A distributed database there that nobody uses, to be copied; `npm run test:citus` makes it. */
export const CITUS_TEMPLATE_VARIABLE = 'TEST_CITUS_TEMPLATE';

/** Whether the databases of all tests are distributed. */
export const CITUS_EVERYWHERE_VARIABLE = 'TEST_CITUS_EVERYWHERE';

/** @param url of the coordinator. @returns the name of a distributed database to be copied */
export async function makeTemplate(url: string): Promise<string> {
  const name = 'latchkey_template';
  await makeDistributedDatabase(url, name);
  await sealTemplate(url, name);
  return name;
}
