import { runBinary } from '../support/process.js';
import { testEnvironment } from '../support/server.js';
import { t } from '../support/tap.js';

const MARK = 'MARKEDSECRET';

t.test('SEC-74: a start with several faults names them all, prints no secret, and exits with 2', async (t) => {
  const environment = {
    ...testEnvironment(`mysql://u:${MARK}@h/d`, {
      JWT_SECRET: `${MARK}-${'x'.repeat(32)}`,
      API_PORT: `${MARK}`,
      SITE_URL: `not a URL ${MARK}`,
      JWT_EXP: `soon ${MARK}`,
      DB_MAX_POOL_SIZE: '-1',
    }),
    AUTH_API_EXTERNAL_URL: '',
  };
  for (const args of [['serve'], []]) {
    const { code, signal, stdout, stderr } = await runBinary(t, args, environment);
    t.same({ code, signal, stdout }, { code: 2, signal: null, stdout: '' });
    t.match(stderr, /^The configuration has 6 faults:\n/);
    for (const name of ['DB_DATABASE_URL', 'API_PORT', 'SITE_URL', 'JWT_EXP', 'DB_MAX_POOL_SIZE', 'API_EXTERNAL_URL']) {
      t.match(stderr, new RegExp(`^  AUTH_${name} `, 'm'));
    }
    t.notMatch(stderr, MARK);
    t.notMatch(stderr, /\bat .+:\d+:\d+/, 'no stack');
  }
});

t.test('SEC-74: nor does the log of a running server', async (t) => {
  const environment = testEnvironment(`postgres://u:${MARK}@127.0.0.1:1/d`, { JWT_SECRET: MARK, LOG_LEVEL: 'debug' });
  const { code, stderr } = await runBinary(t, ['serve', '--no-such-option'], environment);
  t.equal(code, 2);
  t.notMatch(stderr, MARK);
});
