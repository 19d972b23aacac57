import { serveAuthJsPage } from '../support/auth-js-page.js';
import { openExternalFlow } from '../support/external-flow.js';
import { freePort } from '../support/free-port.js';
import { openDevices } from '../support/hosted/devices.js';
import { sameInFull } from '../support/long-form.js';
import { findChromium, openBrowser } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { cross, pickRows } from '../support/rows.js';
import { freshEmail } from '../support/server.js';
import { equalSoon } from '../support/soon.js';
import { t } from '../support/tap.js';

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await run(chromium);

async function run(executablePath: string): Promise<void> {
  const browser = await openBrowser(t, executablePath);
  const openDevice = openDevices(t, browser);
  const application = await serveAuthJsPage(t);
  // The provider needs the callback URL before the server listens.
  const port = await freePort();
  const flow = await openExternalFlow(t, ['github', 'apple', 'gitlab'], {
    SECURITY_MANUAL_LINKING_ENABLED: 'true',
    SITE_URL: application,
    API_PORT: String(port),
    API_EXTERNAL_URL: `http://127.0.0.1:${port}`,
  });

  async function visit(flowType: 'implicit' | 'pkce', proxied = '') {
    const { page } = await openDevice();
    await page.goto(`${application}/${flowType}/${port}${proxied}`);
    await page.getByText('signed out').waitFor();
    return page;
  }

  const picked = pickRows(cross(['implicit', 'pkce'], ['session', 'form', 'denial']), [
    ([flowType]) => flowType,
    ([, ending]) => ending,
  ]);
  const flowTypesOf = (wanted: string) => picked.flatMap(([flowType, ending]) => (ending === wanted ? [flowType] : []));

  for (const flowType of flowTypesOf('session')) {
    t.test(`signInWithOAuth, ${flowType}: from the page to the provider and back to a session`, async (t) => {
      const page = await visit(flowType);
      const email = freshEmail();
      flow.providers.person('github', { email, subject: flowType === 'pkce' ? 11 : 12 });
      await page.click('#github');
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.getByText(`${email} by github`).waitFor();
      t.equal(new URL(page.url()).origin, application);
      t.notMatch(page.url(), /access_token|code=/, 'nothing is left in the address');
      await page.reload();
      await page.getByText(`${email} by github`).waitFor();

      const { rows } = await flow.database.admin.query(
        `select f.used_at is not null as used, f.auth_code_hash, f.code_challenge from flow_states f
        where f.created_at > now() - interval '1 minute'`,
      );
      t.same(
        rows.filter(({ auth_code_hash }) => auth_code_hash !== null),
        [],
        'no code is left to be redeemed',
      );
    });
  }

  for (const flowType of flowTypesOf('form')) {
    t.test(`signInWithOAuth, ${flowType}: apple responds with a form`, async (t) => {
      const page = await visit(flowType);
      const email = freshEmail();
      flow.providers.person('apple', { email, subject: `apple-${flowType}` });
      await page.click('#apple');
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.getByText(`${email} by apple`).waitFor();
      t.equal(new URL(page.url()).origin, application);
    });
  }

  for (const flowType of flowTypesOf('denial')) {
    t.test(`signInWithOAuth, ${flowType}: a denial at the provider is an error`, async (t) => {
      const page = await visit(flowType);
      await page.click('#github');
      await page.getByRole('button', { name: 'Deny' }).click();
      await page.locator('#problem', { hasText: /denied/i }).waitFor();
      await equalSoon(t, () => page.textContent('#who'), 'signed out');
    });
  }

  let subjects = 50;

  /** A page signed in with GitHub, redirected to the provider that is to be linked. */
  async function signInAndLink(flowType: 'implicit' | 'pkce', proxied = '') {
    const page = await visit(flowType, proxied);
    const email = freshEmail();
    flow.providers.person('github', { email, subject: subjects++ });
    await page.click('#github');
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText(`${email} by github`).waitFor();
    flow.providers.person('gitlab', { email: freshEmail(), subject: subjects++ });
    await page.click('#link');
    return page;
  }

  const linking = [
    ['pkce', ''],
    ['implicit', '/proxied'],
    ['pkce', '/proxied'],
  ] as const;
  for (const [flowType, proxied] of pickRows(linking, [([flowType]) => flowType, ([, proxied]) => proxied])) {
    t.test(`linkIdentity, ${flowType}${proxied}: in the browser that started it`, async (t) => {
      const page = await signInAndLink(flowType, proxied);
      await page.getByRole('button', { name: 'Allow' }).waitFor();
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.locator('#identities', { hasText: 'github gitlab' }).waitFor();
      t.equal(new URL(page.url()).origin, application);

      const begun = await signInAndLink(flowType, proxied);
      await begun.getByRole('button', { name: 'Allow' }).waitFor();
      const forwarded = begun.url();
      const victim = await visit(flowType, proxied);
      await victim.goto(forwarded);
      await victim.getByRole('button', { name: 'Allow' }).click();
      if (flowType === 'implicit') await victim.locator('#problem', { hasText: /another browser/ }).waitFor();
      await victim.getByText('signed out').waitFor();
      await begun.goto(`${application}/${flowType}/${port}${proxied}`);
      await begun.locator('#identities', { hasText: /^github$/ }).waitFor();
    });
  }

  t.test('linkIdentity, implicit, from another origin: an error that recommends PKCE', sameInFull, async (t) => {
    const page = await signInAndLink('implicit');
    await page.locator('#problem', { hasText: /PKCE/ }).waitFor();
    await equalSoon(t, () => page.textContent('#identities'), 'github');
  });
}
