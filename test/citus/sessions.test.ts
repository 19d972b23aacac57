import { distributeTables } from '../../src/db/citus/distribute.js';
import { hashUuid } from '../../src/db/citus/hash-uuid.js';
import { readClusterLayout } from '../../src/db/citus/layout.js';
import { withClient } from '../support/citus/cluster.js';
import { openCitusServer } from '../support/citus/server.js';
import { password } from '../support/server.js';
import { t } from '../support/tap.js';

void t.test('Citus: a session lives on one node of three', async (t) => {
  const server = await openCitusServer(t);
  if (server === undefined) return;
  const { citusUrl: url, post, call } = server;

  const opened = await post('/signup', { email: 'a@example.com', password });
  t.equal(opened.status, 200);
  // biome-ignore lint/suspicious/noExplicitAny: an answer.
  let tokens: any = opened.body;
  for (let i = 0; i < 8; i++) {
    const { status, body } = await post('/token?grant_type=refresh_token', { refresh_token: tokens.refresh_token });
    t.equal(status, 200, `refresh ${i}`);
    tokens = body;
    const { status: read, body: user } = await call('GET', '/user', { bearer: tokens.access_token });
    t.equal(read, 200);
    t.equal(user.email, 'a@example.com');
  }

  await t.test('the hash is that of Citus', async (t) => {
    const { rows } = await withClient(url, (client) =>
      client.query(
        'select u::text as id, worker_hash(u) as hash from (select gen_random_uuid() as u from generate_series(1, 500)) g',
      ),
    );
    t.strictSame(
      rows.filter(({ id, hash }) => hashUuid(id) !== hash),
      [],
    );
  });

  await t.test('refreshes go to the node that has the session', async (t) => {
    const { rows } = await withClient(url, (client) =>
      client.query(
        "select success, result from run_command_on_workers($$select count(*) from pg_stat_activity where application_name = 'latchkey' and datname = current_database()$$)",
      ),
    );
    t.ok(
      rows.some(({ success, result }) => success && Number(result) > 0),
      'a worker has connections of the server',
    );
  });

  await t.test('a used token ends the session on its node', async (t) => {
    const again = await post('/token?grant_type=refresh_token', { refresh_token: opened.body.refresh_token });
    t.equal(again.status, 400);
    t.equal(again.body.error_code, 'refresh_token_already_used');
    const after = await post('/token?grant_type=refresh_token', { refresh_token: tokens.refresh_token });
    t.equal(after.status, 400);
  });

  await t.test('distribute can be run again, and the layout is balanced', async (t) => {
    const steps: string[] = [];
    await distributeTables({ url, prefix: '', onStep: (text) => steps.push(text) });
    t.strictSame(steps, []);
    const layout = await readClusterLayout(url, '');
    t.strictSame(layout?.problems, []);
    t.strictSame(
      layout?.nodes.map(({ shards }) => shards),
      [4, 4],
    );
  });

  await t.test('distributing again after a release with another column of accounts', async (t) => {
    const statement = "alter table users add column added_later text default 'value'";
    await withClient(url, (client) => client.query(statement));
    const steps: string[] = [];
    await distributeTables({ url, prefix: '', onStep: (text) => steps.push(text) });
    t.strictSame(steps, ['each node has a copy of users']);
    const { rows } = await withClient(url, (client) => client.query('select distinct added_later from node_users'));
    t.strictSame(rows, [{ added_later: 'value' }]);
    const { status, body } = await post('/token?grant_type=password', { email: 'a@example.com', password });
    t.equal(status, 200);
    t.equal((await call('GET', '/user', { bearer: body.access_token })).status, 200);
  });
});
