import { expect } from '@playwright/test';
import { codeFor, createUser, freshEmail, test } from './latchkey.js';

async function askForCode(page, to) {
  await page.goto('/');
  await page.getByLabel('Email or phone').fill(to);
  await page.getByRole('button', { name: 'Send me a code' }).click();
}

async function enterCode(page, code) {
  await page.getByLabel('Code').fill(code);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

test('a new user signs up with the code of a mail', async ({ page }) => {
  const email = freshEmail();
  await askForCode(page, email);
  await enterCode(page, await codeFor(email));
  await expect(page.getByRole('heading', { name: `Hello ${email}` })).toBeVisible();
  await expect(page.getByText('Plan: free')).toBeVisible();
});

test('an account that is there signs in', async ({ page }) => {
  const { email } = await createUser({ app_metadata: { plan: 'team' } });
  await askForCode(page, email);
  await enterCode(page, await codeFor(email));
  await expect(page.getByText('Plan: team')).toBeVisible();
});

test('a wrong code does not', async ({ page }) => {
  const email = freshEmail();
  await askForCode(page, email);
  const code = await codeFor(email);
  await enterCode(page, code === '000000' ? '000001' : '000000');
  await expect(page.getByRole('alert')).toHaveText('Token has expired or is invalid');
});

test('a phone with a fixed code', async ({ page }) => {
  await askForCode(page, '+15555550100');
  await enterCode(page, '123456');
  await expect(page.getByRole('heading', { name: 'Hello 15555550100' })).toBeVisible();
});
