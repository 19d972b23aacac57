import { spawnSync } from 'node:child_process';
import { readTree } from '../support/source-tree.js';
import { t } from '../support/tap.js';

function filesWith(pattern: RegExp): string[] {
  return readTree(['src'], '.ts')
    .filter(({ text }) => pattern.test(text))
    .map(({ path }) => path);
}

t.test('SEC-02 one file loads the engine, one touches its requests and responses', async (t) => {
  t.same(filesWith(/['"]uWebSockets\.js(?:-next)?['"]/), ['src/server/http/engine.ts']);
  t.same(filesWith(/\.(?:onAborted|onData|writeStatus|endWithoutBody|getRemoteAddress|getUrl|getQuery)\(/), [
    'src/server/http/exchange.ts',
  ]);
});

t.test('SEC-02 without a binary for the machine the start fails with the reason', async (t) => {
  const script = `
    Object.defineProperty(process, 'arch', { value: 'mips' });
    const { openEdge } = await import(${JSON.stringify(new URL('../../src/server/http/listen.js', import.meta.url).href)});
    await openEdge({ routes: [], corsAllowedHeaders: [], host: '127.0.0.1', port: 0 });
  `;
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  t.not(run.status, 0);
  t.match(
    run.stderr,
    /No HTTP engine binary fits this machine \(\w+ mips, Node [\d.]+\)\. Latchkey runs on Node 20, 22, 24 and 26/,
  );
});
