/** The checks that a request can fail, in plain words, with the settings behind them. */

/** name → what holds if the check passes, then settings that decide it */
export const checks = {
  // Before the rules of an endpoint, in the order of the pipeline.
  message: ['The request is well-formed HTTP and not too large'],
  endpoint: ['There is such an endpoint'],
  switch: ['The endpoint is switched on'],
  caller: [
    'The token of the caller is valid and may call this',
    'AUTH_JWT_ADMIN_ROLES',
    'AUTH_SESSIONS_CHECK_ACCESS_TOKEN',
  ],
  limit: ['The client is below its limit', 'AUTH_RATE_LIMIT_HEADER'],
  body: ['The body can be read'],
  captcha: ['The captcha is solved', 'AUTH_SECURITY_CAPTCHA_ENABLED', 'AUTH_SECURITY_CAPTCHA_PROVIDER'],

  // Rules.
  rules: ['The rules of the endpoint allow it'],
  input: ['The fields are there and fit together'],
  object: ['What the request names exists'],
  permission: ['The caller may do this'],
  method: ['This way to sign in is switched on', 'AUTH_EXTERNAL_EMAIL_ENABLED', 'AUTH_EXTERNAL_PHONE_ENABLED'],
  sign_up: ['New accounts are allowed', 'AUTH_DISABLE_SIGNUP'],
  address: ['The address or number is valid and may be used'],
  password_rules: ['The password is good enough', 'AUTH_PASSWORD_MIN_LENGTH', 'AUTH_PASSWORD_REQUIRED_CHARACTERS'],
  delay: ['The account is not slowed down after wrong passwords', 'AUTH_SECURITY_LOGIN_THROTTLE'],
  credentials: ['There is such an account, and the password is right'],
  ban: ['The user is not banned'],
  confirmed: ['The address is confirmed', 'AUTH_MAILER_AUTOCONFIRM', 'AUTH_SMS_AUTOCONFIRM'],
  hook: ['The hook allows it'],
  code: ['The code or link is known, not used and not expired', 'AUTH_MAILER_OTP_EXP', 'AUTH_SMS_OTP_EXP'],
  quota: [
    'No limit of mails and texts is reached',
    'AUTH_RATE_LIMIT_EMAIL_SENT',
    'AUTH_RATE_LIMIT_SMS_SENT',
    'AUTH_SMTP_MAX_FREQUENCY',
    'AUTH_SMS_MAX_FREQUENCY',
  ],
  delivery: ['The message can be handed over', 'AUTH_SMS_PROVIDER'],
  duplicate: ['Nothing else has this address, number, name or id'],
  refresh_token: ['The refresh token is one of this server'],
  reuse: [
    'The refresh token was not used before',
    'AUTH_SECURITY_REFRESH_TOKEN_ROTATION_ENABLED',
    'AUTH_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL',
  ],
  session: [
    'The session goes on',
    'AUTH_SESSIONS_TIMEBOX',
    'AUTH_SESSIONS_INACTIVITY_TIMEOUT',
    'AUTH_SESSIONS_SINGLE_PER_USER',
  ],
  assurance: ['A second factor was verified in this session', 'AUTH_MFA_REQUIRED', 'AUTH_SECURITY_STEP_UP_MAX_AGE'],
  factor: ['The second factor is right'],
  factor_limit: ['The user may have another one, and no limit of attempts is reached'],
  passkey: ['The passkey answers the challenge', 'AUTH_WEBAUTHN_RP_ID', 'AUTH_WEBAUTHN_RP_ORIGINS'],
  flow: ['The sign-in was begun here, in this browser, not long ago', 'AUTH_EXTERNAL_FLOW_STATE_EXPIRY_DURATION'],
  verifier: ['The application that began the sign-in finishes it (PKCE)'],
  provider: ['The identity provider answers as expected'],
  wallet: ['The wallet signed a message for this server, just now, that was not used before'],
  provider_email: ['The provider vouches for an email address'],
  sso: ['The identity provider of the company is known, and its answer is right', 'AUTH_SAML_ENABLED'],
  linking: ['The identity may belong to this account', 'AUTH_SECURITY_MANUAL_LINKING_ENABLED'],
  client: ['The OAuth client is known and proves itself'],
  client_request: ['The request of the OAuth client is valid'],
  redirect: ['The redirect address is registered'],
  consent: ['The request for consent is open'],
  origin: ['The form was sent from a page of this server', 'AUTH_SITE_URL'],
  form: ['The form belongs to this browser'],

  // May fail at any point.
  capacity: ['The server has room for it', 'AUTH_CRYPTO_MAX_QUEUE', 'AUTH_CRYPTO_THREADS', 'AUTH_DB_MAX_POOL_SIZE'],
  database: ['The database answers', 'AUTH_DB_ACQUIRE_TIMEOUT', 'AUTH_DB_STATEMENT_TIMEOUT'],
  deadline: ['The request is done in time', 'AUTH_API_MAX_REQUEST_DURATION'],
  server: ['The server has no fault'],
} as const satisfies Readonly<Record<string, readonly [holds: string, ...settings: string[]]>>;

export type CheckName = keyof typeof checks;

/** Name of an error → the check that it fails, what to do, and settings of its own. */
export type Explanations<Entries> = Readonly<
  Record<keyof Entries, readonly [check: CheckName, advice: string, ...settings: string[]]>
>;
