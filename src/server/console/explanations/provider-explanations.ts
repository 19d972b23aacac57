import type { providerEntries } from '../../errors/provider-errors.js';
import type { Explanations } from './check-names.js';

const askProvider = '`latchkey check provider` tries it, and the log has the cause.';

export const providerExplanations = {
  unsupportedProvider: ['method', 'The provider is unknown, or not switched on: AUTH_EXTERNAL_…_ENABLED.'],
  providerNotSupported: ['method', 'The provider is unknown, or not switched on: AUTH_EXTERNAL_…_ENABLED.'],
  invitedUserNotFound: ['object', 'The invited account was deleted.'],
  traceNotUsable: ['flow', 'The address of a trace works once, for some minutes. Open another trace in the console.'],
  stateMissing: ['flow', 'The provider came back without state: its callback address may be called by hand.'],
  stateInvalid: ['flow', 'The state is none of this server: another installation began the sign-in.'],
  stateNotFound: ['flow', 'The sign-in was finished before, or is too old. Begin again.'],
  stateExpired: ['flow', 'The user took too long at the provider. Begin again.'],
  stateOfOtherBrowser: [
    'flow',
    'The browser lost its cookie: application and server need the same browser, and cookies.',
  ],
  linkOfOtherBrowser: ['flow', 'The link was begun where the cookie was not kept. Use PKCE.'],
  linkNeedsPkce: ['flow', 'A script of another origin can only begin a link with PKCE.'],
  stateUsed: ['flow', 'The page of the callback was loaded twice. Begin again.'],
  linkingTargetNotFound: ['object', 'The account that was to be linked was deleted meanwhile.'],
  providerUnavailable: ['provider', `The provider cannot be reached. ${askProvider}`, 'AUTH_INTERNAL_HTTP_TIMEOUT'],
  callbackCodeMissing: ['provider', 'The provider came back without a code: the user may have refused.'],
  requestTokenFailed: ['provider', `The provider gave no request token. ${askProvider}`],
  accessTokenFailed: ['provider', `The provider gave no access token. ${askProvider}`],
  codeExchangeFailed: [
    'provider',
    `The provider did not accept its code: client id, secret or redirect URI are not those of the provider. ${askProvider}`,
  ],
  providerProfileFailed: ['provider', `The profile could not be read: the scopes may be too few. ${askProvider}`],
  providerEmailMissing: [
    'provider_email',
    'The provider told no address: ask for its email scope, or set …_EMAIL_OPTIONAL.',
  ],
  providerSubjectMissing: ['provider', 'The profile has no id of the user.'],
  providerEmailMailed: [
    'provider_email',
    'The provider does not vouch for the address. The user gets a mail to confirm it.',
  ],
  providerEmailOwned: [
    'provider_email',
    'The provider does not vouch for the address, and an account has it. Verify it at the provider.',
  ],
  multipleAccounts: ['linking', 'Several accounts have this address. Delete or merge them by hand.'],
  inviteNotFound: ['object', 'The invite was used or withdrawn. Send another one.'],
  invitedEmailMismatch: ['linking', 'The user signed in at the provider with another address than was invited.'],
  identityAlreadyLinked: ['linking', 'The account has this identity already.'],
  identityOfOtherUser: ['linking', 'Another account has this identity. Remove it there first.'],
  linkedEmailExists: ['duplicate', 'Another account has the address of the identity.'],
  linkedEmailNotConfirmed: [
    'provider_email',
    'The provider does not vouch for the address. The user gets a mail to confirm it.',
  ],
  manualLinkingDisabled: ['linking', 'Users cannot link identities here.'],
  identityIdNotUuid: ['input', 'identity_id is the UUID of the identity, not the id at the provider.'],
  lastIdentity: ['linking', 'The account would have no way to sign in left.'],
  identityNotFound: ['object', 'The account has no such identity.'],
  identityEmailConflict: ['linking', 'The address that would remain belongs to another account.'],
  idTokenRequest: ['input', 'id_token, provider or link_identity do not fit: the msg of the answer says how.'],
  idTokenNonce: [
    'provider',
    'The nonce of the ID token is not that of the request: send the one before it was hashed, or none to both.',
  ],
  idTokenIssuer: [
    'provider',
    'The ID token is of another issuer or for another client id.',
    'AUTH_EXTERNAL_ALLOWED_ID_TOKEN_ISSUERS',
  ],
  idTokenProviderDisabled: ['method', 'The provider of the ID token is not switched on.'],
} as const satisfies Explanations<typeof providerEntries>;
