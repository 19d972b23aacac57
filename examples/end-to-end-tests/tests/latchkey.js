/** What tests need of Latchkey: accounts of their own, the codes of mails, and a page that is signed in already. */
import { randomUUID } from 'node:crypto';
import { test as base, expect } from '@playwright/test';

const url = () => process.env.LATCHKEY_URL;

async function call(path, body, token) {
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  const response = await fetch(`${url()}${path}`, { method: 'POST', body: JSON.stringify(body), headers });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

/** Each test has addresses of its own, so that tests may run side by side and twice. */
export const freshEmail = () => `${randomUUID()}@example.com`;

/** @returns an account that can sign in; `fields` are those of POST /admin/users */
export const createUser = (fields = {}) =>
  call('/admin/users', { email: freshEmail(), email_confirm: true, ...fields }, process.env.LATCHKEY_ADMIN_TOKEN);

/** @returns the code of the newest mail to an address, as soon as there is one */
export async function codeFor(email) {
  let code;
  await expect(async () => {
    const response = await fetch(`${url()}/dev/mailbox/messages.json?to=${encodeURIComponent(email)}`);
    const { messages } = await response.json();
    code = messages[0]?.codes[0];
    expect(code).toBeDefined();
  }).toPass();
  return code;
}

export const test = base.extend({
  /** An account, whose session the page has: for tests that are not about signing in. */
  user: async ({ page }, use) => {
    const password = randomUUID();
    const user = await createUser({ password, app_metadata: { plan: 'team' } });
    const session = await call('/token?grant_type=password', { email: user.email, password });
    // As the application keeps it.
    await page.addInitScript((text) => {
      if (sessionStorage.getItem('seeded')) return;
      sessionStorage.setItem('seeded', 'true');
      localStorage.setItem('session', text);
    }, JSON.stringify(session));
    await use(user);
  },
});
