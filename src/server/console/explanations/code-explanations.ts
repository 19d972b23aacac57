import type { codeEntries } from '../../errors/code-errors.js';
import type { Explanations } from './check-names.js';

export const codeExplanations = {
  verifyTypeRequired: ['input', 'The link or request lacks type. Mail programs cut long links: check the template.'],
  verifyTokenOrHash: ['input', 'Send token, with email or phone, or token_hash.'],
  verifyTokenRequired: [
    'input',
    'The link or request lacks its token. Mail programs cut long links: check the template.',
  ],
  verifyOneContact: ['input', 'Send either email or phone.'],
  verifyHashAlone: ['input', 'token_hash goes with type alone.'],
  verifyEmailInvalid: ['address', 'The address has no valid form.'],
  verifyEmailType: [
    'input',
    'type is signup, invite, magiclink, recovery, email_change, email or organization_invite.',
  ],
  verifyPasswordRequired: ['password_rules', 'The account has no password yet: send one with the verification.'],
  linkInvalid: [
    'code',
    'Send another link. If it happens at once, a mail scanner followed the link first: switch the confirmation page on.',
    'AUTH_MAILER_CONFIRM_PAGE',
  ],
  codeInvalid: ['code', 'Send another code. Only the newest one of each kind is valid, and ten wrong ones end it.'],
  otpOneContact: ['input', 'Send either email or phone.'],
  otpChannelWithEmail: ['input', 'channel is for phones.'],
  otpContactMissing: ['input', 'Send email or phone.'],
  otpDisabled: ['sign_up', 'There is no account, and the application asked not to create one (create_user false).'],
  magicLinkDisabled: ['method', 'Sign-in by mailed link is switched off.', 'AUTH_EXTERNAL_EMAIL_MAGIC_LINK_ENABLED'],
  magicLinkEmailRequired: ['input', 'Send an email address.'],
  recoveryEmailRequired: ['input', 'Send an email address.'],
  emailLoginsDisabled: ['method', 'Everything by email is switched off.'],
  phoneProviderUnsupported: ['method', 'Everything by phone is switched off.'],
  phoneLoginsDisabled: ['method', 'Everything by phone is switched off.'],
  resendType: ['input', 'type is signup, email_change, sms or phone_change.'],
  resendEmailRequired: ['input', 'This type goes to an email address.'],
  resendPhoneRequired: ['input', 'This type goes to a phone number.'],
  resendOneContact: ['input', 'Send either email or phone.'],
  resendContactMissing: ['input', 'Send email or phone.'],
  reauthenticationContact: ['address', 'The account has neither address nor number, so no code can be sent.'],
  reauthenticationEmail: ['confirmed', 'The address of the account is not confirmed yet.'],
  reauthenticationPhone: ['confirmed', 'The number of the account is not confirmed yet.'],
  pkceBothRequired: ['input', 'Send auth_code and code_verifier.'],
  flowStateNotFound: [
    'flow',
    'The code is unknown or was used: applications often exchange it twice when a page is loaded again.',
  ],
  flowStateExpired: ['flow', 'The application waited too long before it exchanged the code.'],
  badCodeVerifier: [
    'verifier',
    'Another browser finishes the sign-in than began it, or the application lost what it had stored.',
  ],
} as const satisfies Explanations<typeof codeEntries>;
