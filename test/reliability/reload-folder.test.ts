import { rm } from 'node:fs/promises';
import { isSignupOff, RELOADED, spawnReloadingServer } from '../support/reload.js';
import { t } from '../support/tap.js';

t.test('folder: a changed, a new and a removed file are reloaded after the grace period', async (t) => {
  const server = await spawnReloadingServer(t, {
    settings: { DISABLE_SIGNUP: 'false', RELOADING_GRACE_PERIOD_INTERVAL: '300ms' },
    files: { 'a.env': '# nothing yet\n' },
    args: (directory) => ['-d', directory],
  });
  t.equal(await isSignupOff(server.url), false);
  await server.write('b.json', '{"AUTH_DISABLE_SIGNUP": "true"}');
  t.match(await server.waitFor(RELOADED), { reason: 'notify', changed: ['AUTH_DISABLE_SIGNUP'], generation: 2 });
  t.equal(await isSignupOff(server.url), true, 'over the environment');
  await server.write('b.json', '{"AUTH_DISABLE_SIGNUP": "perhaps"}');
  t.match(await server.waitFor('The configuration was not reloaded'), { variable: 'AUTH_DISABLE_SIGNUP' });
  t.equal(await isSignupOff(server.url), true, 'the former configuration stays');
  await rm(`${server.directory}/b.json`);
  t.match(await server.waitFor(RELOADED, 2), { changed: ['AUTH_DISABLE_SIGNUP'], generation: 3 });
  t.equal(await isSignupOff(server.url), false, 'a removed name falls back');
  t.same(await server.stop(), { code: 0, signal: null });
});
