import { expect } from '@playwright/test';
import { test } from './latchkey.js';

test('a signed-in user sees the plan, and signs out', async ({ page, user }) => {
  await page.goto('/');
  await expect(page.getByRole('heading', { name: `Hello ${user.email}` })).toBeVisible();
  await expect(page.getByText('Plan: team')).toBeVisible();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page.getByRole('button', { name: 'Send me a code' })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('button', { name: 'Send me a code' })).toBeVisible();
});
