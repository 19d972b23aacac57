/** docs/guides/svelte-kit.md: its application, built with SvelteKit, in a browser. */
import { startDev } from '../support/dev-server.js';
import { freePort } from '../support/free-port.js';
import { findExample, openExample } from '../support/guide-example.js';
import { guideSettings, testWebApplication } from '../support/guide-journey.js';
import { findChromium } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull('it installs SvelteKit and builds an application, 15 s of processor time');

const chromium = findChromium();
const found = await findExample('svelte-kit');
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else if (typeof found === 'string') skipHere(t, found);
else {
  t.test('the application of the guide', { timeout: 600_000 }, async (t) => {
    const server = await startDev(t, guideSettings);
    const [port, apiPort] = [await freePort(), await freePort()];
    const app = `http://localhost:${port}`;
    const api = `http://localhost:${apiPort}`;
    const example = await openExample(t, found);
    const variables = {
      LATCHKEY_URL: server.url,
      ORIGIN: app,
      PORT: String(port),
      API_URL: api,
      API_PORT: String(apiPort),
    };
    await example.run(['node_modules/vite/bin/vite.js', 'build'], variables);
    await example.start(['api.js'], variables).line(/API at/);
    await example.start(['build/index.js'], variables).line(/Listening on/);
    await testWebApplication(t, chromium, server, app);

    await t.test('npm run dev', async (t) => {
      const devPort = await freePort();
      await example
        .start(['node_modules/vite/bin/vite.js', 'dev', '--port', String(devPort)], variables)
        .line(/Local:/);
      t.match(await (await fetch(`http://localhost:${devPort}`)).text(), /Sign in/);
    });
  });
}
