/** Tabs of the form of sign-in: second factors and passkeys. */
import type { FormTab } from './setting-form.js';

export const secondFactors: FormTab = {
  title: 'Second factors',
  groups: [
    {
      title: 'Who needs one',
      settings: {
        MFA_REQUIRED: 'Required for',
        MFA_REQUIRED_GRACE: 'Time to set one up',
        MFA_PENDING_ROLE: 'Role until it is verified',
        SECURITY_STEP_UP_MAX_AGE: 'Verified again before changes',
      },
    },
    {
      title: 'Authenticator apps',
      settings: {
        MFA_TOTP_ENROLL_ENABLED: 'Users may add one',
        MFA_TOTP_VERIFY_ENABLED: 'Codes are accepted',
        MFA_TOTP_SKEW: 'Clock may be wrong by',
      },
      beginnings: ['MFA_TOTP_'],
    },
    {
      title: 'Security keys',
      settings: {
        MFA_WEB_AUTHN_ENROLL_ENABLED: 'Users may add one',
        MFA_WEB_AUTHN_VERIFY_ENABLED: 'Security keys are accepted',
      },
      beginnings: ['MFA_WEB_AUTHN_'],
    },
    {
      title: 'Phone numbers',
      settings: {
        MFA_PHONE_ENROLL_ENABLED: 'Users may add one',
        MFA_PHONE_VERIFY_ENABLED: 'Codes are sent and accepted',
        MFA_PHONE_TEMPLATE: 'Text of the message',
        MFA_PHONE_OTP_LENGTH: 'Digits of a code',
        MFA_PHONE_MAX_FREQUENCY: 'Time between two messages',
      },
      beginnings: ['MFA_PHONE_'],
    },
    {
      title: 'Recovery codes',
      settings: {
        MFA_RECOVERY_CODES_ENROLL_ENABLED: 'Users may have them made',
        MFA_RECOVERY_CODES_VERIFY_ENABLED: 'They are accepted',
        MFA_RECOVERY_CODES_COUNT: 'Codes in a set',
        MFA_RECOVERY_CODES_CODE_LENGTH: 'Characters of a code',
        MFA_RECOVERY_CODES_MAX_VERIFY_ATTEMPTS: 'Wrong codes in a row',
        MFA_RECOVERY_CODES_LOCKOUT_DURATION: 'Then none is taken for',
      },
      beginnings: ['MFA_RECOVERY_CODES_'],
    },
    {
      title: 'Trusted devices',
      settings: {
        MFA_TRUSTED_DEVICE_ENABLED: 'Devices can be trusted',
        MFA_TRUSTED_DEVICE_DURATION: 'Trusted for',
        MFA_TRUSTED_DEVICE_MAX_PER_USER: 'Devices of one user',
      },
      beginnings: ['MFA_TRUSTED_DEVICE_'],
    },
    {
      title: 'Factors and challenges',
      settings: {
        MFA_MAX_ENROLLED_FACTORS: 'Factors of one user',
        MFA_MAX_VERIFIED_FACTORS: 'Of them verified',
        MFA_REPLACE_UNVERIFIED_FACTORS: 'Replace unverified ones',
        MFA_CHALLENGE_EXPIRY_DURATION: 'A challenge is valid for',
        MFA_FACTOR_EXPIRY_DURATION: 'An unverified factor waits for',
        MFA_CHALLENGE_CHECK_ADDRESS: 'Answered from the same network',
      },
      sections: ['Second factors'],
      isFolded: true,
    },
  ],
};

export const passkeys: FormTab = {
  title: 'Passkeys',
  groups: [
    {
      title: 'Passkeys',
      settings: {
        PASSKEY_ENABLED: 'Sign-in with passkeys',
        PASSKEY_MAX_PASSKEYS_PER_USER: 'Passkeys of one user',
        PASSKEY_AAL2_WITH_USER_VERIFICATION: 'They count as two factors',
      },
    },
    {
      title: 'Relying party',
      about: 'What passkeys and security keys belong to.',
      settings: {
        WEBAUTHN_RP_ID: 'Domain',
        WEBAUTHN_RP_DISPLAY_NAME: 'Name of your service',
        WEBAUTHN_RP_ORIGINS: 'Origins',
      },
    },
    {
      title: 'Authenticators',
      settings: {
        WEBAUTHN_USER_VERIFICATION: 'PIN or biometrics',
        WEBAUTHN_ATTESTATION: 'Proof of their make',
        WEBAUTHN_ALLOWED_AAGUIDS: 'Permitted models',
        WEBAUTHN_REGISTRATION_ALGORITHMS: 'Algorithms',
        WEBAUTHN_COUNTER_POLICY: 'A counter that did not rise',
        WEBAUTHN_CHALLENGE_EXPIRY_DURATION: 'A challenge is valid for',
        WEBAUTHN_CONDITIONAL_CHALLENGE_EXPIRY_DURATION: 'With autofill for',
      },
      sections: ['Passkeys and WebAuthn'],
      isFolded: true,
    },
  ],
};
