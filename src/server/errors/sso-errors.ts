/** Sign-in at the identity providers of companies. */
import type { ErrorEntries } from './entry.js';

export const ssoEntries = {
  samlDisabled: [404, 'saml_provider_disabled', 'SAML 2.0 is disabled'],
  ssoTwoTargets: [400, 'validation_failed', 'Only one of provider_id or domain supported'],
  ssoTargetMissing: [400, 'validation_failed', 'A provider_id or domain needs to be provided'],
  ssoOrganizationNotAlone: [400, 'validation_failed', 'organization is given without provider_id and domain'],
  ssoOrganizationEmpty: [400, 'validation_failed', 'organization must be the id or the slug of an organization'],
  ssoProviderIdNotUuid: [400, 'validation_failed', 'provider_id must be a UUID'],
  ssoProviderNotFound: [404, 'sso_provider_not_found', 'No such SSO provider'],
  ssoDomainNotFound: [404, 'sso_provider_not_found', 'No SSO provider assigned for this domain'],
  // Also where there is no such organization.
  ssoOrganizationNotFound: [404, 'sso_provider_not_found', 'No SSO provider belongs to this organization'],
  ssoIdentityProviderNotFound: [404, 'sso_provider_not_found', 'SSO Identity Provider not found'],
  ssoProviderDisabled: [404, 'sso_provider_disabled', 'SSO Provider is currently disabled'],

  ssoRequired: [422, 'sso_required', 'Addresses of this domain sign in at their company'],

  // At /sso/saml/acs, which answers them as a redirect.
  samlResponseMissing: [400, 'validation_failed', 'SAMLResponse is missing'],
  samlArtifactUnsupported: [
    400,
    'validation_failed',
    'Artifacts are not supported: let the Identity Provider send its response by HTTP-POST',
  ],
  samlRelayStateInvalid: [400, 'validation_failed', 'SAML RelayState is not a valid UUID or URL'],
  samlRelayStateNotFound: [404, 'saml_relay_state_not_found', 'SAML RelayState does not exist, try logging in again?'],
  samlRelayStateExpired: [422, 'saml_relay_state_expired', 'SAML RelayState has expired, try logging in again?'],
  samlIdpNotFound: [
    404,
    'saml_idp_not_found',
    'A SAML connection has not been established with this Identity Provider',
  ],
  samlIdpInitiatedDisabled: [400, 'validation_failed', 'Sign-ins at this Identity Provider must begin here'],
  // The reason is in the log: it would stay in the history of the browser.
  samlAssertionInvalid: [400, 'validation_failed', 'SAML Assertion is not valid'],
  samlAssertionUnread: [400, 'validation_failed', 'SAMLResponse cannot be read'],
  // At /sso/saml/slo, in the same way.
  samlLogoutMissing: [400, 'validation_failed', 'SAMLRequest or SAMLResponse is missing'],
  samlLogoutInvalid: [400, 'validation_failed', 'SAML log-out is not valid'],
  samlUserIdMissing: [400, 'saml_assertion_no_user_id', 'SAML Assertion did not contain a usable user id'],
  samlEmailMissing: [
    400,
    'saml_assertion_no_email',
    'SAML Assertion does not contain an email address, or the mapping does not find it',
  ],

  // Administration.
  ssoTypeUnsupported: [400, 'validation_failed', "Only 'saml' supported for SSO provider type"],
  samlMetadataTwice: [400, 'validation_failed', 'Only one of metadata_xml or metadata_url needs to be set'],
  samlMetadataMissing: [400, 'validation_failed', 'Either metadata_xml or metadata_url must be set'],
  samlMetadataUrlInvalid: [400, 'validation_failed', 'metadata_url is not a valid URL'],
  samlMetadataUrlPlain: [400, 'validation_failed', 'metadata_url is not a HTTPS URL'],
  samlMetadataFault: [400, 'validation_failed', 'SAML Metadata <fault>'],
  samlMetadataFetchFailed: [400, 'saml_metadata_fetch_failed', '<reason>'],
  samlMetadataHasNoUrl: [400, 'validation_failed', 'The provider has no metadata_url to read from'],
  samlEntityIdMismatch: [
    400,
    'saml_entity_id_mismatch',
    'SAML Metadata can be updated only if the EntityID attribute matches for the provider; expected <expected>',
  ],
  samlIdpAlreadyExists: [
    422,
    'saml_idp_already_exists',
    'SAML Identity Provider with this EntityID (<id>) already exists',
  ],
  ssoResourceIdTaken: [422, 'conflict', 'An SSO provider with this resource_id already exists'],
  ssoDomainTaken: [
    400,
    'sso_domain_already_exists',
    "SSO Domain '<domain>' is already assigned to an SSO identity provider (<provider>)",
  ],
  ssoDomainUnknown: [404, 'sso_domain_not_found', 'The provider does not have this domain'],
  domainRecordMissing: [422, 'domain_record_missing', '<reason>; put it up with the value <value>, and try again'],
  companyTestMissing: [404, 'trace_not_found', 'No test of the last day got an assertion'],
  ssoFieldInvalid: [400, 'validation_failed', '<reason>'],
  ssoUpdateConflict: [422, 'conflict', 'Updating SSO provider failed, likely due to a conflict. Try again?'],
} as const satisfies ErrorEntries;
