/** Commands in another shell find the latchkey dev that runs there, and its database. */
import { startDev } from '../support/dev-server.js';
import { ownLaunch, runBinary } from '../support/process.js';
import { call } from '../support/server.js';
import { onlyInFull, t } from '../support/tap.js';
import { until } from '../support/until.js';

onlyInFull('a latchkey dev and six commands, 6 s; the commands by themselves: http/config-diff');

const server = await startDev(t);
const { url } = server;

t.test('commands in another shell reach its database', async (t) => {
  const cwd = t.testdir({ '.data': t.fixture('symlink', server.directory) });
  const run = (...args: string[]) => runBinary(t, args, { PATH: process.env['PATH']! }, { ...ownLaunch, cwd });
  const set = await run('config', 'set', 'AUTH_DISABLE_SIGNUP=true', 'AUTH_SMTP_PASS=hidden');
  t.match(set, { code: 0, stdout: /\+ AUTH_DISABLE_SIGNUP {2}true\n[\s\S]*Stored as set/ });
  t.match(set.stderr, /^With the settings of the latchkey dev that runs with its data in .*\.data\.\n$/);
  const isOff = async () => (await call(url, 'GET', '/settings')).body.disable_signup;
  await until(isOff);
  t.match(await run('config', 'diff', '--check'), { code: 0, stdout: /Nothing differs/ }, 'the same secrets open it');
  t.match(await run('config', 'show', `--data=${server.directory}`), { code: 0, stdout: /AUTH_SMTP_PASS/ });
  t.match(await run('keys', 'list'), { code: 0, stdout: /ES256/ });
  t.match(await run('config', 'rollback', '0', `--data=${server.directory}`), { code: 0 });
  await until(async () => !(await isOff()));
});
