import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTestDatabase } from '../support/database.js';
import { runCommand } from '../support/run-command.js';
import { testEnvironment } from '../support/server.js';
import { t } from '../support/tap.js';

t.test('check clock', async (t) => {
  const { url: database, admin } = await createTestDatabase(t);
  let date: string | null = null;
  const server = createServer((_request, response) => {
    response.sendDate = false;
    if (date !== null) response.setHeader('Date', date);
    response.end();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const check = (...args: string[]) => runCommand(['check', 'clock', ...args], testEnvironment(database), '/dev/null');

  t.match(await check(), { code: 0, out: /^ok +database is 0\.\d\d s (?:ahead|behind) .*\n\nThe clocks agree\.\n$/ });
  date = new Date().toUTCString();
  t.match(await check(url), { code: 0, out: /^ok +http:.* is [01]\.\d\d s/m });
  date = new Date(Date.now() - 60_000).toUTCString();
  t.match(await check(url), { code: 1, out: /^far +http:.* is (?:59|60)\.\d\d s behind of this machine[\s\S]*NTP/m });
  date = null;
  t.match(await check(url), { code: 1, err: /no Date header/ });

  await admin.query(`
    create function clock_timestamp() returns timestamptz language sql
      return pg_catalog.clock_timestamp() + interval '1 minute'`);
  await admin.query(`alter database ${new URL(database).pathname.slice(1)} set search_path = public, pg_catalog`);
  const farDatabase = { code: 1, out: /^far +database is (?:59|60)\.\d\d s ahead of this machine/m };
  t.match(await check(), farDatabase);
  date = new Date().toUTCString();
  const both = await check(url);
  t.match(both, farDatabase, 'whatever another clock says');
  t.match(both.out, /^ok +http:/m);
});
