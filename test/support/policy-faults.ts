import type { Page } from 'playwright-core';

/** @returns what the page reports against its content security policy, as it comes */
export function watchPolicyFaults(page: Page): string[] {
  const faults: string[] = [];
  page.on('console', (message) => {
    if (/Content.Security.Policy|Trusted/i.test(message.text())) faults.push(message.text());
  });
  return faults;
}
