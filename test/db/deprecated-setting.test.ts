import { loadConfig } from '../../src/server/config/load.js';
import { createTestDatabase } from '../support/database.js';
import { spawnServer } from '../support/process.js';
import { testEnvironment } from '../support/server.js';
import { t } from '../support/tap.js';

t.test('a deprecated setting is logged at every start and still works', async (t) => {
  const { url } = await createTestDatabase(t);
  const server = await spawnServer(t, url, { OPERATOR_TOKEN: 'some-token' });
  const notices = server.lines.map((line) => JSON.parse(line)).filter(({ msg }) => /deprecated/.test(msg));
  t.match(notices, [
    {
      level: 'warning',
      component: 'config',
      variable: 'AUTH_OPERATOR_TOKEN',
      msg: /^AUTH_OPERATOR_TOKEN is deprecated: .+\.$/,
    },
  ]);
  t.notMatch(server.lines.join('\n'), /some-token/);
  t.match(await server.stop(), { code: 0 });
  const { notices: others } = loadConfig({ environment: testEnvironment(url) });
  t.notMatch(JSON.stringify(others), 'is deprecated', 'and not where it is not set');
});
