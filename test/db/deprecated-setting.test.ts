import { createTestDatabase } from '../support/database.js';
import { spawnServer } from '../support/process.js';
import { t } from '../support/tap.js';

t.test('a deprecated setting is logged at every start and still works', async (t) => {
  const { url } = await createTestDatabase(t);
  for (const settings of [{ OPERATOR_TOKEN: 'some-token' }, {}] as Record<string, string>[]) {
    const server = await spawnServer(t, url, settings);
    const notices = server.lines.map((line) => JSON.parse(line)).filter(({ msg }) => /deprecated/.test(msg));
    if ('OPERATOR_TOKEN' in settings) {
      t.match(notices, [
        {
          level: 'warning',
          component: 'config',
          variable: 'AUTH_OPERATOR_TOKEN',
          msg: /^AUTH_OPERATOR_TOKEN is deprecated: .+\.$/,
        },
      ]);
      t.notMatch(server.lines.join('\n'), /some-token/);
    } else t.same(notices, [], 'and not where it is not set');
    t.match(await server.stop(), { code: 0 });
  }
});
