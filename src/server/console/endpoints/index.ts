/**
 * Every endpoint of the console, each with its role (SEC-59). They are served on AUTH_CONSOLE_PORT only; the table of the API
 * is src/server/endpoints/index.ts.
 */
import type { ConsoleEndpoint } from '../define-console.js';
import * as activity from './activity.js';
import * as checks from './checks.js';
import * as config from './config.js';
import * as exports from './exports.js';
import * as hooks from './hooks.js';
import * as impersonation from './impersonation.js';
import * as imports from './imports.js';
import * as keys from './keys.js';
import * as limits from './limits.js';
import * as look from './look.js';
import * as mail from './mail.js';
import * as mailWords from './mail-words.js';
import * as me from './me.js';
import * as oauthClients from './oauth-clients.js';
import * as operators from './operators.js';
import * as organizationDomains from './organization-domains.js';
import * as organizationInvitations from './organization-invitations.js';
import * as organizationMembers from './organization-members.js';
import * as organizationRoles from './organization-roles.js';
import * as organizationSso from './organization-sso.js';
import * as organizations from './organizations.js';
import * as overview from './overview.js';
import * as providers from './providers.js';
import * as redirects from './redirects.js';
import * as requests from './requests.js';
import * as savedFilters from './saved-filters.js';
import * as scimCalls from './scim-calls.js';
import * as scimTokens from './scim-tokens.js';
import * as settings from './settings.js';
import * as signIn from './sign-in.js';
import * as ssoProviders from './sso-providers.js';
import * as ssoTests from './sso-tests.js';
import * as user from './user.js';
import * as userFactors from './user-factors.js';
import * as userGrants from './user-grants.js';
import * as userLinks from './user-links.js';
import * as userNotes from './user-notes.js';
import * as users from './users.js';
import * as webhookDeliveries from './webhook-deliveries.js';
import * as webhooks from './webhooks.js';

export const consoleEndpoints: readonly ConsoleEndpoint[] = [
  signIn.getSignIn,
  signIn.postSignInPassword,
  signIn.postSignInPasskeyOptions,
  signIn.postSignInPasskey,
  signIn.postLink,
  signIn.postLinkPasskeyOptions,
  signIn.postLinkPasskey,
  signIn.postLinkAuthenticator,
  signIn.postLinkPassword,
  signIn.postLinkSession,
  me.getMe,
  me.postMeStepUp,
  me.deleteMeSession,
  me.deleteMeSessionById,
  me.postMePasskeyOptions,
  me.postMePasskey,
  me.deleteMePasskey,
  operators.getOperators,
  operators.postOperators,
  operators.putOperator,
  operators.postOperatorReset,
  operators.deleteOperatorById,
  users.getUsers,
  users.postUsersBulk,
  users.postUsersDelete,
  exports.postUsersExport,
  exports.postActivityExport,
  imports.getImports,
  imports.postImport,
  imports.postImportPreview,
  imports.getImport,
  imports.postImportPiece,
  imports.getImportResults,
  user.getConsoleUser,
  user.putConsoleUser,
  user.deleteUserById,
  user.deleteUserSessions,
  user.deleteUserSession,
  // Before the path with an id.
  userFactors.postUserFactorsReset,
  userFactors.deleteUserFactor,
  userFactors.deleteUserPasskey,
  userLinks.postUserLink,
  userLinks.postUserLinkMail,
  impersonation.postUserImpersonation,
  user.getUserActivity,
  userNotes.getUserNotes,
  userNotes.postUserNote,
  userNotes.deleteUserNote,
  organizations.getConsoleUserOrganizations,
  organizations.getConsoleOrganizations,
  organizations.postConsoleOrganization,
  organizations.getConsoleOrganization,
  organizations.putConsoleOrganization,
  organizations.deleteConsoleOrganization,
  organizations.putConsoleOrganizationPolicies,
  organizationDomains.getConsoleOrganizationDomains,
  organizationDomains.postConsoleOrganizationDomain,
  organizationDomains.putConsoleOrganizationDomain,
  organizationDomains.postConsoleOrganizationDomainVerify,
  organizationDomains.deleteConsoleOrganizationDomain,
  organizationMembers.getConsoleOrganizationMembers,
  organizationMembers.postConsoleOrganizationMember,
  organizationMembers.putConsoleOrganizationMember,
  organizationMembers.deleteConsoleOrganizationMember,
  organizationInvitations.getConsoleOrganizationInvitations,
  organizationInvitations.postConsoleOrganizationInvitations,
  organizationInvitations.postConsoleInvitationResend,
  organizationInvitations.deleteConsoleOrganizationInvitation,
  organizationSso.getConsoleOrganizationSsoProviders,
  scimTokens.getConsoleOrganizationScimTokens,
  scimTokens.postConsoleOrganizationScimToken,
  scimTokens.deleteConsoleOrganizationScimToken,
  scimCalls.getConsoleOrganizationScimCalls,
  organizationRoles.getConsoleOrganizationRoles,
  organizationRoles.postConsoleOrganizationRole,
  organizationRoles.putConsoleOrganizationRole,
  organizationRoles.deleteConsoleOrganizationRole,
  savedFilters.getSavedFilters,
  savedFilters.postSavedFilter,
  savedFilters.deleteSavedFilter,
  activity.getActivity,
  activity.getActivityTail,
  overview.getOverview,
  requests.getRequests,
  requests.getRequestById,
  webhooks.getWebhooks,
  webhooks.postConsoleWebhook,
  webhooks.getWebhook,
  webhooks.putWebhook,
  webhooks.deleteWebhookById,
  webhooks.postWebhookSecret,
  webhookDeliveries.postWebhookTest,
  webhookDeliveries.getWebhookDeliveries,
  webhookDeliveries.postWebhookDeliveryReplay,
  webhookDeliveries.postWebhookReplay,
  oauthClients.getOauthClients,
  oauthClients.postOauthClient,
  oauthClients.getOauthClient,
  oauthClients.putOauthClient,
  oauthClients.deleteOauthClientById,
  oauthClients.postOauthClientSecret,
  oauthClients.getOauthClientGrants,
  userGrants.getUserGrants,
  userGrants.deleteUserGrant,
  hooks.getHooks,
  hooks.postHookRehearsal,
  providers.getProviders,
  providers.getProvider,
  providers.getProviderSetup,
  providers.getProviderTraces,
  providers.postProviderTrace,
  providers.getTrace,
  ssoProviders.getSsoProviders,
  ssoProviders.postSsoProvider,
  ssoProviders.getSsoProvider,
  ssoProviders.putSsoProvider,
  ssoProviders.deleteSsoProviderById,
  ssoProviders.postSsoProviderRefresh,
  scimTokens.getConsoleProviderScimTokens,
  scimTokens.postConsoleProviderScimToken,
  scimTokens.deleteConsoleProviderScimToken,
  scimCalls.getConsoleProviderScimCalls,
  ssoTests.postSsoDomainVerify,
  ssoTests.getSsoTests,
  ssoTests.postSsoTest,
  ssoTests.postSsoPreview,
  redirects.postRedirectCheck,
  settings.getConsoleSettings,
  settings.postSettingsCompare,
  config.getConfig,
  config.postConfigCheck,
  config.postConfig,
  config.getConfigHistory,
  config.postConfigRollback,
  checks.getChecks,
  checks.getCheck,
  checks.postCheck,
  keys.getKeys,
  keys.postKeysRotate,
  keys.postKeyPromote,
  keys.postKeyRetire,
  keys.postKeyRevoke,
  limits.getLimits,
  limits.postLimitsOf,
  limits.postLimitForgive,
  mail.getOutbox,
  mail.getOutboxFailures,
  mail.postOutboxRetry,
  mail.postOutboxDiscard,
  mailWords.getTemplates,
  mailWords.getTemplatePreview,
  mailWords.postMailPreview,
  mailWords.postMailTest,
  look.getLookPreview,
  look.postLookPreview,
  look.getPreviewFrame,
];
