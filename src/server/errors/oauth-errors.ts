/** The authorization server. */
import type { ErrorEntries } from './entry.js';

export const oauthEntries = {
  oauthServerDisabled: [404, 'feature_disabled', 'OAuth server is disabled'],
  clientTokenRefused: [403, 'no_authorization', 'The token of an OAuth client cannot manage the account'],

  // Clients
  oauthRegistrationDisabled: [
    403,
    'oauth_dynamic_client_registration_disabled',
    'Dynamic client registration is not enabled',
  ],
  registrationTokenMissing: [401, 'no_authorization', 'A valid registration token is required'],
  registrationMismatch: [400, 'validation_failed', '<name> is not that of the client'],
  clientRedirectUriInvalid: [400, 'validation_failed', '<reason>'],
  clientMetadataInvalid: [400, 'validation_failed', '<reason>'],
  clientIdNotUuid: [400, 'validation_failed', 'invalid client_id format'],
  clientNotFound: [404, 'oauth_client_not_found', 'OAuth client not found'],
  clientSecretOfPublic: [400, 'validation_failed', 'Cannot regenerate secret for public client'],
  clientSecretOfKey: [400, 'validation_failed', 'The client proves itself by a key and has no secret'],

  // Subjects
  pairwiseUnavailable: [503, 'service_unavailable', 'The names of users for this client cannot be made now'],

  // Authorize
  authorizeParameterMissing: [400, 'validation_failed', '<name> is required'],
  authorizeClientInvalid: [400, 'oauth_client_not_found', '<reason>'],
  authorizeRedirectUriInvalid: [400, 'validation_failed', 'invalid redirect_uri'],
  authorizeRequestRefused: [400, 'validation_failed', '<reason>'],
  authorizeRequestUriInvalid: [400, 'validation_failed', 'request_uri is unknown, has expired, or was used'],

  // Consent
  originRefused: [400, 'validation_failed', 'unauthorized request origin'],
  authorizationNotFound: [404, 'oauth_authorization_not_found', 'authorization not found'],
  authorizationNotOpen: [400, 'validation_failed', 'authorization request cannot be processed'],
  authorizationDecided: [400, 'validation_failed', 'authorization request is no longer pending'],
  loginTooOld: [403, 'reauthentication_needed', 'The client asks for a newer sign-in'],
  consentActionInvalid: [400, 'validation_failed', 'action must be approve or deny'],
  organizationChoiceMissing: [400, 'validation_failed', 'organization_id must say which organization it is for'],
  aalForConsent: [403, 'insufficient_aal', 'AAL2 session is required to authorize an application'],
  grantClientMissing: [400, 'validation_failed', 'client_id query parameter is required'],
  grantNotFound: [404, 'oauth_consent_not_found', 'No active grant found for this client'],

  // Logout
  logoutClientMissing: [400, 'validation_failed', 'id_token_hint or client_id is required'],
  logoutHintInvalid: [400, 'validation_failed', 'id_token_hint is not an ID token of this client'],
  logoutHintMissing: [400, 'validation_failed', 'id_token_hint is required, since no page can ask the user'],
  logoutRedirectInvalid: [400, 'validation_failed', 'invalid post_logout_redirect_uri'],

  // Devices
  deviceGrantDisabled: [404, 'feature_disabled', 'Device authorization is disabled'],
  deviceGrantRefused: [400, 'validation_failed', 'The client is not registered for device authorization'],
  authorizationRequestInvalid: [400, 'validation_failed', '<reason>'],
  userCodeWrong: [404, 'oauth_authorization_not_found', 'The code is wrong or has expired'],
  deviceCodeMissing: [400, 'validation_failed', 'device_code is required'],
  deviceCodeInvalid: [400, 'invalid_credentials', 'Invalid device code'],
  devicePending: [400, 'oauth_authorization_pending', 'The user has not decided yet'],
  devicePollsTooFast: [400, 'oauth_slow_down', 'The client polls too fast; wait five seconds longer from now on'],
  deviceDenied: [400, 'no_authorization', 'User denied the request'],
  deviceCodeExpired: [400, 'otp_expired', 'Device code has expired'],

  // Keys (RFC 9449)
  clientProofMissing: [400, 'invalid_dpop_proof', 'The client needs a DPoP proof'],
  clientProofInvalid: [400, 'invalid_dpop_proof', 'The DPoP proof is refused: <reason>'],
  pushedKeyDiffers: [400, 'invalid_dpop_proof', 'dpop_jkt is not the key of the DPoP proof'],
  clientNonceMissing: [400, 'use_dpop_nonce', 'The DPoP proof is refused: <reason>'],
  boundTokenUnproven: [401, 'bad_jwt', 'The access token is bound to a key and needs its DPoP proof'],
  unboundTokenProven: [401, 'bad_jwt', 'The access token is not bound to a key'],
  holderProofInvalid: [401, 'invalid_dpop_proof', 'The DPoP proof is refused: <reason>'],
  holderNonceMissing: [401, 'use_dpop_nonce', 'The DPoP proof is refused: <reason>'],

  // Token
  clientNotProven: [401, 'invalid_credentials', 'Invalid client credentials: <reason>'],
  grantTypeMissing: [400, 'validation_failed', 'grant_type is required'],
  grantTypeUnsupported: [400, 'validation_failed', 'grant_type is not supported for this client'],
  clientCodeMissing: [400, 'validation_failed', 'code is required'],
  clientCodeInvalid: [400, 'invalid_credentials', 'Invalid authorization code'],
  clientCodeExpired: [400, 'invalid_credentials', 'Authorization code has expired'],
  clientCodeRedirectUriDiffers: [400, 'invalid_credentials', 'redirect_uri does not match the authorization request'],
  clientCodeVerifierWrong: [400, 'invalid_credentials', 'PKCE verification failed: code_verifier does not match'],
  clientCodeKeyDiffers: [400, 'invalid_credentials', 'The code is bound to another key'],
  clientCodeUserBanned: [400, 'user_banned', 'User is banned'],
  // Of clients that serve one organization only.
  organizationNotServed: [400, 'not_a_member', 'The client serves an organization that the user is no member of'],
  machineOrganizationGone: [400, 'validation_failed', 'The organization of the client is not there'],
  machineRoleRefused: [400, 'validation_failed', 'The role of the client is not permitted: <role>'],
  machineScopeRefused: [400, 'validation_failed', 'A client cannot have this scope for itself: <scope>'],
  machineResourceRefused: [400, 'validation_failed', '<reason>'],
  oauthTokenMissing: [400, 'validation_failed', 'token is required'],
  resourceRefused: [400, 'validation_failed', 'The resource is not part of the authorization'],
  scopeRefused: [400, 'validation_failed', 'The scope exceeds that of the authorization: <scope>'],
  oauthRefreshTokenMissing: [400, 'validation_failed', 'refresh_token is required'],
  refreshKeyDiffers: [400, 'invalid_credentials', 'The refresh token is bound to another key'],
  sessionOfClient: [400, 'invalid_credentials', 'Client authentication required for OAuth session'],
} as const satisfies ErrorEntries;

/** The `error` of RFC 6749 5.2 and its extensions; others follow from the status. */
export const oauthErrorNames: Readonly<Partial<Record<string, string>>> = {
  registrationTokenMissing: 'invalid_token',
  registrationMismatch: 'invalid_client_metadata',
  clientRedirectUriInvalid: 'invalid_redirect_uri',
  clientMetadataInvalid: 'invalid_client_metadata',
  deviceGrantRefused: 'unauthorized_client',
  deviceCodeInvalid: 'invalid_grant',
  devicePending: 'authorization_pending',
  devicePollsTooFast: 'slow_down',
  deviceDenied: 'access_denied',
  deviceCodeExpired: 'expired_token',
  grantTypeUnsupported: 'unsupported_grant_type',
  clientCodeInvalid: 'invalid_grant',
  clientCodeExpired: 'invalid_grant',
  clientCodeRedirectUriDiffers: 'invalid_grant',
  clientCodeVerifierWrong: 'invalid_grant',
  clientCodeKeyDiffers: 'invalid_grant',
  clientCodeUserBanned: 'access_denied',
  clientProofMissing: 'invalid_dpop_proof',
  clientProofInvalid: 'invalid_dpop_proof',
  clientNonceMissing: 'use_dpop_nonce',
  pushedKeyDiffers: 'invalid_dpop_proof',
  refreshKeyDiffers: 'invalid_grant',
  resourceRefused: 'invalid_target',
  scopeRefused: 'invalid_scope',
  organizationNotServed: 'invalid_grant',
  machineOrganizationGone: 'unauthorized_client',
  machineRoleRefused: 'unauthorized_client',
  machineScopeRefused: 'invalid_scope',
  machineResourceRefused: 'invalid_target',
  refreshTokenNotFound: 'invalid_grant',
  refreshTokenAlreadyUsed: 'invalid_grant',
  refreshUserBanned: 'invalid_grant',
  sessionExpired: 'invalid_grant',
  sessionInactive: 'invalid_grant',
  sessionLowAal: 'invalid_grant',
  sessionSuperseded: 'invalid_grant',
  sessionOfClient: 'invalid_client',
};
