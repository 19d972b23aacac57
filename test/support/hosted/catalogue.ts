/**
 * Every hosted page in each of its states. The tests of pages and `npm run screenshots` go through this list; a page that
 * is not in it fails test/conventions/hosted-states.test.ts.
 */
import type { PageState } from './page-state.js';
import { accountStates } from './states-accounts.js';
import { companyStates } from './states-company.js';
import { decidedStates } from './states-consent.js';
import { deviceStates } from './states-device.js';
import { invitationStates } from './states-invitations.js';
import { manageStates } from './states-manage.js';
import { manageProfileStates } from './states-manage-profile.js';
import { manageWaysStates } from './states-manage-ways.js';
import { organizationRuleStates } from './states-organization-rules.js';
import { organizationStates } from './states-organizations.js';
import { sessionStates } from './states-session.js';
import { signInStates } from './states-sign-in.js';

export const pageStates: readonly PageState[] = [
  ...signInStates,
  ...companyStates,
  ...accountStates,
  ...sessionStates,
  ...decidedStates,
  ...manageStates,
  ...manageProfileStates,
  ...manageWaysStates,
  ...organizationStates,
  ...organizationRuleStates,
  ...deviceStates,
  ...invitationStates,
];
