/** What the files of one kind of factor exchange with those of all kinds. */
import type { EnrolledKind } from './kinds.js';

export interface EnrolmentRequest {
  readonly factorType: string;
  readonly friendlyName: string;
  /** Of totp; empty: host of SITE_URL. */
  readonly issuer: string;
  /** Of phone. */
  readonly phone: string;
  /** One of the same name that was never verified goes, also without AUTH_MFA_REPLACE_UNVERIFIED_FACTORS. */
  readonly replacesUnverified?: true;
}

/** What is stored beside the name. */
export interface FactorParts {
  readonly id: string;
  readonly kind: EnrolledKind;
  readonly secret?: string;
  /** Digits. */
  readonly phone?: string;
}

/** A factor of a kind, and the members that its answer has. */
export interface PreparedFactor {
  readonly stored: FactorParts;
  readonly answer: Readonly<Record<string, unknown>>;
}

/** What a kind adds to a challenge. */
export interface ChallengeParts {
  readonly id?: string;
  /** Of phone: keyed hash of the code. */
  readonly codeHash?: string;
  /** Of webauthn, base64url. */
  readonly challenge?: string;
  /** Further members of the answer. */
  readonly answer?: Readonly<Record<string, unknown>>;
}

/** What the user answers. */
export interface FactorAnswer {
  readonly challengeId: string;
  readonly code: string;
  /** Of webauthn: what the browser answered. */
  readonly webauthn?: Readonly<Record<string, unknown>> | undefined;
  /** Name of the device that is trusted from now on; null: it is not. */
  readonly trustedName: string | null;
}

/** What a right answer changes of its factor. */
export interface RightAnswer {
  /** Step of a TOTP code. */
  readonly step?: number;
  /** Steps between the server's time and that of the code. */
  readonly offset?: number;
  /** Credential after its use. */
  readonly credential?: object;
}
