/** The console beside several server threads, through a reload, and as its commands set it up. */
import { join } from 'node:path';
import { Authenticator } from '../support/authenticator.js';
import { ConsoleBrowser } from '../support/console-browser.js';
import { freePort } from '../support/free-port.js';
import { makeDirectory, spawnReloadingServer } from '../support/reload.js';
import { runCommand } from '../support/run-command.js';
import { testEnvironment } from '../support/server.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull('servers with several threads, reloaded; threads of a server: rel-10-lost-thread-http, sec-76-metrics');

t.test('one port of the console for two threads and no other process, before and after a reload', async (t) => {
  const consolePort = await freePort();
  const settings = {
    SERVER_THREADS: '2',
    CRYPTO_THREADS: '2',
    DB_MAX_POOL_SIZE: '2',
    CONSOLE_PORT: String(consolePort),
  };
  const files = { 'a.env': 'AUTH_SITE_URL=https://one.example.com' };
  const server = await spawnReloadingServer(t, { settings, files, args: (path) => ['-d', path] });
  const empty = join(await makeDirectory(t, { empty: '' }), 'empty');
  const environment = testEnvironment(server.database.url, settings);
  const run = (...args: string[]) => runCommand(['operators', ...args], environment, empty);

  const created = await run('create', 'Ann@example.com', '--role', 'owner');
  t.match(created, { code: 0, out: /ann@example\.com \(owner\)/ });
  const link = /#([\w-]{43})\n/.exec(created.out)![1]!;
  t.match(await run('create', 'ann@example.com'), { code: 1, err: /There is an operator of this name/ });
  t.match(await run('create', 'x'), { code: 1, err: /2 to 64/ });
  t.match(await run('create', 'ben', '--role', 'king'), { code: 2, err: /viewer, support, admin, owner/ });
  const { AUTH_CONSOLE_PORT: _, ...without } = environment;
  const unset = { code: 2, err: /AUTH_CONSOLE_PORT is unset, and so is AUTH_CONSOLE_URL/ };
  t.match(await runCommand(['operators', 'create', 'ben'], without, empty), unset);
  t.match(await runCommand(['operators', 'reset', 'ann@example.com'], without, empty), unset);
  t.match(await run('create', 'ben'), { code: 0, out: /ben \(viewer\)/ });
  t.match(await run('role', 'ben', 'support'), { code: 0 });
  t.match(await run('role', 'ann@example.com', 'viewer'), { code: 1, err: /One owner has to remain/ });
  t.match(await run('reset', 'ben'), { code: 0, out: /\/link#/ });
  t.match(await run('list'), { code: 0, out: /ann@example\.com +owner +not set up +never signed in\nben +support/ });
  t.match(await run('remove', 'ben'), { code: 0 });
  t.match(await run('remove', 'ben'), { code: 1, err: /no such operator/ });

  const browser = new ConsoleBrowser(consolePort);
  const authenticator = new Authenticator({ origin: browser.origin });
  const { body } = await browser.post('/api/link/passkey/options', { link });
  const response = { link, challenge_id: body.challenge_id, credential: authenticator.create(body.options) };
  t.equal((await browser.post('/api/link/passkey', response)).status, 200);
  // A connection of its own each time, so that both threads get some.
  for (let n = 0; n < 4; n++) t.equal((await browser.get('/api/me')).status, 200);

  const second = spawnReloadingServer(t, {
    settings: { CONSOLE_PORT: String(consolePort), SERVER_THREADS: '1' },
    files: {},
    args: (path) => ['-d', path],
  });
  await t.rejects(second, /AUTH_CONSOLE_HOST and AUTH_CONSOLE_PORT/, 'a port that is taken ends the start');

  await server.write('a.env', 'AUTH_SITE_URL=https://two.example.com');
  await server.waitFor('The configuration was reloaded');
  for (let n = 0; n < 4; n++) t.equal((await browser.get('/api/me')).status, 200);
  t.same(await server.stop(), { code: 0, signal: null });
});
