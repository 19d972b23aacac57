import type { ssoEntries } from '../../errors/sso-errors.js';
import type { Explanations } from './check-names.js';

export const ssoExplanations = {
  samlDisabled: ['method', 'Sign-in at companies is switched off.', 'AUTH_SAML_ENABLED'],
  ssoTwoTargets: ['input', 'Send either provider_id or domain.'],
  ssoTargetMissing: ['input', 'Send provider_id, or the domain of the address.'],
  ssoProviderIdNotUuid: ['input', 'provider_id is the id that the list of providers shows.'],
  ssoProviderNotFound: ['object', 'Compare the id with the list of providers. It may have been deleted.'],
  ssoDomainNotFound: ['object', 'No company has this domain. Add it to the provider of the company.'],
  ssoIdentityProviderNotFound: ['object', 'Compare the id with the list of providers. It may have been deleted.'],
  ssoProviderDisabled: ['sso', 'An administrator switched this provider off.'],

  ssoRequired: ['method', 'The provider of the domain has enforced: true. POST /sso with the domain signs in there.'],
  samlResponseMissing: ['input', 'The identity provider sent no SAMLResponse, or not as a form.'],
  samlArtifactUnsupported: ['sso', 'Choose the binding HTTP-POST for the response at the identity provider.'],
  samlRelayStateInvalid: ['sso', 'The identity provider changed the RelayState. It must return it as it came.'],
  samlRelayStateNotFound: ['sso', 'The answer came twice, or its sign-in was not begun here. Begin again.'],
  samlRelayStateExpired: [
    'sso',
    'The person took too long at the identity provider. Begin again, or allow more time.',
    'AUTH_SAML_RELAY_STATE_VALIDITY_PERIOD',
  ],
  samlIdpNotFound: ['sso', 'The issuer of the answer is no provider here. Compare its entity id with the metadata.'],
  samlIdpInitiatedDisabled: [
    'sso',
    'The sign-in began at the identity provider, which is switched off.',
    'AUTH_SAML_ALLOW_IDP_INITIATED',
  ],
  samlAssertionInvalid: [
    'sso',
    'Test a sign-in on the page of the company: it names the check that fails, and the cure. The log has the reason with the id of the request.',
    'AUTH_SAML_CLOCK_SKEW',
    'AUTH_SAML_MAX_ISSUE_DELAY',
    'AUTH_SAML_ALLOW_SHA1',
  ],
  samlAssertionUnread: [
    'sso',
    'What arrived is no SAML response. Compare the address that the identity provider posts to.',
  ],
  samlLogoutMissing: [
    'sso',
    'What arrived is no message of log-out. Compare the address that the identity provider uses.',
  ],
  samlLogoutInvalid: [
    'sso',
    'The log has the reason with the id of the request: signature, address, issuer or time.',
    'AUTH_SAML_CLOCK_SKEW',
    'AUTH_SAML_MAX_ISSUE_DELAY',
    'AUTH_SAML_ALLOW_SHA1',
  ],
  samlUserIdMissing: ['sso', 'Let the identity provider send a persistent NameID, or the attribute subject-id.'],
  samlEmailMissing: ['sso', 'Let the identity provider send the address, or map its attribute to email.'],

  ssoTypeUnsupported: ['input', 'The type of a provider is saml.'],
  samlMetadataTwice: ['input', 'Send metadata_xml or metadata_url.'],
  samlMetadataMissing: ['input', 'Send metadata_xml or metadata_url.'],
  samlMetadataUrlInvalid: ['input', 'metadata_url must be an absolute URL.'],
  samlMetadataUrlPlain: ['input', 'metadata_url must begin with https://.'],
  samlMetadataFault: ['input', 'The message says what is wrong. Export the metadata at the identity provider again.'],
  samlMetadataFetchFailed: [
    'input',
    'The message says why the address cannot be read. Addresses on private networks need a setting.',
    'AUTH_OUTBOUND_PRIVATE_HOSTS',
  ],
  samlMetadataHasNoUrl: ['input', 'The metadata of this provider was sent as XML. Send it again, or set metadata_url.'],
  samlEntityIdMismatch: ['input', 'The metadata is of another identity provider. Add that as a provider of its own.'],
  samlIdpAlreadyExists: ['duplicate', 'Change the provider that has this entity id.'],
  ssoResourceIdTaken: ['duplicate', 'Choose another resource_id.'],
  ssoDomainTaken: ['duplicate', 'Remove the domain from the other provider first.'],
  ssoDomainUnknown: ['object', 'Compare the domain with those of the provider. Add it to the provider first.'],
  domainRecordMissing: [
    'object',
    'Put the TXT record up where the domain has its DNS, and wait until it is seen: dig TXT and its name shows it.',
  ],
  companyTestMissing: ['object', 'Test a sign-in first, or paste an assertion.'],
  ssoFieldInvalid: ['input', 'The message says which field is wrong.'],
  ssoUpdateConflict: ['duplicate', 'Another change came in between. Read the provider and try again.'],
} as const satisfies Explanations<typeof ssoEntries>;
