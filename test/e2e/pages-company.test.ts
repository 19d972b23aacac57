/** Company sign-in from the hosted pages, in a browser with an identity provider that signs real assertions. */
import { openCompanyPages } from '../support/company-browser.js';
import { openFakeIdp } from '../support/fake-saml-idp.js';
import { openHostedServer } from '../support/hosted-server.js';
import { findChromium, openBrowser } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { watchPolicyFaults } from '../support/policy-faults.js';
import { samlFlowOn, samlSettings } from '../support/saml-flow.js';
import { freshEmail, password } from '../support/server.js';
import { equalSoon } from '../support/soon.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull('pages in a browser; the same by HTTP: http/pages-company');

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await run(chromium);

async function run(executablePath: string): Promise<void> {
  const browser = await openBrowser(t, executablePath);
  const server = await openHostedServer(t, samlSettings({ SITE_URL: 'http://localhost:3000/' }));
  const origin = server.issuer;
  const flow = samlFlowOn(server);
  const open = openFakeIdp('idp.acme.example');
  const only = openFakeIdp('idp.only.example');
  await flow.addProvider(open, { domains: ['acme.example'] });
  await flow.addProvider(only, { domains: ['only.example'], enforced: true });

  for (const javaScriptEnabled of [true, false]) {
    t.test(`an address of a company signs in there, ${javaScriptEnabled ? 'with' : 'without'} scripts`, async (t) => {
      const context = await browser.newContext({ javaScriptEnabled });
      t.teardown(() => context.close());
      await context.route('http://localhost:3000/**', (route) => route.fulfill({ status: 200, body: 'application' }));
      const address = freshEmail().replace(/@.*/, '@acme.example');
      await openCompanyPages(context, open, origin, {
        attributes: { mail: address },
        nameId: { value: address, format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent' },
      });
      const page = await context.newPage();
      const faults = watchPolicyFaults(page);
      await page.goto(`${origin}/ui/account`);
      await page.getByLabel('Email').fill(address);
      await equalSoon(t, () => page.locator('input[type="password"]').count(), 0, 'no password yet');
      await page.getByRole('button', { name: 'Continue', exact: true }).click();
      if (!javaScriptEnabled) await page.getByRole('button', { name: 'Go on' }).click();
      await page.waitForURL('**/ui/account?**');
      await page.getByText(address).first().waitFor();
      t.same(faults, []);
    });
  }

  t.test('every other address goes on with a password, whether it has an account or not', async (t) => {
    const known = freshEmail();
    await server.post('/signup', { email: known, password });
    const context = await browser.newContext();
    t.teardown(() => context.close());
    const page = await context.newPage();
    for (const address of [freshEmail(), known]) {
      await page.goto(`${origin}/ui/account`);
      await page.getByLabel('Email').fill(address);
      await page.getByRole('button', { name: 'Continue', exact: true }).click();
      await page.getByLabel('Password', { exact: true }).fill(password);
      const username = page.locator('input[autocomplete="username"]');
      await equalSoon(t, () => username.inputValue(), address, 'for password managers');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      if (address !== known) await page.getByText('Address or password is wrong.').waitFor();
    }
    await page.waitForURL('**/ui/account?**');
  });
}
