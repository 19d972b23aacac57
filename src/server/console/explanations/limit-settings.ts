/** The settings behind the limits, by the name that a refusal records. */
const otp = ['AUTH_RATE_LIMIT_OTP'];
const factor = ['AUTH_MFA_RATE_LIMIT_CHALLENGE_AND_VERIFY'];

export const limitSettings: Readonly<Record<string, readonly string[]>> = {
  'client.signup': otp,
  'client.anonymous': ['AUTH_RATE_LIMIT_ANONYMOUS_USERS'],
  'client.recover': otp,
  'client.resend': otp,
  'client.magiclink': otp,
  'client.otp': otp,
  'client.user': otp,
  'client.token': ['AUTH_RATE_LIMIT_TOKEN_REFRESH'],
  'client.verify': ['AUTH_RATE_LIMIT_VERIFY'],
  'client.factor_challenge': factor,
  'client.factor_verify': factor,
  'client.authorize': ['AUTH_RATE_LIMIT_AUTHORIZE'],
  'client.passkey': ['AUTH_RATE_LIMIT_PASSKEY'],
  'client.web3': ['AUTH_RATE_LIMIT_WEB3'],
  'client.oauth_authorize': ['AUTH_RATE_LIMIT_OAUTH_AUTHORIZE'],
  'client.oauth_token': ['AUTH_RATE_LIMIT_OAUTH_TOKEN'],
  'client.oauth_device': ['AUTH_RATE_LIMIT_OAUTH_DEVICE'],
  'client.sso': ['AUTH_RATE_LIMIT_SSO'],
  'client.saml_assertion': ['AUTH_SAML_RATE_LIMIT_ASSERTION'],
  'client.organizations': ['AUTH_RATE_LIMIT_ORGANIZATIONS'],
  'client.oauth_introspect': ['AUTH_RATE_LIMIT_OAUTH_INTROSPECT'],
  'client.oauth_register': ['AUTH_RATE_LIMIT_OAUTH_DYNAMIC_CLIENT_REGISTER'],
  'token.scim': ['AUTH_RATE_LIMIT_SCIM'],
  'quota.email': ['AUTH_RATE_LIMIT_EMAIL_SENT'],
  'quota.sms': ['AUTH_RATE_LIMIT_SMS_SENT'],
  'recipient.sms': ['AUTH_SMS_MAX_FREQUENCY'],
};
