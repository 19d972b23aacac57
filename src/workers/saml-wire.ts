/** SAML messages, which are read and verified in a thread of their own: what it is asked, and its answers, as plain data. */

/** What a response must match (SAML Profiles 4.1.4.2 and 4.1.4.3). */
export interface ExpectedResponse {
  /** Entity id of the identity provider. */
  readonly issuer: string;
  /** Our entity id. */
  readonly audience: string;
  /** Our address that takes responses. */
  readonly acsUrl: string;
  /** ID of our request; null: we sent none. */
  readonly requestId: string | null;
  readonly clockSkewSeconds: number;
  readonly maxIssueDelaySeconds: number;
  readonly allowsSha1: boolean;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

export interface SamlResponseJob {
  /** Base64, as it was sent. */
  readonly response: string;
  /** Signing certificates of the identity provider: base64 of DER. */
  readonly certificates: readonly string[];
  /** Our private keys in PEM, tried in order. Empty: encrypted assertions are refused. */
  readonly decryptionKeys: readonly string[];
  readonly expected: ExpectedResponse;
}

/** Why a response is refused. */
export type SamlRefusal =
  | 'unreadable'
  | 'malformed'
  | 'signature'
  | 'algorithm'
  | 'encryption'
  | 'issuer'
  | 'status'
  | 'destination'
  | 'recipient'
  | 'audience'
  | 'expired'
  | 'response_to'
  | 'subject';

export interface RefusedSaml {
  readonly refusal: SamlRefusal;
  /** For the log: no contents of the message. */
  readonly detail: string;
}

export interface SamlNameId {
  readonly value: string;
  /** URI; empty if it is not given. */
  readonly format: string;
}

export interface SamlAttribute {
  readonly name: string;
  readonly friendlyName: string;
  readonly values: readonly string[];
}

/** An assertion that the identity provider has signed, for us and for now. */
export interface SamlAssertion {
  readonly refusal?: never;
  readonly id: string;
  /** From then on it is refused in any case; milliseconds since the epoch. */
  readonly endsAtMs: number;
  readonly nameId: SamlNameId | null;
  readonly attributes: readonly SamlAttribute[];
  readonly sessionIndex: string | null;
  /** End of the session at the provider; milliseconds since the epoch. */
  readonly sessionEndsAtMs: number | null;
}

/** What a response says before anything is verified. */
export interface UnverifiedResponse {
  readonly refusal?: never;
  readonly issuer: string;
}

export interface SamlCertificate {
  /** Base64 of DER. */
  readonly der: string;
  /** SHA-256, hex with colons. */
  readonly fingerprint: string;
  /** RFC 3339. */
  readonly not_after: string;
}

/** What sign-ins need of the metadata of an identity provider (SAML Metadata 2.0). */
export interface SamlMetadata {
  readonly entity_id: string;
  /** Where browsers are sent (HTTP-Redirect). */
  readonly sso_url: string;
  readonly slo_redirect_url: string | null;
  readonly slo_post_url: string | null;
  /** They sign; of encryption alone are left out. */
  readonly certificates: readonly SamlCertificate[];
  readonly valid_until: string | null;
  readonly cache_seconds: number | null;
}

export interface UnusableMetadata {
  /** Completes a sentence that begins with the metadata. */
  readonly fault: string;
}

/** Reading of SAML messages, in a thread that starts with the first job. */
export interface SamlReading {
  /** @throws CryptoPoolFullError when too many messages wait */
  verifySamlResponse(job: SamlResponseJob): Promise<SamlAssertion | RefusedSaml>;
  /** Reads who a response is from, so that its keys can be found. @throws CryptoPoolFullError */
  peekSamlResponse(response: string): Promise<UnverifiedResponse | RefusedSaml>;
  /** @throws CryptoPoolFullError */
  readSamlMetadata(xml: string): Promise<SamlMetadata | UnusableMetadata>;
}
