import { readCitusVersion } from '../../src/db/citus/cluster-client.js';
import { distributeTables } from '../../src/db/citus/distribute.js';
import { readClusterLayout } from '../../src/db/citus/layout.js';
import { migrate } from '../../src/db/migrate.js';
import { nodesOf, withClient } from '../support/citus/cluster.js';
import { createEmptyDatabase } from '../support/citus/server.js';
import { t } from '../support/tap.js';

const distribute = (url: string, onStep: (text: string) => void = () => undefined): Promise<void> =>
  distributeTables({ url, prefix: '', onStep });

void t.test('Citus: what stands in the way is said, with the remedy', async (t) => {
  const url = await createEmptyDatabase(t);
  if (url === undefined) return;
  await migrate({ url, prefix: '' });
  const worker = (await nodesOf(url)).find((node) => node !== url)!;
  const change = (sql: string) => withClient(url, (client) => client.query(sql));
  const refusal = (address: string, message: RegExp) =>
    t.rejects(distribute(address), { name: 'CannotDistributeError', message }, String(message));

  await refusal(worker, /This is a worker\. DATABASE_URL has to name the coordinator/);
  await change('update pg_dist_node set isactive = false where groupid = 1');
  await refusal(url, /is not active: select citus_activate_node/);
  await change('update pg_dist_node set isactive = true, shouldhaveshards = false');
  await refusal(url, /There is no worker: select citus_add_node/);
  await change('update pg_dist_node set shouldhaveshards = groupid > 0');
  const version = await withClient(url, readCitusVersion);
  await change("update pg_extension set extversion = '11.3-1' where extname = 'citus'");
  await refusal(url, /Citus 11\.3-1 is too old: 12 or later is needed/);
  await change(`update pg_extension set extversion = '${version}' where extname = 'citus'`);

  await t.test('what is there in part is finished', async (t) => {
    await change('create table node_users as select * from users with no data');
    await change('alter table node_users add primary key (id)');
    await change("select create_reference_table('node_users')");
    const [problem] = (await readClusterLayout(url, ''))!.problems;
    t.match(
      problem,
      /distributed in part: .*sessions, session_records are missing\. Run latchkey migrate --distribute again/,
    );
    const steps: string[] = [];
    await distribute(url, (text) => steps.push(text));
    t.ok(steps.includes('sessions is distributed by id'));
    t.strictSame((await readClusterLayout(url, ''))!.problems, []);
  });

  await t.test('after an upgrade it is to be distributed again', async (t) => {
    await change(
      'update migrations set migration_id = 9999 where migration_id = (select max(migration_id) from migrations)',
    );
    const { problems } = (await readClusterLayout(url, ''))!;
    t.match(problems, [/before its last migration\. Run latchkey migrate --distribute again/]);
    await distribute(url);
    t.strictSame((await readClusterLayout(url, ''))!.problems, []);
  });
});
