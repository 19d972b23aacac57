import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runCommandLine } from '../../src/server/commands/dispatch.js';
import { loadConfig } from '../../src/server/config/load.js';
import { allSettings, pickLasting } from '../../src/server/config/settings.js';
import { testEnvironment } from '../support/server.js';
import { t } from '../support/tap.js';

const environment = testEnvironment('postgres://localhost/db');

t.test('parts that survive a reload get the settings that need a restart, and no others', async (t) => {
  const { config } = loadConfig({ environment, file: null });
  const restart = allSettings.filter(({ setting }) => setting.restart === true);
  t.ok(
    restart.every(({ path }) => path.length === 1),
    'only rows of the top level can be marked',
  );
  t.same(Object.keys(pickLasting(config)).sort(), restart.map(({ path }) => path[0]).sort());
});

t.test('boot.ts passes the whole configuration only to what a reload makes anew or tells', async (t) => {
  const boot = readFileSync(fileURLToPath(new URL('../../../src/server/runtime/boot.ts', import.meta.url)), 'utf8');
  t.match(boot, 'const config = pickLasting(options.config);');
  // Housekeeping has use(config), which each reload calls.
  const whole = boot.split('\n').filter((line) => line.includes('options.config'));
  const permitted = [/pickLasting\(options\.config\)/, /openGeneration\(/, /startHousekeeping\(/];
  t.same(
    whole.filter((line) => !permitted.some((pattern) => pattern.test(line))),
    [],
  );
  t.notMatch(boot, /const \{[^}]*\bconfig\b[^}]*\} = options/);
});

t.test('config show --effective: every setting with its source, secrets masked', async (t) => {
  const printed: string[] = [];
  const io = { environment, out: (text: string) => void printed.push(text), err: () => undefined };
  t.equal(await runCommandLine(['config', 'show', '--effective', '-c', '/dev/null'], io), 0);
  const out = printed.join('');
  t.match(out, /AUTH_SITE_URL +http:\/\/localhost:3000 +\(environment\)/);
  t.match(out, /AUTH_JWT_EXP +3600 +\(default\)/);
  t.match(out, /AUTH_JWT_SECRET +set \(\d+ bytes\)/);
  t.notMatch(out, environment['AUTH_JWT_SECRET']);
});
