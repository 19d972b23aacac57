import { ConfigError, type Environment, loadConfig } from '../../src/server/config/load.js';
import { testEnvironment } from '../support/server.js';
import { t } from '../support/tap.js';

const load = (environment: Environment = {}) =>
  loadConfig({ environment: { ...testEnvironment('postgres://localhost/db'), ...environment }, file: null });

function faultsOf(environment: Environment): string[] {
  try {
    load(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults.map(({ variable, problem }) => `${variable} ${problem}`);
    throw error;
  }
  return [];
}

const key = (byte: number) => Buffer.alloc(32, byte).toString('base64url');
const encryption = {
  AUTH_SECURITY_DB_ENCRYPTION_ENCRYPT: 'true',
  AUTH_SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY_ID: 'k1',
  AUTH_SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY: key(1),
};

t.test('second factors: the defaults of supabase/auth', async (t) => {
  const { config } = load();
  t.match(config, {
    mfaTotpEnrollEnabled: true,
    mfaTotpVerifyEnabled: true,
    mfaPhoneEnrollEnabled: false,
    mfaPhoneVerifyEnabled: false,
    mfaTotpSkew: 1,
    mfaChallengeExpirySeconds: 300,
    mfaFactorExpirySeconds: 300,
    mfaMaxEnrolledFactors: 10,
    mfaMaxVerifiedFactors: 10,
    mfaPhoneOtpLength: 6,
    mfaPhoneMaxFrequencySeconds: 60,
    mfaPhoneTemplate: 'Your code is {{ .Code }}',
    mfaRateLimitChallengeAndVerify: 15,
    mfaChallengeCheckAddress: true,
    mfaReplaceUnverifiedFactors: false,
    mfaWebAuthnEnrollEnabled: false,
    mfaRecoveryCodesEnrollEnabled: false,
    mfaRecoveryCodesCount: 10,
    mfaRecoveryCodesCodeLength: 16,
    mfaRecoveryCodesMaxVerifyAttempts: 5,
    mfaRecoveryCodesLockoutSeconds: 900,
    mfaRequired: [],
    mfaPendingRole: 'mfa_pending',
    mfaRequiredGraceSeconds: 0,
    securityMfaThrottle: true,
    securityDbEncryptionEncrypt: false,
  });
});

t.test('times that are too short are raised, with a notice', async (t) => {
  const before = load().notices.length;
  const { config, notices } = load({
    AUTH_MFA_CHALLENGE_EXPIRY_DURATION: '299',
    GOTRUE_MFA_FACTOR_EXPIRY_DURATION: '10s',
    AUTH_MFA_PHONE_OTP_LENGTH: '11',
    AUTH_MFA_PHONE_MAX_FREQUENCY: '0',
  });
  t.equal(config.mfaChallengeExpirySeconds, 300);
  t.equal(config.mfaFactorExpirySeconds, 300);
  t.equal(config.mfaPhoneOtpLength, 6);
  t.equal(config.mfaPhoneMaxFrequencySeconds, 60);
  t.same(
    notices.slice(before).map(({ variable }) => variable),
    ['AUTH_MFA_PHONE_OTP_LENGTH', 'AUTH_MFA_CHALLENGE_EXPIRY_DURATION', 'GOTRUE_MFA_FACTOR_EXPIRY_DURATION'],
  );
  t.equal(load({ AUTH_MFA_CHALLENGE_EXPIRY_DURATION: '301' }).config.mfaChallengeExpirySeconds, 301);
  t.equal(load({ AUTH_MFA_PHONE_MAX_FREQUENCY: '5s' }).config.mfaPhoneMaxFrequencySeconds, 5);
});

t.test('values out of range and templates without a code do not start', async (t) => {
  t.match(faultsOf({ AUTH_MFA_TOTP_SKEW: '4' }), [/^AUTH_MFA_TOTP_SKEW must be at most 3/]);
  t.match(faultsOf({ AUTH_MFA_PHONE_TEMPLATE: 'Hello' }), [/^AUTH_MFA_PHONE_TEMPLATE must hold {{ \.Code }}/]);
  t.match(faultsOf({ AUTH_MFA_MAX_ENROLLED_FACTORS: '-1' }), [/AUTH_MFA_MAX_ENROLLED_FACTORS must be at least 0/]);
});

t.test('recovery codes have ranges, which count only with the feature on', async (t) => {
  const outside = {
    AUTH_MFA_RECOVERY_CODES_COUNT: '3',
    AUTH_MFA_RECOVERY_CODES_CODE_LENGTH: '33',
    AUTH_MFA_RECOVERY_CODES_MAX_VERIFY_ATTEMPTS: '2',
    AUTH_MFA_RECOVERY_CODES_LOCKOUT_DURATION: '25h',
  };
  t.same(faultsOf(outside), []);
  for (const name of ['ENROLL', 'VERIFY']) {
    t.same(faultsOf({ ...outside, [`AUTH_MFA_RECOVERY_CODES_${name}_ENABLED`]: 'true' }), [
      'AUTH_MFA_RECOVERY_CODES_COUNT must be between 4 and 16',
      'AUTH_MFA_RECOVERY_CODES_CODE_LENGTH must be between 13 and 32',
      'AUTH_MFA_RECOVERY_CODES_MAX_VERIFY_ATTEMPTS must be between 3 and 15',
      'AUTH_MFA_RECOVERY_CODES_LOCKOUT_DURATION must be between 1m and 24h',
    ]);
  }
});

t.test('who must have a second factor', async (t) => {
  t.same(load({ AUTH_MFA_REQUIRED: 'admin, editor' }).config.mfaRequired, ['admin', 'editor']);
  t.match(faultsOf({ AUTH_MFA_REQUIRED: 'all,admin' }), [/AUTH_MFA_REQUIRED must be none, all, or a list/]);
  t.match(faultsOf({ AUTH_MFA_PENDING_ROLE: 'service_role' }), [/AUTH_MFA_PENDING_ROLE must not be one of/]);
});

t.test('encryption needs a key with a name; no fault repeats a key', async (t) => {
  t.match(faultsOf({ AUTH_SECURITY_DB_ENCRYPTION_ENCRYPT: 'true' }), [
    /_ENCRYPTION_KEY_ID is missing/,
    /_ENCRYPTION_KEY is missing/,
  ]);
  t.same(faultsOf(encryption), []);
  const keys = (text: string) => ({ ...encryption, AUTH_SECURITY_DB_ENCRYPTION_DECRYPTION_KEYS: text });
  t.same(faultsOf(keys(`k0:${key(0)},k1:${key(1)}`)), []);
  t.match(faultsOf(keys(`k0:${key(0)},k1:${key(2)}`)), [/_DECRYPTION_KEYS has another key of the id/]);
  const short = Buffer.alloc(16, 7).toString('base64url');
  const [fault = ''] = faultsOf(keys(`k0:${key(0)},k2:${short}`));
  t.match(fault, /_DECRYPTION_KEYS must be pairs id:key .* the one at position 2 is not/);
  t.notMatch(fault, short);
  t.match(faultsOf({ ...encryption, AUTH_SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY: short }), [/must be 32 bytes/]);
});
