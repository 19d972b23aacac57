/** What to tell operators about each error: one entry for each of the catalogue (src/server/errors.ts). */
import type { ErrorName } from '../../errors.js';
import { adminExplanations, consoleExplanations, pageExplanations } from './admin-explanations.js';
import { callerExplanations } from './caller-explanations.js';
import type { CheckName } from './check-names.js';
import { codeExplanations } from './code-explanations.js';
import { factorExplanations, passkeyExplanations } from './factor-explanations.js';
import { hookExplanations } from './hook-explanations.js';
import { oauthExplanations } from './oauth-explanations.js';
import { organizationExplanations } from './organization-explanations.js';
import { providerExplanations } from './provider-explanations.js';
import { requestExplanations, serverExplanations } from './request-explanations.js';
import { scimExplanations } from './scim-explanations.js';
import { signInExplanations, userExplanations } from './sign-in-explanations.js';
import { signUpExplanations } from './sign-up-explanations.js';
import { ssoExplanations } from './sso-explanations.js';
import { walletExplanations } from './wallet-explanations.js';

export const explanations: Readonly<
  Record<ErrorName, readonly [check: CheckName, advice: string, ...settings: string[]]>
> = {
  ...requestExplanations,
  ...callerExplanations,
  ...signUpExplanations,
  ...factorExplanations,
  ...codeExplanations,
  ...signInExplanations,
  ...ssoExplanations,
  ...scimExplanations,
  ...organizationExplanations,
  ...passkeyExplanations,
  ...pageExplanations,
  ...userExplanations,
  ...hookExplanations,
  ...providerExplanations,
  ...walletExplanations,
  ...oauthExplanations,
  ...adminExplanations,
  ...consoleExplanations,
  ...serverExplanations,
};
