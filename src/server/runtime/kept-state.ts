/** What lives as long as its thread, and is handed from the parts of one configuration to those of the next. */
import { countFactorAttempts, type FactorCounter } from '../factors/attempt-counts.js';
import { countVerifications, type VerifyCounter } from '../keys/verify-counts.js';
import { type MailState, newMailState } from '../mail/mailer.js';
import { countOauth, type OauthCounter } from '../oauth/oauth-counts.js';
import { newOrganizationFigures, type OrganizationFigures } from '../organizations/organization-figures.js';
import { newOutboxCounts, type OutboxCounts } from '../outbox/contract.js';
import type { LeakOutcome } from '../passwords/contract.js';
import { noLeakChecks } from '../passwords/index.js';
import { type EndWatch, newEndWatch } from '../saml/coming-ends.js';

/** What parts of one configuration hand on to those of the next. */
export interface KeptState {
  readonly mail: MailState;
  readonly texts: OutboxCounts;
  readonly rejections: Record<string, number>;
  readonly leakChecks: Record<LeakOutcome, number>;
  readonly verifications: VerifyCounter;
  readonly factors: FactorCounter;
  readonly oauth: OauthCounter;
  readonly ssoEnds: EndWatch;
  readonly organizations: OrganizationFigures;
}

export const newState = (): KeptState => ({
  mail: newMailState(),
  texts: newOutboxCounts(),
  rejections: {},
  leakChecks: noLeakChecks(),
  verifications: countVerifications(),
  factors: countFactorAttempts(),
  oauth: countOauth(),
  ssoEnds: newEndWatch(),
  organizations: newOrganizationFigures(),
});
