/** The kinds of second factors that a user enrols, challenges and verifies at /factors. */
import type { FactorKind } from '../../db/user-rows.js';
import type { Config } from '../config/settings.js';
import type { ErrorName } from '../errors.js';

export type EnrolledKind = Exclude<FactorKind, 'recovery_code'>;

interface KindRules {
  /** In amr (RFC 8176 has no names for these; they are those of supabase/auth). */
  readonly method: string;
  readonly mayEnrol: (config: Config) => boolean;
  readonly enrolmentOff: ErrorName;
  readonly mayVerify: (config: Config) => boolean;
  readonly verificationOff: ErrorName;
}

export const factorKinds: Readonly<Record<EnrolledKind, KindRules>> = {
  totp: {
    method: 'totp',
    mayEnrol: (config) => config.mfaTotpEnrollEnabled,
    enrolmentOff: 'totpEnrolmentOff',
    mayVerify: (config) => config.mfaTotpVerifyEnabled,
    verificationOff: 'totpVerificationOff',
  },
  phone: {
    method: 'mfa/phone',
    mayEnrol: (config) => config.mfaPhoneEnrollEnabled,
    enrolmentOff: 'phoneEnrolmentOff',
    mayVerify: (config) => config.mfaPhoneVerifyEnabled,
    verificationOff: 'phoneVerificationOff',
  },
  webauthn: {
    method: 'mfa/webauthn',
    mayEnrol: (config) => config.mfaWebAuthnEnrollEnabled,
    enrolmentOff: 'webauthnEnrolmentOff',
    mayVerify: (config) => config.mfaWebAuthnVerifyEnabled,
    verificationOff: 'webauthnVerificationOff',
  },
};

/** In amr; recovery codes are no kind that a user enrols at /factors. */
export const RECOVERY_METHOD = 'mfa/recovery_code';

export const isEnrolledKind = (kind: string): kind is EnrolledKind => Object.hasOwn(factorKinds, kind);
