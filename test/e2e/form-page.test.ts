import { text } from 'node:stream/consumers';
import { formPage } from '../../src/server/endpoints/shared/form-page.js';
import { serveOnLoopback } from '../support/loopback-server.js';
import { findChromium, openBrowser } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { t } from '../support/tap.js';

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await run(chromium);

async function run(executablePath: string): Promise<void> {
  t.test('a message goes on as a form, by itself, or with a button where scripts are off', async (t) => {
    const browser = await openBrowser(t, executablePath);
    const there = await serveOnLoopback(t, (request, response) => {
      void text(request).then((body) => response.end(`${request.method} ${request.url} ${body}`));
    });
    const { body, headers } = formPage('Signing out', `${there}/slo?tenant="1"`, {
      SAMLResponse: 'a+/"=',
      RelayState: 'b&c',
    });
    const here = await serveOnLoopback(t, (_request, response) => response.writeHead(200, headers).end(body));
    for (const javaScriptEnabled of [true, false]) {
      const context = await browser.newContext({ javaScriptEnabled });
      const page = await context.newPage();
      await page.goto(here);
      if (!javaScriptEnabled) await page.getByRole('button', { name: 'Go on' }).click();
      await page.getByText('SAMLResponse=a%2B%2F%22%3D&RelayState=b%26c').waitFor();
      t.match(await page.textContent('body'), /^POST \/slo\?tenant=%221%22 /);
      await context.close();
    }
  });
}
