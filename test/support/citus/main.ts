/**
 * `npm run test:citus`: starts a coordinator and two workers of an installed Citus, runs the tests of test/citus against them, or those
 * named as arguments, and removes the nodes. CITUS_PG_CONFIG is the pg_config of that Postgres (default: the one of PATH). With
 * `--keep` it starts the nodes, prints TEST_CITUS_URL, and waits for Ctrl-C.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startCitusCluster } from './cluster.js';

const RUN = fileURLToPath(new URL('../run.js', import.meta.url));

const [names, isKept] = [process.argv.slice(2).filter((name) => name !== '--keep'), process.argv.includes('--keep')];
const cluster = await startCitusCluster(process.env['CITUS_PG_CONFIG'] ?? 'pg_config');
try {
  const { url } = cluster.coordinator;
  if (isKept) {
    process.stdout.write(`TEST_CITUS_URL=${url}\n`);
    const alive = setInterval(() => undefined, 60_000);
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
    clearInterval(alive);
  } else {
    const files = names.length > 0 ? names : ['test/citus'];
    const run = spawn(process.execPath, [RUN, '--full', ...files], {
      stdio: 'inherit',
      env: { ...process.env, TEST_CITUS_URL: url },
    });
    [process.exitCode] = (await once(run, 'exit')) as [number];
  }
} finally {
  await cluster.stop();
}
