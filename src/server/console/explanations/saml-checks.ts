/** What to do about a check of a response that failed (docs/sso.md, What goes wrong). */
import type { SamlCheckName } from '../../../workers/saml-wire.js';

/** In a test, also whether the assertion was used. */
export type CompanyCheckName = SamlCheckName | 'replayed';

export const samlCures: Readonly<Record<CompanyCheckName, string>> = {
  malformed:
    'Let the provider send one SAML 2.0 response with one assertion that has subject, conditions and AuthnStatement.',
  status:
    'The provider itself refused: its own log says why. Often the person is not assigned to the application there.',
  signature:
    'Let the provider sign the assertion or the response, with SHA-256 and the key in its metadata. If it has a new key, its metadata has to be read again; a test that fails here does so, and the next one passes.',
  destination: 'Enter the reply address (ACS) at the provider, letter by letter, or set AUTH_SAML_EXTERNAL_URL.',
  issuer: 'The answer is from another provider than the metadata: give the metadata of that one, or add it on its own.',
  response_to:
    'The provider answered no request, or another one. Begin again, in one tab, and let it keep InResponseTo.',
  expired: 'Set the clocks of both by NTP. AUTH_SAML_CLOCK_SKEW and AUTH_SAML_MAX_ISSUE_DELAY say what is permitted.',
  encryption:
    'Set AUTH_SAML_ALLOW_ENCRYPTED_ASSERTIONS, then give the provider our metadata anew: RSA-OAEP with AES, and a signature.',
  subject: 'Let the provider confirm the subject with the method bearer, and send one NameID.',
  recipient: 'Enter the reply address (ACS) at the provider, letter by letter, also as Recipient.',
  audience: 'Enter our entity ID as audience at the provider, letter by letter.',
  replayed: 'Nothing, if a page was loaded again: each assertion is used once. Begin again.',
};

/** What is decided about the account of a person of a company. */
export const companyRules = {
  company_known: 'A person with this id of the provider has an account.',
  company_joined:
    'No one with this id of the provider has an account. The organization has verified the domain of the address, and an account has proven the address: a sign-in joins that account.',
  company_new: 'No one with this id of the provider has an account: a sign-in makes one.',
} as const;
