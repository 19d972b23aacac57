/** `npm run test:citus`: tests on a Citus cluster of its own. See HELP. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { readCommandLine } from '../command-line.js';
import { refuseUnknownFiles } from '../test-files.js';
import { startCitusCluster } from './cluster.js';
import { CITUS_EVERYWHERE_VARIABLE, CITUS_TEMPLATE_VARIABLE, makeTemplate } from './distributed.js';

/** What also runs on distributed databases: the wire, as applications see it, and what must hold under load and after a crash. */
const WIRE = [
  'test/http/token-refresh.test.ts',
  'test/http/token-password.test.ts',
  'test/http/signup.test.ts',
  'test/http/user.test.ts',
  'test/http/logout.test.ts',
  'test/http/session-tags.test.ts',
  'test/http/admin-users.test.ts',
  'test/http/admin-list.test.ts',
  'test/http/admin-generate-link.test.ts',
  'test/http/verify-mail.test.ts',
  'test/http/verify-phone.test.ts',
  'test/http/linking.test.ts',
  'test/http/callback.test.ts',
  'test/http/passkeys.test.ts',
  'test/http/saml.test.ts',
  'test/http/saml-acs.test.ts',
  'test/http/saml-logout.test.ts',
  'test/http/notices-undo.test.ts',
  'test/http/events.test.ts',
  'test/http/events-retries.test.ts',
  'test/http/admin-events.test.ts',
  'test/http/organizations-members.test.ts',
  'test/http/organizations-policies.test.ts',
  'test/http/pages-accounts.test.ts',
  'test/oauth/code-flow.test.ts',
  'test/oauth/device.test.ts',
  'test/oauth/revocation.test.ts',
  'test/oauth/introspection.test.ts',
  'test/oauth/registration.test.ts',
  'test/oauth/backchannel-logout.test.ts',
  'test/oauth/dpop.test.ts',
  'test/oauth/attacks.test.ts',
  'test/factors/totp.test.ts',
  'test/factors/levels.test.ts',
  'test/factors/webauthn.test.ts',
  'test/factors/recovery-codes.test.ts',
  'test/factors/trusted-devices.test.ts',
  'test/factors/first-proof.test.ts',
  'test/factors/admin-factors.test.ts',
  'test/scim/users.test.ts',
  'test/scim/groups.test.ts',
  'test/db/prune.test.ts',
  'test/db/moving-back.test.ts',
  'test/db/moving-oauth.test.ts',
  'test/db/events-replay.test.ts',
  'test/reliability/events-kill.test.ts',
  'test/reliability/rel-14-kill.test.ts',
];

const RUN = fileURLToPath(new URL('../run.js', import.meta.url));

const HELP = `Usage: npm run test:citus -- [options] [test file or directory]...

Starts a coordinator and two workers of an installed Citus, runs the tests of test/citus against them, and those of the wire with
distributed databases, and removes the nodes. Files that are named run instead, with distributed databases.

  --keep    starts the nodes, prints the variables by which tests find them, and waits for Ctrl-C
  --help

CITUS_PG_CONFIG: pg_config of the Postgres that has Citus; by default the one of PATH.
`;

const { values: options, positionals: names } = readCommandLine(HELP, { keep: { type: 'boolean', default: false } });
refuseUnknownFiles(names);
const cluster = await startCitusCluster(process.env['CITUS_PG_CONFIG'] ?? 'pg_config');
try {
  const { url } = cluster.coordinator;
  const own = { TEST_CITUS_URL: url, [CITUS_TEMPLATE_VARIABLE]: await makeTemplate(url) };
  if (options.keep) {
    for (const [name, value] of Object.entries(own)) process.stdout.write(`${name}=${value}\n`);
    const alive = setInterval(() => undefined, 60_000);
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
    clearInterval(alive);
  } else {
    let child: ChildProcess | undefined;
    let isEnded = false;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        isEnded = true;
        child?.kill(signal);
      });
    }
    const run = async (files: readonly string[], more: Readonly<Record<string, string>>): Promise<void> => {
      if (isEnded) return;
      const env = { ...process.env, ...own, ...more };
      child = spawn(process.execPath, [RUN, '--full', ...files], { stdio: 'inherit', env });
      const [code] = await once(child, 'exit');
      process.exitCode = Math.max(Number(process.exitCode ?? 0), Number(code ?? 1));
    };
    if (names.length === 0) await run(['test/citus'], {});
    await run(names.length === 0 ? WIRE : names, { [CITUS_EVERYWHERE_VARIABLE]: '1' });
  }
} finally {
  await cluster.stop();
}
