/** Policies of organizations, and who has access to them beside their members. */
import { comeTo, LIST } from './organizations.js';
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
];
