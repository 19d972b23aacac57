/** Whose sign-in at a provider it is, by what the provider says and what is there. */
import { findOwners } from '../../db/identities.js';
import { decideForProvisioned, decideOwner, type OwnerDecision } from './account-linking.js';
import { linkingDomainOf, providersByDomain } from './linking-domains.js';
import { findProvisionedPerson } from './provisioned-person.js';
import type { ExternalAttempt } from './sign-in-plan.js';

/** Reads only: a dry run ends after it. */
export async function decideSignIn({ app, request, claimed, subject }: ExternalAttempt): Promise<OwnerDecision> {
  const { config } = app;
  const { provider } = request;
  const domain = linkingDomainOf(config, provider);
  const found = await findOwners(app.db, {
    provider,
    subject,
    verifiedEmails: claimed.verifiedEmails,
    email: claimed.email,
    ...providersByDomain(config, domain),
  });
  const rules = {
    provider,
    isEmailOptional: request.isEmailOptional,
    allowsUnverified: config.mailerAllowUnverifiedEmailSignIns,
    isSignUpDisabled: config.disableSignup,
    domain,
  };
  const provisioned = found.people.some(({ is_known: isKnown }) => isKnown)
    ? undefined
    : await findProvisionedPerson(app, provider, request.profile);
  const decision = provisioned === undefined ? decideOwner(claimed, found, rules) : decideForProvisioned(provisioned);
  request.trace?.noteDecision(decision, { claimed, found, rules });
  return decision;
}
