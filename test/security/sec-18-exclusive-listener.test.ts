import { spawnSync } from 'node:child_process';
import { t } from '../support/tap.js';
import { openTestEdge } from '../support/test-edge.js';

t.test('SEC-18 a second process on the same port fails to start with the reason', async (t) => {
  for (const host of ['127.0.0.1', '']) {
    const server = await openTestEdge({ host });
    const script = `
      const { openEdge } = await import(${JSON.stringify(new URL('../../src/server/http/listen.js', import.meta.url).href)});
      await openEdge({ routes: [], corsAllowedHeaders: [], host: ${JSON.stringify(host)}, port: ${server.port} });
    `;
    const run = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
      timeout: 20_000,
    });
    t.not(run.status, 0, `host "${host}"`);
    t.match(run.stderr, new RegExp(`Cannot listen on .*, port ${server.port}: it is taken`));
    await t.rejects(openTestEdge({ host, port: server.port }), { code: 'LISTEN_FAILED' }, 'nor in the same process');
    t.equal((await fetch(`http://127.0.0.1:${server.port}/show`)).status, 200, 'the first one serves on');
    await server.close();
  }
});
