import { rename } from 'node:fs/promises';
import { isSignupOff, RELOADED, spawnReloadingServer } from '../support/reload.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull('two servers of their own; the same by events of the folder: reload-folder');

t.test('folder: the poller notices a file, where events are off', async (t) => {
  const server = await spawnReloadingServer(t, {
    settings: {
      RELOADING_NOTIFY_ENABLED: 'false',
      RELOADING_POLLER_ENABLED: 'true',
      RELOADING_POLLER_INTERVAL: '200ms',
      RELOADING_GRACE_PERIOD_INTERVAL: '100ms',
    },
    files: { 'a.tmp': 'AUTH_DISABLE_SIGNUP=true\n' },
    args: (directory) => ['-d', directory],
  });
  await rename(`${server.directory}/a.tmp`, `${server.directory}/a.env`);
  t.match(await server.waitFor(RELOADED), { reason: 'poller', generation: 2 });
  t.equal(await isSignupOff(server.url), true);
  t.same(await server.stop(), { code: 0, signal: null });
});

t.test(
  'signal: the chosen one reloads the file of -c, here JSON; a missing folder does not stop the start',
  async (t) => {
    const server = await spawnReloadingServer(t, {
      settings: { RELOADING_SIGNAL_ENABLED: 'true', RELOADING_NOTIFY_ENABLED: 'false' },
      files: { 'c.json': '{"AUTH_DISABLE_SIGNUP": "false"}' },
      args: (directory) => ['-c', `${directory}/c.json`, '--config-dir', `${directory}/nowhere`],
    });
    t.equal(server.logged('nowhere does not exist').length, 1);
    await server.write('c.json', '{"AUTH_DISABLE_SIGNUP": "true"}');
    server.signal('SIGUSR1');
    t.match(await server.waitFor(RELOADED), { reason: 'SIGUSR1', generation: 2 });
    t.equal(await isSignupOff(server.url), true);
    t.same(await server.stop(), { code: 0, signal: null });
  },
);
