/** API errors in the words of a page. */
import type { WeakReason } from '../accounts/password-rules.js';
import type { ApiError, ErrorCode, ErrorName, FormFault } from '../errors.js';
import type { TextKey, Words } from './contract.js';

const texts: Partial<Readonly<Record<ErrorName, TextKey>>> = {
  invalidLogin: 'error.login',
  signInThrottled: 'error.throttled',
  factorThrottled: 'error.throttled',
  recoveryCodesLocked: 'error.throttled',
  loginBanned: 'error.banned',
  userBanned: 'error.banned',
  emailNotConfirmed: 'error.not_confirmed',
  phoneNotConfirmed: 'error.not_confirmed',
  passkeyEmailNotConfirmed: 'error.not_confirmed',
  passkeyPhoneNotConfirmed: 'error.not_confirmed',
  codeInvalid: 'error.code',
  factorCodeEmpty: 'error.code',
  totpCodeWrong: 'error.code',
  phoneCodeWrong: 'error.code',
  recoveryCodeWrong: 'error.code',
  challengeNotFound: 'error.code',
  challengeUsed: 'error.code',
  challengeExpired: 'error.code',
  verifyTokenOrHash: 'error.code',
  reauthenticationNeeded: 'error.code',
  reauthenticationNotValid: 'error.code',
  linkInvalid: 'error.link',
  emailInvalid: 'error.address',
  emailRequired: 'error.address',
  emailTooLong: 'error.address',
  phoneInvalid: 'error.address',
  emailAddressInvalid: 'error.address',
  contactMissing: 'error.address_missing',
  otpContactMissing: 'error.address_missing',
  recoveryEmailRequired: 'error.address_missing',
  tooManyPasskeys: 'error.too_many_entries',
  tooManyFactors: 'error.too_many_entries',
  passkeyNameRequired: 'error.name_length',
  passkeyNameTooLong: 'error.name_length',
  factorNameTaken: 'error.name_taken',
  factorPhoneTaken: 'error.phone_enrolled',
  factorPhoneRequired: 'error.address',
  recoveryCodesExist: 'error.recovery_exist',
  soleRecoveryCodes: 'error.sole_recovery',
  recoveryCodesAlone: 'error.recovery_alone',
  webauthnCredentialExists: 'error.credential_taken',
  factorCredentialTaken: 'error.credential_taken',
  identityAlreadyLinked: 'error.linked_elsewhere',
  identityOfOtherUser: 'error.linked_elsewhere',
  lastIdentity: 'error.last_identity',
  identityEmailConflict: 'error.address_used',
  linkedEmailExists: 'error.address_used',
  linkedEmailNotConfirmed: 'error.linked_unconfirmed',
  accountNameDiffers: 'error.delete_name',
  lastOwner: 'error.last_owner',
  organizationNotFound: 'organizations.done_gone',
  organizationPermissionMissing: 'error.organization_permission',
  ownersOnly: 'error.owners_only',
  organizationRequiresAal2: 'error.organization_factor',
  organizationRequiresSso: 'error.organization_company',
  organizationSessionExpired: 'error.organization_again',
  organizationAddressNotAllowed: 'error.organization_address',
  organizationCreationDisabled: 'error.organization_creation',
  organizationFieldInvalid: 'error.field_invalid',
  organizationSlugTaken: 'error.slug_taken',
  tooManyOrganizations: 'error.too_many_organizations',
  alreadyAMember: 'error.already_member',
  tooManyInvitations: 'error.too_many_entries',
  tooManyDomains: 'error.too_many_entries',
  tooManyClients: 'error.too_many_entries',
  tooManySsoProviders: 'error.too_many_entries',
  tooManyScimTokens: 'error.too_many_entries',
  clientMetadataInvalid: 'error.field_invalid',
  ssoFieldInvalid: 'error.field_invalid',
  scimTokenFieldInvalid: 'error.field_invalid',
  invalidParameter: 'error.field_invalid',
  ssoDomainTaken: 'error.sso_domain',
  ssoUpdateConflict: 'error.changed_meanwhile',
  samlMetadataMissing: 'error.metadata_once',
  samlMetadataTwice: 'error.metadata_once',
  samlMetadataUrlInvalid: 'error.metadata_address',
  samlMetadataUrlPlain: 'error.metadata_address',
  samlMetadataFetchFailed: 'error.metadata_fetch',
  samlMetadataFault: 'error.metadata_fault',
  samlEntityIdMismatch: 'error.metadata_other',
  samlIdpAlreadyExists: 'error.metadata_used',
  domainTaken: 'error.domain_taken',
  domainRecordMissing: 'error.domain_record',
  roleNotFound: 'error.role_gone',
  organizationChoiceMissing: 'error.organization_choice',
  invitationNotFound: 'error.invitation',
  invitationForOtherAddress: 'error.invitation_other',
  tooManyMembers: 'error.organization_full',
  emailExists: 'error.address_used',
  phoneExists: 'error.address_used',
  emailAlreadyRegistered: 'error.address_taken',
  phoneAlreadyRegistered: 'error.address_taken',
  passwordRequired: 'error.password_missing',
  passwordTooLong: 'error.password_long',
  signupDisabled: 'error.sign_up_off',
  otpDisabled: 'error.sign_up_off',
  emailSignupDisabled: 'error.sign_up_off',
  phoneSignupDisabled: 'error.sign_up_off',
  emailLoginDisabled: 'error.method_off',
  phoneLoginDisabled: 'error.method_off',
  magicLinkDisabled: 'error.method_off',
  emailLoginsDisabled: 'error.method_off',
  unsupportedProvider: 'error.method_off',
  captchaMissing: 'error.captcha',
  captchaFailed: 'error.captcha',
  webauthnChallengeNotFound: 'error.passkey',
  webauthnChallengeExpired: 'error.passkey',
  webauthnResponseUnreadable: 'error.passkey',
  webauthnResponseFalse: 'error.passkey',
  factorResponseUnreadable: 'error.passkey',
  factorResponseFalse: 'error.passkey',
  pkceBothRequired: 'error.provider',
  flowStateNotFound: 'error.provider',
  flowStateExpired: 'error.provider',
  badCodeVerifier: 'error.provider',
  providerUnavailable: 'error.provider',
  ssoProviderIdNotUuid: 'error.provider',
  ssoProviderNotFound: 'error.provider',
  ssoProviderDisabled: 'error.provider',
  ssoDomainNotFound: 'error.company_unknown',
  ssoRequired: 'error.company_only',
  samlRelayStateNotFound: 'error.company_again',
  samlRelayStateExpired: 'error.company_again',
  smsSendFailed: 'error.delivery',
  refusalNotFound: 'error.request_over',
  authorizationNotFound: 'error.request_over',
  authorizationNotOpen: 'error.request_over',
  authorizationDecided: 'error.request_over',
  authorizeClientInvalid: 'error.request_over',
  logoutRedirectInvalid: 'error.request_over',
  userCodeWrong: 'error.device_code',
  formFromElsewhere: 'error.origin',
  formOutdated: 'notice.again',
  sessionNotFound: 'notice.session_ended',
};

/** By error_code, where several entries share it. */
const byCode: Partial<Readonly<Record<ErrorCode, TextKey>>> = {
  same_password: 'error.same_password',
  current_password_required: 'error.current_password',
  current_password_invalid: 'error.current_password',
  insufficient_aal: 'error.reauthenticate',
  mfa_step_up_required: 'error.reauthenticate',
};

const weakTexts: Readonly<Record<WeakReason, TextKey>> = {
  length: 'error.weak_length',
  characters: 'error.weak_characters',
  pwned: 'error.weak_pwned',
  common: 'error.weak_common',
};

/** What is wrong with a field. */
const faultTexts: Readonly<Record<FormFault, TextKey>> = {
  name_length: 'error.organization_name',
  name_unfit: 'error.name_unfit',
  name_invisible: 'error.name_invisible',
  slug_form: 'error.slug_form',
  slug_reserved: 'error.slug_reserved',
  slug_like_id: 'error.slug_like_id',
  slug_differs: 'error.slug_differs',
  domain_form: 'error.domain_form',
  domain_shared: 'error.domain_shared',
  roles_none: 'error.roles_none',
  owner_by_rule: 'error.owner_by_rule',
  policy_hours: 'error.policy_hours',
  policy_domains: 'error.policy_domains',
  unmet_factor: 'error.unmet_factor',
  unmet_company: 'error.unmet_company',
  unmet_hours: 'error.unmet_hours',
};

/** What a client has asked for cannot be decided any more. */
export const isRequestOver = ({ entry }: ApiError): boolean => texts[entry] === 'error.request_over';

/** Their message was written for the one who asks, by a hook, or by a trigger of the application. */
const chosenByOthers: ReadonlySet<ErrorName> = new Set(['hookRefused', 'hookRefusedWith', 'applicationRaised']);

/** The text for a person. Nothing else of the error's own message is shown, which is for programs. */
export function errorText(words: Words, error: ApiError): string {
  if (chosenByOthers.has(error.entry)) return error.message;
  const reasons = (error.extra?.['weak_password'] as { reasons?: readonly WeakReason[] } | undefined)?.reasons;
  if (error.entry === 'weakPassword') {
    const known = (reasons ?? []).flatMap((reason) => weakTexts[reason] ?? []);
    return (known.length === 0 ? (['error.weak_password'] as const) : known).map((key) => words(key)).join(' ');
  }
  const fault = error.about?.fault;
  const key = fault === undefined ? (texts[error.entry] ?? byCode[error.errorCode]) : faultTexts[fault];
  if (key !== undefined) return words(key);
  if (error.status === 429) {
    const seconds = error.retryAfterSeconds;
    return seconds === undefined ? words('error.too_many') : words('error.wait', { seconds: Math.ceil(seconds) });
  }
  return words(error.status >= 500 ? 'error.busy' : 'error.generic');
}
