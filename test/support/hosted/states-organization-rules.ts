/** Policies of organizations, and who has access to them beside their members. */
import { comeTo, LIST, press } from './organizations.js';
import type { PageState } from './page-state.js';

export const organizationRuleStates: readonly PageState[] = [
  {
    page: `${LIST}/{id}`,
    state: 'needs-factor',
    world: 'full',
    status: 403,
    shows: 'a.button[href*="factors"]',
    reach: (visitor) => comeTo(visitor, '', 'member', { require_aal2: true }),
  },
  {
    page: `${LIST}/{id}`,
    state: 'needs-company',
    world: 'full',
    status: 403,
    shows: 'a.button.plain[href*="factors"]',
    reach: (visitor) => comeTo(visitor, '', 'owner', { require_sso: true }),
  },
  {
    page: `${LIST}/{id}/domains`,
    state: 'joining',
    world: 'full',
    shows: 'main li details[open] input[name="auto_join"]',
    async reach(visitor) {
      await comeTo(visitor, '/domains');
      await visitor.fill({ domain: 'department.company.example' });
      await press(visitor, 'add');
      await visitor.page.locator('main li summary').click();
    },
  },
  {
    page: `${LIST}/{id}/policies`,
    state: 'some',
    world: 'full',
    shows: 'input[name="session_hours"][value="12"]',
    reach: (visitor) =>
      comeTo(visitor, '/policies', 'owner', {
        session_hours: 12,
        allowed_domains: ['company.example', 'department.company.example'],
      }),
  },
  {
    page: `${LIST}/{id}/policies`,
    state: 'refused',
    world: 'full',
    status: 400,
    shows: 'textarea[aria-invalid="true"]',
    async reach(visitor) {
      await comeTo(visitor, '/policies');
      await visitor.page.locator('textarea').fill('no domain');
      await press(visitor, 'save');
    },
  },
];
