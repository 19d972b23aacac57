import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory } from '../support/reload.js';
import { runCommand } from '../support/run-command.js';
import { testEnvironment } from '../support/server.js';
import { t } from '../support/tap.js';

t.test('latchkey check config opens the filter of leaked passwords', async (t) => {
  const directory = await makeDirectory(t);
  const filter = join(directory, 'filter');
  const plain = testEnvironment('postgres://localhost/none');
  const environment = { ...plain, AUTH_PASSWORD_HIBP_FILE: filter };
  const check = (...args: string[]) => runCommand(['check', 'config', ...args], environment, '/dev/null');
  t.match(await check(), { code: 2, err: /AUTH_PASSWORD_HIBP_FILE names a file that cannot be read \(ENOENT\)/ });
  await writeFile(filter, 'nothing of the kind');
  t.match(await check(), { code: 2, err: /AUTH_PASSWORD_HIBP_FILE names a file that is not a filter/ });
  const { code, out } = await check('--json');
  t.equal(code, 2);
  t.match(JSON.parse(out), { ok: false, faults: [{ variable: 'AUTH_PASSWORD_HIBP_FILE' }] });
  t.equal((await runCommand(['check', 'config'], plain, '/dev/null')).code, 0, 'without a filter');
});
