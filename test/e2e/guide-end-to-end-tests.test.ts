/** docs/guides/end-to-end-tests.md: its tests, run by Playwright as a reader runs them. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { launcher } from '../support/binary.js';
import { freePort } from '../support/free-port.js';
import { findExample, openExample } from '../support/guide-example.js';
import { pickForm } from '../support/long-form.js';
import { findChromium } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull('it installs Playwright, whose workers start browsers');

/** How often each test of the guide runs. */
const TIMES = pickForm({ short: 1, long: 2 });

const chromium = findChromium();
const found = await findExample('end-to-end-tests');
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else if (typeof found === 'string') skipHere(t, found);
else {
  t.test('the tests of the guide', { timeout: 600_000 }, async (t) => {
    const example = await openExample(t, found);
    const variables = {
      LATCHKEY: launcher,
      LATCHKEY_PORT: String(await freePort()),
      AUTH_CONSOLE_PORT: String(await freePort()),
      APP_PORT: String(await freePort()),
      CHROMIUM: chromium,
    };
    const playwright = ['node_modules/@playwright/test/cli.js', 'test', '--reporter=list', '--timeout=120000'];
    t.match(
      await example.run([...playwright, '--workers=2', `--repeat-each=${TIMES}`], variables),
      `${5 * TIMES} passed`,
    );

    // They can fail.
    rmSync(join(example.folder, 'tests/account.spec.js'));
    const path = join(example.folder, 'tests/sign-in.spec.js');
    writeFileSync(
      path,
      "import { createUser, test } from './latchkey.js';\ntest('twice', async () => { const { email } = await createUser(); await createUser({ email }); });\n",
    );
    await t.rejects(example.run(playwright, variables), /email_exists/);
  });
}
