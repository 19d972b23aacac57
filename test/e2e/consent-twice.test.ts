/** A person who clicks twice on the consent page, goes back, or has it in two tabs; with scripts and without. */
import type { Page } from 'playwright-core';
import { openDevices } from '../support/hosted/devices.js';
import { openHostedServer } from '../support/hosted-server.js';
import { findChromium, openBrowser } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { addClient, authorize, redeem, signUpPerson } from '../support/oauth-client.js';
import { password } from '../support/server.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull('a page in several tabs of a browser; the same by HTTP: oauth/consent-twice');

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await run(chromium);

async function run(executablePath: string): Promise<void> {
  const browser = await openBrowser(t, executablePath);
  const openDevice = openDevices(t, browser);
  const server = await openHostedServer(t);

  /** A person on the question of a client, whose website says where the browser came to. */
  async function openQuestion(javaScriptEnabled: boolean) {
    const { context, page } = await openDevice({ javaScriptEnabled });
    await context.route('https://client.example.com/**', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>x</title><h1>The application</h1>' }),
    );
    const [client, person] = [await addClient(server), await signUpPerson(server)];
    const { location } = await authorize(server, { clientId: client.id });
    await page.goto(location.href);
    await page.getByLabel('Email').fill(person.email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Allow Example to access your account?' }).waitFor();
    return { context, client, page };
  }

  const allow = (page: Page) => page.getByRole('button', { name: 'Allow', exact: true });
  const application = (page: Page) => page.getByRole('heading', { name: 'The application' });
  const decided = (page: Page) => page.getByRole('heading', { name: 'You have already decided' });

  t.test('a double click with scripts leads to the application', async (t) => {
    const { client, page } = await openQuestion(true);
    await allow(page).dblclick();
    await application(page).waitFor();
    const code = new URL(page.url()).searchParams.get('code')!;
    t.equal((await redeem(server, client, code)).status, 200, 'with a code that works');
  });

  t.test('without scripts: to the application, or to a page that leads there', async (t) => {
    const { page } = await openQuestion(false);
    await allow(page).dblclick();
    await application(page).or(decided(page)).first().waitFor();
    if (await decided(page).isVisible()) {
      await page.getByRole('link', { name: 'Continue to client.example.com' }).click();
      await application(page).waitFor();
    }
    t.equal(new URL(page.url()).host, 'client.example.com');
  });

  for (const scripts of [true, false])
    t.test(`a second tab, and Back, ${scripts ? 'with' : 'without'} scripts`, async (t) => {
      const { context, client, page } = await openQuestion(scripts);
      const other = await context.newPage();
      await other.goto(page.url());
      await allow(page).click();
      await application(page).waitFor();
      await allow(other).click();
      await decided(other).waitFor();
      await other.getByRole('link', { name: 'Continue to client.example.com' }).click();
      await application(other).waitFor();
      t.equal(other.url(), 'https://client.example.com/');
      const code = new URL(page.url()).searchParams.get('code')!;
      t.equal((await redeem(server, client, code)).status, 200, 'the code of the first tab');
      await page.goBack();
      await page.reload();
      await decided(page).waitFor();
    });
}
