/**
 * `npm run test:citus`: starts a coordinator and two workers of an installed Citus, runs the tests of test/citus against them, and
 * removes the nodes. CITUS_PG_CONFIG is the pg_config of that Postgres (default: the one of PATH). Files named as arguments run
 * instead, and all their servers have a distributed database. With `--keep` it starts the nodes, prints their variables, and waits
 * for Ctrl-C.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startCitusCluster } from './cluster.js';
import { CITUS_EVERYWHERE_VARIABLE, CITUS_TEMPLATE_VARIABLE, makeTemplate } from './server.js';

const RUN = fileURLToPath(new URL('../run.js', import.meta.url));

const [names, isKept] = [process.argv.slice(2).filter((name) => name !== '--keep'), process.argv.includes('--keep')];
const cluster = await startCitusCluster(process.env['CITUS_PG_CONFIG'] ?? 'pg_config');
try {
  const { url } = cluster.coordinator;
  const own = { TEST_CITUS_URL: url, [CITUS_TEMPLATE_VARIABLE]: await makeTemplate(url) };
  if (isKept) {
    for (const [name, value] of Object.entries(own)) process.stdout.write(`${name}=${value}\n`);
    const alive = setInterval(() => undefined, 60_000);
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
    clearInterval(alive);
  } else {
    const files = names.length > 0 ? names : ['test/citus'];
    const everywhere = names.length > 0 ? { [CITUS_EVERYWHERE_VARIABLE]: '1' } : {};
    const run = spawn(process.execPath, [RUN, '--full', ...files], {
      stdio: 'inherit',
      env: { ...process.env, ...own, ...everywhere },
    });
    [process.exitCode] = (await once(run, 'exit')) as [number];
  }
} finally {
  await cluster.stop();
}
