/** docs/guides/next-js.md: its application, built with Next.js, in a browser. */
import { startDev } from '../support/dev-server.js';
import { freePort } from '../support/free-port.js';
import { findExample, openExample } from '../support/guide-example.js';
import { guideSettings, testWebApplication } from '../support/guide-journey.js';
import { findChromium } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { onlyInFull, t, takesMinutesInFull } from '../support/tap.js';

onlyInFull('it installs Next.js and builds an application, 30 s of processor time');
takesMinutesInFull('it builds an application');

const chromium = findChromium();
const found = await findExample('next-js');
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else if (typeof found === 'string') skipHere(t, found);
else {
  t.test('the application of the guide', { timeout: 600_000 }, async (t) => {
    const server = await startDev(t, guideSettings);
    const [port, apiPort] = [await freePort(), await freePort()];
    const app = `http://localhost:${port}`;
    const api = `http://localhost:${apiPort}`;
    const example = await openExample(t, found);
    const variables = { LATCHKEY_URL: server.url, APP_URL: app, API_URL: api, API_PORT: String(apiPort) };
    const next = 'node_modules/next/dist/bin/next';
    await example.run([next, 'build'], variables);
    await example.start(['api.js'], variables).line(/API at/);
    await example.start([next, 'start', '-p', String(port)], variables).line(/Ready/);
    await testWebApplication(t, chromium, server, app);

    await t.test('npm run dev', async (t) => {
      const devPort = await freePort();
      const development = example.start([next, 'dev', '-p', String(devPort)], variables);
      await development.line(/Ready/);
      t.match(await (await fetch(`http://localhost:${devPort}`)).text(), /Sign in/);
      await development.stop();
    });
  });
}
