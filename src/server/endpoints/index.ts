/** All endpoints, in the order of the documentation. */
import { getAdminAudit } from './admin-audit.js';
import { getAdminConfig } from './admin-config.js';
import { deleteAdminCustomProvider, getAdminCustomProvider, putAdminCustomProvider } from './admin-custom-provider.js';
import { postAdminCustomProviderPreview, postAdminCustomProviderTest } from './admin-custom-provider-test.js';
import { getAdminCustomProviders, postAdminCustomProviders } from './admin-custom-providers.js';
import { getAdminEvents } from './admin-events.js';
import {
  deleteAdminUserFactor,
  getAdminUserFactors,
  postAdminUserFactorsReset,
  putAdminUserFactor,
} from './admin-factors.js';
import { postAdminGenerateLink } from './admin-generate-link.js';
import {
  deleteAdminOauthClient,
  getAdminOauthClient,
  getAdminOauthClients,
  postAdminOauthClientSecret,
  postAdminOauthClients,
  putAdminOauthClient,
} from './admin-oauth-clients.js';
import { deleteAdminUserPasskey, getAdminUserPasskeys } from './admin-passkeys.js';
import { postAdminSsoDomainVerify } from './admin-sso-domain.js';
import {
  deleteAdminSsoProvider,
  getAdminSsoProvider,
  postAdminSsoProviderRefresh,
  putAdminSsoProvider,
} from './admin-sso-provider.js';
import { getAdminSsoProviders, postAdminSsoProviders } from './admin-sso-providers.js';
import {
  deleteAdminTrustedDevice,
  deleteAdminTrustedDevices,
  getAdminTrustedDevice,
  getAdminTrustedDevices,
} from './admin-trusted-devices.js';
import { deleteAdminUser, getAdminUser, putAdminUser } from './admin-user.js';
import { postAdminUserSsoIdentity } from './admin-user-sso-identity.js';
import { getAdminUsers, postAdminUser, postAdminUsers } from './admin-users.js';
import { webhookEndpoints } from './admin-webhook-index.js';
import { getAuthorize, getUserIdentitiesAuthorize } from './authorize.js';
import { getCallback, postCallback } from './callback.js';
import { deleteFactor, postFactorChallenge, postFactors, postFactorVerify } from './factors.js';
import { getHealth, getHealthReady } from './health.js';
import { getHookKeys } from './hook-keys.js';
import { deleteUserIdentity } from './identities.js';
import { postInvite } from './invite.js';
import { getJwks } from './jwks.js';
import { postLogout } from './logout.js';
import { getOauthAuthorization, postOauthConsent } from './oauth-authorizations.js';
import { getOauthAuthorize } from './oauth-authorize.js';
import { deleteOauthRegistration, getOauthRegistration, putOauthRegistration } from './oauth-client-registration.js';
import { postOauthClientsRegister } from './oauth-clients-register.js';
import { getOauthDevice, postOauthDeviceConsent } from './oauth-device.js';
import { postOauthDeviceAuthorization } from './oauth-device-authorization.js';
import { deleteUserOauthGrant, getUserOauthGrants } from './oauth-grants.js';
import { postOauthIntrospect } from './oauth-introspect.js';
import { getOauthLogout, postOauthLogout } from './oauth-logout.js';
import { postOauthPar } from './oauth-par.js';
import { postOauthRevoke } from './oauth-revoke.js';
import { postOauthToken } from './oauth-token.js';
import { getOauthUserinfo, postOauthUserinfo } from './oauth-userinfo.js';
import { getOpenapi } from './openapi.js';
import {
  getOauthMetadata,
  getOauthMetadataOfLongPath,
  getOauthMetadataOfPath,
  getOpenidConfiguration,
} from './openid-configuration.js';
import { adminOrganizationEndpoints, organizationEndpoints } from './organization-index.js';
import { postMagiclink, postOtp } from './otp.js';
import { postPasskeyAuthenticationOptions, postPasskeyAuthenticationVerify } from './passkey-authentication.js';
import { postPasskeyRegistrationOptions, postPasskeyRegistrationVerify } from './passkey-registration.js';
import { deletePasskey, getPasskeys, getPasskeysSignal, patchPasskey } from './passkeys.js';
import { getReauthenticate } from './reauthenticate.js';
import { postRecover } from './recover.js';
import {
  deleteRecoveryCodesEndpoint,
  getRecoveryCodes,
  postRecoveryCodes,
  postRecoveryCodesRegenerate,
  postRecoveryCodesVerify,
} from './recovery-codes.js';
import { postResend } from './resend.js';
import { scimAdminEndpoints, scimEndpoints, scimOrganizationEndpoints } from './scim-index.js';
import { getSettings } from './settings.js';
import type { Endpoint } from './shared/define.js';
import { postSignup } from './signup.js';
import { postSso } from './sso.js';
import { getSsoSamlMetadata, postSsoSamlAcs } from './sso-saml.js';
import { getSsoSamlSlo, postSsoSamlSlo } from './sso-saml-slo.js';
import { postToken } from './token.js';
import {
  deleteTrustedDevice,
  deleteTrustedDevicesEndpoint,
  getTrustedDevice,
  getTrustedDevices,
} from './trusted-devices.js';
import { pageEndpoints } from './ui-index.js';
import { getUser, putUser } from './user.js';
import { postVerify } from './verify.js';
import { getVerify, postVerifyConfirm } from './verify-link.js';
import { postUserIdentityWeb3, postWeb3Nonce } from './web3.js';
import { getWebauthnOrigins } from './well-known-webauthn.js';

export const endpoints: readonly Endpoint[] = [
  postSignup,
  postToken,
  postWeb3Nonce,
  postOtp,
  postSso,
  getSsoSamlMetadata,
  postSsoSamlAcs,
  getSsoSamlSlo,
  postSsoSamlSlo,
  postMagiclink,
  postRecover,
  postResend,
  postVerify,
  getVerify,
  postVerifyConfirm,
  postInvite,
  getReauthenticate,
  getUser,
  putUser,
  postFactors,
  postFactorChallenge,
  postFactorVerify,
  deleteFactor,
  getRecoveryCodes,
  postRecoveryCodes,
  postRecoveryCodesRegenerate,
  postRecoveryCodesVerify,
  deleteRecoveryCodesEndpoint,
  getTrustedDevices,
  getTrustedDevice,
  deleteTrustedDevicesEndpoint,
  deleteTrustedDevice,
  getUserIdentitiesAuthorize,
  deleteUserIdentity,
  postUserIdentityWeb3,
  postPasskeyRegistrationOptions,
  postPasskeyRegistrationVerify,
  postPasskeyAuthenticationOptions,
  postPasskeyAuthenticationVerify,
  getPasskeys,
  getPasskeysSignal,
  patchPasskey,
  deletePasskey,
  ...organizationEndpoints,
  ...scimOrganizationEndpoints,
  getAuthorize,
  getCallback,
  postCallback,
  postLogout,
  getOauthAuthorize,
  postOauthPar,
  getOauthAuthorization,
  postOauthConsent,
  postOauthDeviceAuthorization,
  getOauthDevice,
  postOauthDeviceConsent,
  postOauthToken,
  postOauthRevoke,
  postOauthIntrospect,
  getOauthLogout,
  postOauthLogout,
  getOauthUserinfo,
  postOauthUserinfo,
  postOauthClientsRegister,
  getOauthRegistration,
  putOauthRegistration,
  deleteOauthRegistration,
  getUserOauthGrants,
  deleteUserOauthGrant,
  getAdminOauthClients,
  postAdminOauthClients,
  getAdminOauthClient,
  putAdminOauthClient,
  deleteAdminOauthClient,
  postAdminOauthClientSecret,
  getAdminUsers,
  postAdminUsers,
  getAdminUser,
  postAdminUser,
  putAdminUser,
  deleteAdminUser,
  getAdminUserFactors,
  postAdminUserFactorsReset,
  putAdminUserFactor,
  deleteAdminUserFactor,
  getAdminUserPasskeys,
  deleteAdminUserPasskey,
  postAdminUserSsoIdentity,
  getAdminTrustedDevices,
  getAdminTrustedDevice,
  deleteAdminTrustedDevices,
  deleteAdminTrustedDevice,
  postAdminGenerateLink,
  getAdminCustomProviders,
  postAdminCustomProviders,
  getAdminCustomProvider,
  putAdminCustomProvider,
  deleteAdminCustomProvider,
  getAdminSsoProviders,
  postAdminSsoProviders,
  getAdminSsoProvider,
  putAdminSsoProvider,
  deleteAdminSsoProvider,
  postAdminSsoProviderRefresh,
  postAdminSsoDomainVerify,
  postAdminCustomProviderTest,
  postAdminCustomProviderPreview,
  ...scimAdminEndpoints,
  ...adminOrganizationEndpoints,
  ...webhookEndpoints,
  getAdminEvents,
  getAdminAudit,
  getAdminConfig,
  ...scimEndpoints,
  ...pageEndpoints,
  getSettings,
  getJwks,
  getWebauthnOrigins,
  getHookKeys,
  getOpenidConfiguration,
  getOauthMetadata,
  getOauthMetadataOfPath,
  getOauthMetadataOfLongPath,
  getOpenapi,
  getHealth,
  getHealthReady,
];
