/** Passkeys and security keys on the hosted pages, with an authenticator of the browser. */

import { enrolTotp, openApp, type Session, verifyWith } from '../support/authenticator-app.js';
import { openDevices } from '../support/hosted/devices.js';
import { findChromium } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { openPasskeyPages } from '../support/passkey-pages.js';
import { watchPolicyFaults } from '../support/policy-faults.js';
import { freshEmail, password } from '../support/server.js';
import { equalSoon } from '../support/soon.js';
import { onlyInFull, t } from '../support/tap.js';
import { addVirtualAuthenticator } from '../support/virtual-authenticator.js';

onlyInFull(
  'pages in a browser with an authenticator; the same by the client: auth-js-passkeys, auth-js-webauthn; by HTTP: http/passkeys',
);

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await run(chromium);

async function run(executablePath: string): Promise<void> {
  const { browser, origin, server } = await openPasskeyPages(t, executablePath);

  const openDevice = openDevices(t, browser);

  /** A page whose device has an authenticator that always agrees. */
  async function visit() {
    const { context, page } = await openDevice();
    const { devtools, authenticatorId } = await addVirtualAuthenticator(context, page);
    const agree = (enabled: boolean) =>
      devtools.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
    const faults = watchPolicyFaults(page);
    await page.goto(`${origin}/ui/signed-out`);
    const create = (options: object) =>
      page.evaluate(async (json) => {
        // biome-ignore lint/suspicious/noExplicitAny: runs in the browser, whose types are not here.
        const api = globalThis as any;
        const publicKey = api.PublicKeyCredential.parseCreationOptionsFromJSON(json);
        return (await api.navigator.credentials.create({ publicKey })).toJSON();
      }, options);
    return { page, create, agree, faults };
  }

  async function openAccount() {
    const email = freshEmail();
    const session = (await server.post('/signup', { email, password })).body as Session;
    const call = (path: string, body: object = {}) => server.call('POST', path, { bearer: session.access_token, body });
    return { email, session, call };
  }

  const signInPage = `${origin}/authorize?provider=custom:hosted`;

  t.test('a passkey: offered as autofill, and by a button', async (t) => {
    const { email, call } = await openAccount();
    const { page, create, agree, faults } = await visit();
    const { challenge_id, options } = (await call('/passkeys/registration/options')).body;
    const credential = await create(options);
    t.equal((await call('/passkeys/registration/verify', { challenge_id, credential })).status, 200);
    const tokensFor = async () => {
      await page.waitForURL(/#.*access_token=/);
      const bearer = new URLSearchParams(new URL(page.url()).hash.slice(1)).get('access_token')!;
      return (await server.call('GET', '/user', { bearer })).body.email;
    };
    await page.goto(signInPage);
    t.equal(await tokensFor(), email, 'the browser has filled it in');

    await agree(false);
    await page.goto(`${signInPage}&prompt=login`);
    await equalSoon(t, () => page.getByLabel('Email').getAttribute('autocomplete'), 'username webauthn');
    const button = page.getByRole('button', { name: 'Sign in with a passkey' });
    await button.waitFor();
    await agree(true);
    await button.click();
    t.equal(await tokensFor(), email);
    t.same(faults, []);
  });

  t.test('a security key as second factor', async (t) => {
    const { email, session } = await openAccount();
    const { page, create, faults } = await visit();
    const { id: totpId, secret } = await enrolTotp(server, session);
    const raised = (await verifyWith(server, session, totpId, openApp(secret).nextCode())).body as Session;
    const asRaised = (path: string, body: object = {}) =>
      server.call('POST', path, { bearer: raised.access_token, body });
    const { id } = (await asRaised('/factors', { factor_type: 'webauthn', friendly_name: 'Blue key' })).body;
    const challenge = (await asRaised(`/factors/${id}/challenge`)).body;
    const credential_response = await create(challenge.webauthn.credential_options.publicKey);
    const verified = await asRaised(`/factors/${id}/verify`, {
      challenge_id: challenge.id,
      webauthn: { type: 'create', credential_response },
    });
    t.equal(verified.status, 200, JSON.stringify(verified.body));

    await page.goto(signInPage);
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('Enter the code from your authenticator app').waitFor();
    await page.getByRole('link', { name: 'Blue key (security key)' }).click();
    await page.getByRole('button', { name: 'Use security key' }).click();
    await page.waitForURL(/#.*access_token=/);
    const token = new URLSearchParams(new URL(page.url()).hash.slice(1)).get('access_token')!;
    t.equal(JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()).aal, 'aal2');
    t.same(faults, []);
  });
}
