/** What a newcomer does: `npm start`, and the examples as their pages say, in a browser. */
import type { Page } from 'playwright-core';
import { startDev } from '../support/dev-server.js';
import { startExample } from '../support/example.js';
import { freePort } from '../support/free-port.js';
import { openDevices } from '../support/hosted/devices.js';
import { findChromium, openBrowser } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { watchPolicyFaults } from '../support/policy-faults.js';
import { freshEmail, password } from '../support/server.js';
import { readSource } from '../support/source-tree.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull('three programs beside a server and a browser; the same ways: dev-defaults');

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await run(chromium);

/** The commands of a page, without those that every clone begins with. */
function commandsOf(page: string): string[] {
  const blocks = [...readSource(page).text.matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, block]) =>
    block!.trim().split('\n'),
  );
  t.same(blocks.slice(0, 2), ['npm ci', 'npm start'], page);
  return blocks.slice(2);
}

async function run(executablePath: string): Promise<void> {
  const openDevice = openDevices(t, await openBrowser(t, executablePath));
  const { url, adminToken } = await startDev(t);

  async function openPage() {
    const { page } = await openDevice();
    const faults = watchPolicyFaults(page);
    return { page, faults };
  }

  async function signUp(page: Page, email: string): Promise<void> {
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByRole('link', { name: 'Sign up' }).click();
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Create account' }).click();
  }

  t.test('the relying party: sign up, allow, come back, see the app, take it back', async (t) => {
    const [command, ...more] = commandsOf('examples/relying-party/README.md');
    t.same(more, []);
    const example = startExample(t, command!, { ISSUER: url, PORT: String(await freePort()) });
    const address = await example.line(/Open (\S+)/);
    const { page, faults } = await openPage();
    const missing: string[] = [];
    page.on('response', (response) => {
      if (response.status() === 404) missing.push(response.url());
    });
    const email = freshEmail();
    await page.goto(address);
    await page.getByRole('link', { name: 'Sign in' }).click();
    t.equal(new URL(page.url()).origin, url, 'our sign-in page');
    t.match(await page.title(), /Latchkey$/, 'npm start has a name on its pages');
    await signUp(page, email);
    await page.getByRole('heading', { name: 'Allow Example shop to access your account?' }).waitFor();
    await page.getByText('registered itself').waitFor();
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.getByRole('heading', { name: `Hello ${email}` }).waitFor();
    t.equal(page.url(), `${address}/`, 'no code is left in the address');
    const claims = JSON.parse((await page.locator('pre').textContent())!);
    t.match(claims, { iss: url, email, amr: ['password'] });
    await page.getByRole('button', { name: 'Renew the tokens' }).click();
    await page.getByRole('heading', { name: 'Renewed' }).waitFor();
    await page.getByRole('link', { name: 'Back' }).click();

    await page.getByRole('link', { name: 'Your account' }).click();
    await page.getByRole('navigation').getByRole('link', { name: 'Apps' }).click();
    await page.getByRole('heading', { name: 'Example shop' }).waitFor();
    await page.getByRole('button', { name: /Example shop/ }).click();
    await page.getByText('The app has no access any more.').waitFor();
    await page.getByRole('link', { name: `Back to ${new URL(address).host}` }).click();
    await page.getByText('The access was taken back.').waitFor();
    t.equal(page.url(), `${address}/`);
    await page.getByRole('link', { name: 'Back' }).click();

    // The person is still known to the pages, and may say no.
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Continue as' }).click();
    await page.getByRole('button', { name: 'Do not allow' }).click();
    await page.getByText('User denied the request').waitFor();
    t.same(faults, [], 'no fault of the policy');
    t.same(missing, [], 'nothing is missing, such as an icon');
  });

  t.test('the relying party: sign out there ends its session here, and only that', async (t) => {
    const [command] = commandsOf('examples/relying-party/README.md');
    const example = startExample(t, command!, { ISSUER: url, PORT: String(await freePort()) });
    const address = await example.line(/Open (\S+)/);
    const { page, faults } = await openPage();
    const email = freshEmail();
    const signOuts: URL[] = [];
    page.on('request', (request) => {
      if (request.url().startsWith(`${url}/oauth/logout`)) signOuts.push(new URL(request.url()));
    });
    await page.goto(address);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await signUp(page, email);
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.getByRole('heading', { name: `Hello ${email}` }).waitFor();
    const { sub, sid, aud } = JSON.parse((await page.locator('pre').textContent())!);
    await page.getByRole('button', { name: 'Renew the tokens' }).click();
    await page.getByRole('link', { name: 'Back' }).click();
    const former = (await page.context().cookies(address)).find(({ name }) => name === 'relying-party')!;

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You have signed out.').waitFor();
    t.equal(signOuts.length, 1);
    t.equal(signOuts[0]!.searchParams.get('state'), new URL(page.url()).searchParams.get('state'));
    const log = await fetch(`${url}/admin/audit?per_page=100`, { headers: { Authorization: `Bearer ${adminToken}` } });
    const entries = ((await log.json()) as { payload: { action: string; traits?: object; actor_id: string } }[]).filter(
      ({ payload }) => payload.action === 'logout',
    );
    t.match(entries, [{ payload: { actor_id: sub, traits: { client_id: aud, session_id: sid } } }]);
    await page.reload();
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    t.equal(page.url(), `${address}/`, 'the state works once');
    await page.context().addCookies([former]);
    await page.goto(address);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: `Continue as ${email}` }).waitFor();
    t.same(faults, [], 'no fault of the policy');
  });

  t.test('the MCP server: its client signs in and calls a tool', async (t) => {
    const [serve, ask, ...more] = commandsOf('examples/mcp-server/README.md');
    t.same(more, []);
    const server = startExample(t, serve!, { ISSUER: url, PORT: String(await freePort()) });
    const client = startExample(t, ask!, { SERVER: await server.line(/MCP server at (\S+)/) });
    const { page } = await openPage();
    const email = freshEmail();
    await page.goto(await client.line(/Open (\S+)/));
    await signUp(page, email);
    await page.getByRole('heading', { name: 'Allow Example agent to access your account?' }).waitFor();
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.getByText('You may close this window.').waitFor();
    t.equal(await client.line(/You are (\S+)\./), email);
    t.same(await client.exited, [0, null]);
  });
}
