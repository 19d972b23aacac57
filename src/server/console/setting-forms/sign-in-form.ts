import { companyTab } from './company-tab.js';
import { passkeys, secondFactors } from './factor-tabs.js';
import type { Form, FormTab } from './setting-form.js';

const methods: FormTab = {
  title: 'Methods',
  groups: [
    {
      title: 'Accounts',
      settings: {
        DISABLE_SIGNUP: 'New accounts by invitation only',
        EXTERNAL_ANONYMOUS_USERS_ENABLED: 'Anonymous users',
        SECURITY_MANUAL_LINKING_ENABLED: 'Users link further identities',
      },
      sections: ['Sign-in methods'],
    },
    {
      title: 'Email',
      settings: {
        EXTERNAL_EMAIL_ENABLED: 'Sign-in by email',
        EXTERNAL_EMAIL_MAGIC_LINK_ENABLED: 'Links and codes by mail',
        MAILER_AUTOCONFIRM: 'No confirmation of addresses',
        MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS: 'Sign-in before the confirmation',
        MAILER_SECURE_EMAIL_CHANGE_ENABLED: 'A change is confirmed by both addresses',
        MAILER_OTP_EXP: 'Codes are valid for',
        MAILER_OTP_LENGTH: 'Digits of a code',
        MAILER_CONFIRM_PAGE: 'Links open a page with a button',
      },
    },
    {
      title: 'Which addresses',
      settings: {
        EXTERNAL_EMAIL_AUTHORIZED_ADDRESSES: 'Only these get mail',
        MAILER_EMAIL_VALIDATION_EXTENDED: 'Refuse addresses that get no mail',
        MAILER_EMAIL_VALIDATION_BLOCKED_MX: 'Refused mail exchangers',
        MAILER_EMAIL_VALIDATION_SERVICE_URL: 'Service that judges addresses',
        MAILER_EMAIL_VALIDATION_SERVICE_HEADERS: 'Headers for that service',
      },
      beginnings: ['MAILER_EMAIL_VALIDATION_'],
      isFolded: true,
    },
    {
      title: 'Phone',
      settings: { EXTERNAL_PHONE_ENABLED: 'Sign-in by phone', SMS_AUTOCONFIRM: 'No confirmation of numbers' },
    },
    {
      title: 'Hosted pages',
      settings: {
        PAGES_ENABLED: 'Hosted pages',
        PAGES_SESSION_LIFETIME: 'Browsers stay signed in for',
        PAGES_ACCOUNT_DELETION_ENABLED: 'People may delete their account',
      },
    },
  ],
};

const passwords: FormTab = {
  title: 'Passwords',
  groups: [
    {
      title: 'New passwords',
      settings: {
        PASSWORD_MIN_LENGTH: 'Minimum length',
        PASSWORD_REQUIRED_CHARACTERS: 'Required characters',
        PASSWORD_COMMON_LIST: 'Refuse common passwords',
      },
      sections: ['Passwords'],
    },
    {
      title: 'Leaked passwords',
      settings: {
        PASSWORD_HIBP_ENABLED: 'Ask haveibeenpwned.com',
        PASSWORD_HIBP_FAIL_CLOSED: 'Refuse while it does not answer',
        PASSWORD_LEAKED_ACTION: 'Sign-in with a leaked one',
        PASSWORD_HIBP_USER_AGENT: 'User-Agent',
        PASSWORD_HIBP_API_URL: 'Address of the service',
      },
      beginnings: ['PASSWORD_HIBP_'],
    },
    {
      title: 'Changing a password',
      settings: {
        SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD: 'Needs the current password',
        SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION: 'Needs a code',
        EXPERIMENTAL_CREATE_EMAIL_IDENTITY_ON_PASSWORD_SET_ENABLED: 'The first one makes the email identity',
      },
      beginnings: ['SECURITY_UPDATE_PASSWORD_'],
    },
  ],
};

const wallets: FormTab = {
  title: 'Wallets',
  groups: [
    {
      title: 'Sign-in with a wallet',
      settings: {
        EXTERNAL_WEB3_ETHEREUM_ENABLED: 'Ethereum',
        EXTERNAL_WEB3_SOLANA_ENABLED: 'Solana',
        EXTERNAL_WEB3_NONCE_REQUIRED: 'Messages need a nonce of this server',
        EXTERNAL_WEB3_ETHEREUM_MAXIMUM_VALIDITY_DURATION: 'Messages of Ethereum are valid for',
        EXTERNAL_WEB3_SOLANA_MAXIMUM_VALIDITY_DURATION: 'Messages of Solana are valid for',
        EXTERNAL_WEB3_ETHEREUM_RPC_URLS: 'Servers for wallets that are contracts',
      },
      sections: ['Sign-in with a wallet'],
    },
  ],
};

const sessions: FormTab = {
  title: 'Sessions',
  groups: [
    {
      title: 'Sessions',
      settings: {
        SESSIONS_TIMEBOX: 'Maximum age',
        SESSIONS_INACTIVITY_TIMEOUT: 'End without use after',
        SESSIONS_ALLOW_LOW_AAL: 'Without the second factor for',
        SESSIONS_SINGLE_PER_USER: 'One session of a user',
        SESSIONS_TAGS: 'One of each tag',
        SESSIONS_CHECK_ACCESS_TOKEN: 'Refuse tokens of ended sessions at once',
      },
      sections: ['Sessions and refresh tokens'],
    },
    {
      title: 'Refresh tokens',
      settings: {
        SECURITY_REFRESH_TOKEN_ROTATION_ENABLED: 'Reuse ends the session',
        SECURITY_REFRESH_TOKEN_REUSE_INTERVAL: 'Used once more within',
      },
      beginnings: ['SECURITY_REFRESH_TOKEN_'],
    },
    {
      title: 'Access tokens',
      settings: {
        JWT_EXP: 'Lifetime',
        JWT_AUD: 'Audience',
        JWT_AUDIENCES: 'Further audiences',
        JWT_ISSUER: 'Issuer',
        JWT_DEFAULT_GROUP_NAME: 'Role of new users',
        JWT_JWKS_MAX_AGE: 'Key set may be kept for',
        JWT_VALID_METHODS: 'Accepted algorithms',
      },
      sections: ['JWT'],
    },
    {
      title: 'Keys',
      settings: {
        JWT_KEYS_ROTATE_EVERY: 'Rotate the signing key every',
      },
      beginnings: ['JWT_KEYS', 'JWT_PREVIOUS_'],
      isFolded: true,
    },
  ],
};

export const signInForm: Form = [methods, wallets, companyTab, passwords, secondFactors, passkeys, sessions];
