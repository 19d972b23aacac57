import type { BrowserContext, CDPSession, Page } from 'playwright-core';

const sessions = new WeakMap<Page, CDPSession[]>();

/** Gives a page an authenticator that always agrees: one of the device (internal), or a security key (usb). */
export async function addVirtualAuthenticator(
  context: BrowserContext,
  page: Page,
  transport: 'internal' | 'usb' = 'internal',
) {
  const devtools = await context.newCDPSession(page);
  sessions.set(page, [...(sessions.get(page) ?? []), devtools]);
  await devtools.send('WebAuthn.enable', { enableUI: false });
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport,
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { devtools, authenticatorId };
}

/** Takes all of them from a page. */
export async function removeVirtualAuthenticators(page: Page): Promise<void> {
  for (const devtools of sessions.get(page) ?? []) {
    await devtools.send('WebAuthn.disable');
    await devtools.detach();
  }
  sessions.delete(page);
}
