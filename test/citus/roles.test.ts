import { randomBytes } from 'node:crypto';
import { distributeTables } from '../../src/db/citus/distribute.js';
import { migrate } from '../../src/db/migrate.js';
import { createCitusDatabase, dropCitusDatabase, nodesOf, withClient } from '../support/citus/cluster.js';
import { CITUS_SETTINGS, CITUS_URL } from '../support/citus/server.js';
import { skipHere } from '../support/not-here.js';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';

void t.test('Citus: servers connect as the owner of the tables, who is no superuser', async (t) => {
  const coordinator = CITUS_URL;
  if (coordinator === undefined)
    return skipHere(t, 'no Citus: npm run test:citus starts the nodes of an installed one');
  const name = `latchkey_test_${randomBytes(6).toString('hex')}`;
  const role = `owner_${randomBytes(4).toString('hex')}`;
  const url = await createCitusDatabase(coordinator, name);
  const nodes = await nodesOf(url);
  t.teardown(async () => {
    await dropCitusDatabase(coordinator, name).catch(() => undefined);
    for (const node of await nodesOf(coordinator))
      await withClient(node, (client) => client.query(`drop role if exists ${role}`));
  });
  for (const node of nodes) {
    await withClient(node, async (client) => {
      await client.query(`do $$ begin create role ${role} login; exception when duplicate_object then null; end $$`);
      await client.query(`grant create on schema public to ${role}`);
    });
  }
  const asOwner = new URL(url);
  asOwner.username = role;
  await migrate({ url: asOwner.href, prefix: '' });

  const distribute = (address: string) => distributeTables({ url: address, prefix: '', onStep: () => undefined });
  await distribute(url);
  const { call, post } = await openTestServer(t, CITUS_SETTINGS, () => asOwner.href);
  const email = freshEmail();
  const opened = await post('/signup', { email, password });
  t.equal(opened.status, 200);
  const { status, body } = await post('/token?grant_type=refresh_token', { refresh_token: opened.body.refresh_token });
  t.equal(status, 200);
  t.equal((await call('GET', '/user', { bearer: body.access_token })).status, 200);
  t.equal((await post('/token?grant_type=password', { email, password })).status, 200);
  t.equal((await call('POST', '/logout', { bearer: body.access_token })).status, 204);
});
