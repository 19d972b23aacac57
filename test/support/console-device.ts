/** Devices of operators: a page and an authenticator. */
import type { BrowserContextOptions } from 'playwright-core';
import type { Authenticator } from './authenticator.js';
import type { PageOptions } from './console-page.js';
import { type Device, openDevices } from './hosted/devices.js';
import type { TestBrowser } from './mailbox-page.js';
import { watchPolicyFaults } from './policy-faults.js';
import type { Test } from './tap.js';
import { addVirtualAuthenticator } from './virtual-authenticator.js';

export interface ConsoleDevice extends Device {
  /** Reports against the content security policy. */
  readonly faults: readonly string[];
  /** Whether the authenticator agrees by itself, as it does at first. */
  agree(isEnabled: boolean): Promise<void>;
  addPasskey(authenticator: Authenticator): Promise<void>;
}

/** @returns what opens a device; a subtest of `t` leaves it to the next */
export function openConsoleDevices(t: Test, browser: TestBrowser): (options: PageOptions) => Promise<ConsoleDevice> {
  const lend = openDevices(t, browser);
  return async ({ width = 1280, height = 900, theme = 'light', isNew = false }) => {
    const options = { locale: 'en', viewport: { width, height }, colorScheme: theme };
    const device = isNew ? await openNew(browser, options) : await lend(options);
    device.context.setDefaultTimeout(20_000);
    return { ...device, faults: watchPolicyFaults(device.page), ...(await addAuthenticator(device)) };
  };
}

async function openNew(browser: TestBrowser, options: BrowserContextOptions): Promise<Device> {
  const context = await browser.newContext(options);
  return { context, page: await context.newPage() };
}

async function addAuthenticator({ context, page }: Device): Promise<Pick<ConsoleDevice, 'agree' | 'addPasskey'>> {
  const { devtools, authenticatorId } = await addVirtualAuthenticator(context, page);
  const agree = async (enabled: boolean): Promise<void> => {
    await devtools.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
  };
  return {
    agree,
    async addPasskey({ credentialId, userHandle, privateKey }) {
      const [id, user] = [credentialId, userHandle].map((text) => Buffer.from(text, 'base64url').toString('base64'));
      await devtools.send('WebAuthn.addCredential', {
        authenticatorId,
        credential: {
          credentialId: id!,
          userHandle: user!,
          privateKey,
          rpId: 'localhost',
          isResidentCredential: true,
          signCount: 0,
          // As it was registered: eligibility does not change (WebAuthn 3, 7.2).
          backupEligibility: true,
          backupState: true,
        },
      });
    },
  };
}
