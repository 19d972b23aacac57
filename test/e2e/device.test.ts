/** The sign-in of a device (RFC 8628): openid-client on the device, and Chromium on the telephone of its user. */
import * as oidc from 'openid-client';
import type { Page } from 'playwright-core';
import { enrolTotp, openApp, type Session, verifyWith } from '../support/authenticator-app.js';
import { openDevices } from '../support/hosted/devices.js';
import { openHostedServer } from '../support/hosted-server.js';
import { findChromium, openBrowser } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { addDeviceClient } from '../support/oauth-device.js';
import { watchPolicyFaults } from '../support/policy-faults.js';
import { freshEmail, password } from '../support/server.js';
import { equalSoon } from '../support/soon.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull('a device and a telephone in a browser; the same by HTTP: oauth/hosted-device');

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await run(chromium);

async function run(executablePath: string): Promise<void> {
  const browser = await openBrowser(t, executablePath);
  const openDevice = openDevices(t, browser);
  const server = await openHostedServer(t, { OAUTH_SERVER_DEVICE_INTERVAL: '1s' });

  /** A device that shows its codes and asks for its tokens. */
  async function switchOn(name: string) {
    const { id } = await addDeviceClient(server, { client_name: name });
    const execute = [oidc.allowInsecureRequests, oidc.enableNonRepudiationChecks];
    const config = await oidc.discovery(new URL(server.issuer), id, undefined, oidc.None(), { execute });
    const codes = await oidc.initiateDeviceAuthorization(config, { scope: 'openid email' });
    const tokens = oidc.pollDeviceAuthorizationGrant(config, codes).then(
      (granted) => granted.claims()!,
      ({ error }: { error: string }) => error,
    );
    return { codes, tokens };
  }

  async function openPhone() {
    const { page } = await openDevice({ viewport: { width: 320, height: 700 } });
    const faults = watchPolicyFaults(page);
    page.on('pageerror', ({ message }) => faults.push(message));
    return { page, faults };
  }

  async function signIn(page: Page, email: string): Promise<void> {
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  }

  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

  t.test('by the QR code: confirm the code, sign in with a second factor, allow', async (t) => {
    const email = freshEmail();
    const session = (await server.post('/signup', { email, password })).body as Session;
    const { id, secret } = await enrolTotp(server, session);
    const app = openApp(secret);
    await verifyWith(server, session, id, app.nextCode());
    const { codes, tokens } = await switchOn('Meadow TV');
    const { page, faults } = await openPhone();
    await page.goto(codes.verification_uri_complete!);
    await page.getByRole('heading', { name: 'Connect a device' }).waitFor();
    await equalSoon(t, () => page.getByLabel('Code of the device').inputValue(), codes.user_code);
    await press(page, 'Continue');
    await signIn(page, email);
    await page.locator('input[autocomplete="one-time-code"]').fill(app.nextCode());
    await page.locator('button[value="verify"]').click();
    await page.getByRole('heading', { name: 'Allow Meadow TV on your device?' }).waitFor();
    await page.getByText(`Your device must show the code ${codes.user_code}.`).waitFor();
    await page.getByText(email).waitFor();
    await press(page, 'Allow');
    await page.getByRole('heading', { name: 'Device connected' }).waitFor();
    t.match(await tokens, { iss: server.issuer, email, acr: 'aal2' });

    await page.goBack();
    await page.reload();
    await page.getByText('was decided already').waitFor();
    await page.getByLabel('Code of the device').waitFor();
    t.same(faults, []);
  });

  t.test('by hand: a wrong code, then the right one; say no', async (t) => {
    const email = freshEmail();
    await server.post('/signup', { email, password });
    const { codes, tokens } = await switchOn('Meadow TV');
    const { page, faults } = await openPhone();
    await page.goto(codes.verification_uri);
    const field = page.getByLabel('Code of the device');
    await field.fill('bcdf ghjk');
    await press(page, 'Continue');
    await signIn(page, email);
    await page.getByText('This code is wrong or has expired.').waitFor();
    await field.fill(codes.user_code.toLowerCase().replace('-', ' '));
    await field.press('Enter');
    await page.getByRole('heading', { name: 'Allow Meadow TV on your device?' }).waitFor();
    await press(page, 'Do not allow');
    await page.getByRole('heading', { name: 'Not allowed' }).waitFor();
    t.equal(await tokens, 'access_denied');
    t.same(faults, []);
  });
}
