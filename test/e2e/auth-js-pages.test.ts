/** The JavaScript client signs in by the hosted pages, in a browser that enforces their policy. */

import { serveAuthJsPage } from '../support/auth-js-page.js';
import { claimsOf, enrolTotp, openApp, type Session, verifyWith } from '../support/authenticator-app.js';
import { openDevices } from '../support/hosted/devices.js';
import { findChromium, openBrowser } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { watchPolicyFaults } from '../support/policy-faults.js';
import { cross, pickRows } from '../support/rows.js';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull(
  'pages in a browser beside the client; by HTTP: http/pages-sign-in; the client in a browser: auth-js-oauth, auth-js-mfa',
);

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await run(chromium);

async function run(executablePath: string): Promise<void> {
  const browser = await openBrowser(t, executablePath);
  const application = await serveAuthJsPage(t);
  const server = await openTestServer(t, { PAGES_ENABLED: 'true', SITE_URL: application });
  const { port } = new URL(server.url);

  const openDevice = openDevices(t, browser);

  const flowTypes = ['pkce', 'implicit'] as const;
  const columns = [([flowType]: readonly unknown[]) => flowType, ([, other]: readonly unknown[]) => other];
  for (const [flowType, javaScriptEnabled] of pickRows(cross(flowTypes, [true, false]), columns)) {
    const words = javaScriptEnabled ? 'with scripts' : 'without scripts on the pages';
    t.test(`signInWithOAuth({ provider: 'custom:hosted' }), ${flowType}, ${words}`, async (t) => {
      const email = freshEmail();
      await server.post('/signup', { email, password });
      const { context, page } = await openDevice();
      // Those of the application must run.
      if (!javaScriptEnabled) await context.route('**/ui/assets/*.js', (route) => route.abort());
      const faults = watchPolicyFaults(page);
      await page.goto(`${application}/${flowType}/${port}`);
      await page.getByText('signed out').waitFor();
      await page.locator('[id="custom:hosted"]').click();
      await page.getByLabel('Email').fill(email);
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText(`${email} by email`).waitFor();
      t.equal(new URL(page.url()).origin, application);
      t.notMatch(page.url(), /access_token|code=/, 'nothing is left in the address');
      t.same(faults, [], 'no fault of the policy');
    });
  }

  /** The application, before and after the pages. */
  async function openApplication(flowType: string) {
    const { page } = await openDevice();
    await page.goto(`${application}/${flowType}/${port}`);
    await page.getByText('signed out').waitFor();
    await page.locator('[id="custom:hosted"]').click();
    const tokens = async () =>
      JSON.parse(await page.evaluate<string>(`localStorage.getItem('${flowType}')`)) as Record<string, string>;
    return { page, tokens };
  }

  const steps = pickRows(cross(flowTypes, ['account', 'factor']), columns);
  const flowTypesOf = (wanted: string) => steps.flatMap(([flowType, step]) => (step === wanted ? [flowType] : []));

  for (const flowType of flowTypesOf('account')) {
    t.test(`signInWithOAuth(): a new account, ${flowType}`, async (t) => {
      const email = freshEmail();
      const { page, tokens } = await openApplication(flowType);
      await page.getByRole('link', { name: 'Sign up' }).click();
      await page.getByLabel('Email').fill(email);
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.getByRole('button', { name: 'Create account' }).click();
      await page.getByText(`${email} by email`).waitFor();
      t.match(claimsOf((await tokens())['access_token']!), { email, aal: 'aal1' });
    });
  }

  for (const flowType of flowTypesOf('factor')) {
    t.test(`signInWithOAuth(): a second factor, ${flowType}`, async (t) => {
      const email = freshEmail();
      const session = (await server.post('/signup', { email, password })).body as Session;
      const { id, secret } = await enrolTotp(server, session);
      const app = openApp(secret);
      t.equal((await verifyWith(server, session, id, app.nextCode())).status, 200);
      const { page, tokens } = await openApplication(flowType);
      await page.getByLabel('Email').fill(email);
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByText('Enter the code from your authenticator app').waitFor();
      await page.getByLabel('Code').fill(app.nextCode());
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByText(`${email} by email`).waitFor();
      const claims = claimsOf((await tokens())['access_token']!);
      t.equal(claims['aal'], 'aal2');
      t.same((claims['amr'] as { method: string }[]).map(({ method }) => method).sort(), ['password', 'totp']);
    });
  }

  t.test('a browser without scripts comes back to the application with a code', async (t) => {
    const email = freshEmail();
    await server.post('/signup', { email, password });
    const { page } = await openDevice({ javaScriptEnabled: false });
    const query = new URLSearchParams({
      provider: 'custom:hosted',
      redirect_to: `${application}/pkce/${port}`,
      code_challenge: 'a'.repeat(43),
      code_challenge_method: 'plain',
    });
    await page.goto(`${server.url}/authorize?${query}`);
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(/\/pkce\/\d+\?code=/);
    t.equal(new URL(page.url()).origin, application);
  });
}
