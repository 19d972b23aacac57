/** Checks of the settings of second factors. */
import type { Fault } from './faults.js';
import type { Config } from './settings.js';

type Draft = { -readonly [K in keyof Config]: Config[K] };
type Found = { keys: string[]; fault: Fault };

const MIN_EXPIRY_SECONDS = 300;
/** Outside, the server does not start with recovery codes on. */
const RECOVERY_RANGES = {
  mfaRecoveryCodesCount: [4, 16, '4 and 16'],
  mfaRecoveryCodesCodeLength: [13, 32, '13 and 32'],
  mfaRecoveryCodesMaxVerifyAttempts: [3, 15, '3 and 15'],
  mfaRecoveryCodesLockoutSeconds: [60, 86_400, '1m and 24h'],
} as const;
const DEFAULT_FREQUENCY_SECONDS = 60;
const KEY_EXAMPLE = 'the output of: openssl rand 32 | basenc --base64url';
const KEY = /^[A-Za-z0-9_-]{43}=?$/;

/** @param note takes the key of a value that was changed, and why */
export function adjustMfa(config: Draft, note: (key: keyof Config, why: string) => void): void {
  for (const key of ['mfaChallengeExpirySeconds', 'mfaFactorExpirySeconds'] as const) {
    if (config[key] >= MIN_EXPIRY_SECONDS) continue;
    config[key] = MIN_EXPIRY_SECONDS;
    note(key, 'is under 300 seconds and counts as 300');
  }
  if (config.mfaRequired.length === 1 && config.mfaRequired[0] === 'none') config.mfaRequired = [];
  if (config.mfaPhoneMaxFrequencySeconds === 0) config.mfaPhoneMaxFrequencySeconds = DEFAULT_FREQUENCY_SECONDS;
}

const collect =
  (found: Found[], nameOf: (key: string) => string) => (key: keyof Config, problem: string, example?: string) =>
    found.push({ keys: [key], fault: { variable: nameOf(key), problem, ...(example !== undefined && { example }) } });

/** @param nameOf the environment name of a key */
export function findMfaFaults(config: Config, nameOf: (key: string) => string): Found[] {
  const found: Found[] = [];
  const add = collect(found, nameOf);

  if (config.mfaRecoveryCodesEnrollEnabled || config.mfaRecoveryCodesVerifyEnabled) {
    for (const [key, [min, max, range]] of Object.entries(RECOVERY_RANGES)) {
      const value = config[key as keyof typeof RECOVERY_RANGES];
      if (value < min || value > max) add(key as keyof Config, `must be between ${range}`);
    }
  }
  if (config.mfaRequired.length > 1 && config.mfaRequired.some((role) => role === 'none' || role === 'all')) {
    add('mfaRequired', 'must be none, all, or a list of roles', 'admin,editor');
  }
  if (config.jwtAdminRoles.includes(config.mfaPendingRole)) {
    add('mfaPendingRole', `must not be one of ${nameOf('jwtAdminRoles')}`, 'mfa_pending');
  }
  found.push(...findEncryptionFaults(config, nameOf));
  return found;
}

function findEncryptionFaults(config: Config, nameOf: (key: string) => string): Found[] {
  const found: Found[] = [];
  const add = collect(found, nameOf);
  const {
    securityDbEncryptionEncryptionKeyId: id,
    securityDbEncryptionEncryptionKey: key,
    securityDbEncryptionDecryptionKeys: others,
  } = config;
  if (config.securityDbEncryptionEncrypt) {
    const on = `is missing, and ${nameOf('securityDbEncryptionEncrypt')} is on`;
    if (id.trim() === '') add('securityDbEncryptionEncryptionKeyId', on, '2030-01');
    if (key === '') add('securityDbEncryptionEncryptionKey', on, KEY_EXAMPLE);
  }
  // Neither an id nor a key is repeated: after a mistake in the commas one may be part of the other (SEC-74).
  const position = Object.values(others).findIndex((other) => !KEY.test(other)) + 1;
  if (position > 0) {
    const problem = `must be pairs id:key with keys of 32 bytes in base64url; the one at position ${position} is not`;
    add('securityDbEncryptionDecryptionKeys', problem);
  }
  if (key !== '' && Object.hasOwn(others, id) && !isSameKey(others[id]!, key)) {
    const problem = `has another key of the id that ${nameOf('securityDbEncryptionEncryptionKeyId')} names`;
    add('securityDbEncryptionDecryptionKeys', problem);
  }
  return found;
}

const isSameKey = (one: string, other: string): boolean =>
  Buffer.from(one, 'base64url').equals(Buffer.from(other, 'base64url'));
