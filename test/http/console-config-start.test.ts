/** Sets of settings with which a server must start all the same, and operators find back. */
import { openTestConsole } from '../support/console.js';
import { openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

t.test('a broken set keeps no server from starting', async (t) => {
  const console = await openTestConsole(t, { PAGES_LOGO_FILE: '/nowhere/logo.svg' });
  const owner = await console.signIn('owner');
  t.match(await owner.post('/api/config', { base_version: 0, changes: { AUTH_PAGES_NAME: 'Good' } }), { status: 200 });
  await until(async () => (await owner.get('/api/config')).body.processes[0]?.version === 1);
  const words = { AUTH_PAGES_TEXTS: '{"en":{"nothing":"x"}}', AUTH_PAGES_ENABLED: 'true' };
  t.match(await owner.post('/api/config', { base_version: 1, changes: words }), {
    status: 422,
    body: { faults: [{ name: 'AUTH_PAGES_TEXTS', problem: /no page has the text/ }] },
  });
  // The file is no setting of the database, and that it is not there shows only when it is read.
  t.match(
    await owner.post('/api/config', {
      base_version: 1,
      changes: { AUTH_PAGES_ENABLED: 'true', AUTH_DISABLE_SIGNUP: 'true' },
    }),
    { status: 200 },
  );
  await until(async () => (await owner.get('/api/config')).body.processes[0]?.error !== null);
  const other = await openTestServer(t, {
    DB_DATABASE_URL: console.database.url,
    CONSOLE_PORT: String(console.consolePort + 1),
    PAGES_LOGO_FILE: '/nowhere/logo.svg',
  });
  t.match(await other.call('GET', '/settings'), { status: 200, body: { disable_signup: false } });
  await until(async () => (await owner.get('/api/config')).body.processes.length === 2);
  t.match((await owner.get('/api/config')).body.processes, [
    { version: 1, error: /nowhere/ },
    { version: 1, error: /nowhere/ },
  ]);
  t.match(await owner.post('/api/config', { base_version: 2, changes: { AUTH_PAGES_ENABLED: null } }), { status: 200 });
  await until(async () => ((await other.call('GET', '/settings')).body as { disable_signup: boolean }).disable_signup);
});

t.test('no set locks the operators out', async (t) => {
  const console = await openTestConsole(t);
  const owner = await console.signIn('owner');
  const changes = {
    AUTH_API_MAX_REQUEST_DURATION: '1ms',
    AUTH_RATE_LIMIT_HEADER: 'X-Nothing',
    AUTH_REQUEST_ID_HEADER: 'Cookie',
  };
  t.match(await owner.post('/api/config', { base_version: 0, changes }), { status: 200 });
  await until(async () => (await owner.get('/api/config')).body.processes?.[0]?.version === 1);
  const other = await console.signIn('owner', 'other');
  t.match(await other.post('/api/config/rollback', { base_version: 1, version: 0 }), {
    status: 200,
    body: { version: 2 },
  });
});
