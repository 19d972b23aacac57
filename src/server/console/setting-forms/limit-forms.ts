/** The forms of what protects the server, and of its upkeep. */
import { type Form, single } from './setting-form.js';

export const limitsForm: Form = single(
  {
    title: 'How clients are told apart',
    about: 'Limits per client are off while no header is set.',
    settings: {
      RATE_LIMIT_HEADER: 'Header with the address',
      RATE_LIMIT_TRUSTED_HOPS: 'Proxies that append to it',
      SECURITY_SB_FORWARDED_FOR_ENABLED: 'Sb-Forwarded-For',
    },
  },
  {
    title: 'Messages of the whole server',
    settings: {
      RATE_LIMIT_EMAIL_SENT: 'Mails',
      RATE_LIMIT_NOTIFICATIONS_SENT: 'Notices',
      RATE_LIMIT_SMS_SENT: 'Texts',
    },
  },
  {
    title: 'Requests of one client',
    settings: {
      RATE_LIMIT_TOKEN_REFRESH: 'Sign-ins and refreshes',
      RATE_LIMIT_OTP: 'Requests for codes',
      RATE_LIMIT_VERIFY: 'Codes and links',
      RATE_LIMIT_AUTHORIZE: 'Sign-ins at providers',
      RATE_LIMIT_PASSKEY: 'Sign-ins with passkeys',
      RATE_LIMIT_WEB3: 'Sign-ins with wallets',
      RATE_LIMIT_ANONYMOUS_USERS: 'Anonymous sign-ins',
      MFA_RATE_LIMIT_CHALLENGE_AND_VERIFY: 'Second factors',
    },
    sections: ['Rate limits'],
  },
  {
    title: 'OAuth requests of one client',
    settings: {
      RATE_LIMIT_OAUTH_AUTHORIZE: 'Authorizations',
      RATE_LIMIT_OAUTH_TOKEN: 'Tokens',
      RATE_LIMIT_OAUTH_INTROSPECT: 'Introspection',
      RATE_LIMIT_OAUTH_DEVICE: 'Devices',
      RATE_LIMIT_OAUTH_DYNAMIC_CLIENT_REGISTER: 'Registrations',
    },
    beginnings: ['RATE_LIMIT_OAUTH_'],
    isFolded: true,
  },
  {
    title: 'Wrong passwords and codes',
    settings: {
      SECURITY_LOGIN_THROTTLE: 'Delay sign-ins',
      SECURITY_MFA_THROTTLE: 'Delay second factors',
    },
  },
  {
    title: 'Captcha',
    settings: {
      SECURITY_CAPTCHA_ENABLED: 'Ask for a captcha',
      SECURITY_CAPTCHA_PROVIDER: 'Service',
      SECURITY_CAPTCHA_SECRET: 'Secret',
      SECURITY_CAPTCHA_TIMEOUT: 'Longest call',
      SECURITY_CAPTCHA_URL: 'Address of the service',
    },
    sections: ['Captcha and reauthentication'],
  },
  { title: 'Time', settings: { API_MAX_REQUEST_DURATION: 'Longest request' } },
);

export const upkeepForm: Form = single(
  { title: 'Events', settings: { WEBHOOKS_RETENTION: 'Kept for' }, sections: ['Events'] },
  {
    title: 'Requests',
    settings: { REQUEST_ID_HEADER: 'Header with the request id' },
    sections: ['API', 'Database', 'Logging and observability', 'Threads', 'Reloading'],
  },
  {
    title: 'For compatibility',
    beginnings: ['EXPERIMENTAL_'],
    settings: {
      EXPERIMENTAL_CURSOR_PAGINATION_ENABLED: 'Lists of users by cursor',
    },
    sections: ['Top level', 'Console', 'Encryption of secrets of second factors'],
    isFolded: true,
  },
);
