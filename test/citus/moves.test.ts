import { withClient } from '../support/citus/cluster.js';
import { readShardMap } from '../support/citus/distributed.js';
import { openSessions, refresh, underLoad } from '../support/citus/refresh-load.js';
import { openCitusServer } from '../support/citus/server.js';
import { t } from '../support/tap.js';

void t.test('Citus: shards that are moved under load cost no request and lose nothing', async (t) => {
  const server = await openCitusServer(t);
  if (server === undefined) return;
  const sessions = await openSessions(server, 32);
  const before = await readShardMap(server.citusUrl);
  const [from, to] = [...before.nodes] as [string, string];
  const moved = new Set(sessions.map(({ id }) => before.find(id)).filter(({ node }) => node === from));
  t.ok(moved.size > 0, 'some sessions are on the first node');
  const place = (node: string): [host: string, port: number] => [
    node.slice(0, node.lastIndexOf(':')),
    Number(node.split(':').at(-1)),
  ];

  const countThere = async (): Promise<number> => {
    const after = await readShardMap(server.citusUrl);
    return sessions.filter(({ id }) => after.find(id).node === from).length;
  };
  const rate = await underLoad(server, sessions, () =>
    withClient(server.citusUrl, async (client) => {
      for (const shard of new Set([...moved].map(({ id }) => id))) {
        await client.query(
          "select citus_move_shard_placement($1, $2, $3, $4, $5, shard_transfer_mode := 'force_logical')",
          [shard, ...place(from), ...place(to)],
        );
      }
      t.equal(await countThere(), 0, 'all of them are on the other node');
      await client.query("select citus_rebalance_start(shard_transfer_mode := 'force_logical')");
      await client.query('select citus_rebalance_wait()');
      t.ok((await countThere()) > 0, 'and some are back');
    }),
  );
  t.comment(`${rate.toFixed(0)} refreshes a second`);

  t.strictSame(
    sessions.flatMap(({ answers }) => answers.filter(({ status }) => status !== 200)),
    [],
    'every refresh was answered with tokens',
  );
  for (const session of sessions) {
    t.equal((await refresh(server, session)).status, 200, 'the last token is still the newest');
    t.equal((await server.call('GET', '/user', { bearer: session.accessToken })).status, 200);
  }
});
