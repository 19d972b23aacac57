/** What a mapping makes of an assertion, by the code of sign-ins, also where that would be refused. */
import type { SsoProviderRow } from '../../../db/sso-providers.js';
import type { Metadata } from '../../../db/user-rows.js';
import { domainOf, spellDomain } from '../../accounts/addresses.js';
import { ApiError } from '../../errors.js';
import type { App } from '../../runtime/app.js';
import { identityDataOf, prepareSsoAccount } from '../account.js';

import { type ExaminedPerson, examineSamlPerson, readSamlPerson, type SamlSaid } from '../mapping.js';

export interface PersonExamined extends ExaminedPerson {
  /** Of a new account. */
  readonly userMetadata: Metadata;
  /** Of the address; '' for none. */
  readonly domain: { readonly name: string; readonly isOfCompany: boolean };
  /** With what a sign-in would be refused; null: with nothing. */
  readonly error: ApiError | null;
}

/** @param mapping `attribute_mapping`, of the provider or a draft */
export function examinePerson(
  app: Pick<App, 'config'>,
  provider: Pick<SsoProviderRow, 'id' | 'entity_id' | 'domains'>,
  said: SamlSaid,
  mapping: Readonly<Record<string, unknown>>,
): PersonExamined {
  const found = examineSamlPerson(said, mapping);
  let email = found.email.value;
  let error: ApiError | null = null;
  try {
    email = prepareSsoAccount(app, provider, readSamlPerson(said, mapping)).email;
  } catch (refused) {
    if (!(refused instanceof ApiError)) throw refused;
    error = refused;
  }
  const domain = spellDomain(domainOf(email));
  return {
    ...found,
    email: { ...found.email, value: email },
    userMetadata: identityDataOf(provider, { claims: found.claims, subject: found.subject.value }, email),
    domain: { name: domain, isOfCompany: provider.domains.includes(domain) },
    error,
  };
}

/** What the step of a test says. */
export const describePerson = ({
  subject,
  email,
  domain,
  ...person
}: PersonExamined): Readonly<Record<string, unknown>> => ({
  subject: subject.value,
  subject_from: subject.from,
  email: email.value,
  email_from: email.from,
  is_domain_of_company: domain.isOfCompany,
  user_metadata: person.userMetadata,
  app_metadata_sso: person.trustedClaims,
  unmapped: person.unmapped.map(({ name }) => name),
  shortened: person.shortened,
});
