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

/** A check of a response, by the reason with which it refuses. */
export type SamlCheckName = Exclude<SamlRefusal, 'unreadable' | 'algorithm'>;

export interface SamlCheck {
  readonly check: SamlCheckName;
  /** Null: it passed. */
  readonly fault: string | null;
  /** What stood there, where that helps; '' for nothing. Contents of the message: not for the log. */
  readonly found: string | null;
}

/** A response, or an assertion alone, that is read past its faults. */
export interface SamlExaminationJob extends SamlResponseJob {
  /** Of no matter for what is examined. */
  readonly passedOver: readonly SamlCheckName[];
}

export interface ExaminedSaml {
  /** What it says, however little of that is verified; null: it cannot be read. */
  readonly assertion: SamlAssertion | null;
  readonly checks: readonly SamlCheck[];
  /** With what a sign-in would be refused; null: with nothing. */
  readonly refusal: RefusedSaml | null;
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

/** A message as it was sent. */
export interface SamlMessage {
  /** Base64. */
  readonly text: string;
  /** Of one that came in a query. */
  readonly isDeflated: boolean;
}

/** What a message says before anything is verified. */
export interface UnverifiedMessage {
  readonly refusal?: never;
  readonly issuer: string;
}

/** What a message of log-out must match (SAML Profiles 4.4.4). */
export interface ExpectedLogout
  extends Pick<ExpectedResponse, 'issuer' | 'clockSkewSeconds' | 'maxIssueDelaySeconds' | 'allowsSha1' | 'nowMs'> {
  /** Our address that takes such messages. */
  readonly sloUrl: string;
}

/** The signature of a message in a query, which is beside it (SAML Bindings 3.4.4.1). */
export interface SamlQuerySignature {
  /** What is signed, spelled as it was sent. */
  readonly signed: string;
  /** URI. */
  readonly algorithm: string;
  /** Base64. */
  readonly value: string;
}

export interface SamlLogoutJob {
  readonly message: SamlMessage;
  /** Null: the message has a signature of its own. */
  readonly signature: SamlQuerySignature | null;
  /** Signing certificates of the identity provider: base64 of DER. */
  readonly certificates: readonly string[];
  /** Our private keys in PEM, tried in order, for encrypted names. */
  readonly decryptionKeys: readonly string[];
  readonly expected: ExpectedLogout;
}

/** The identity provider ends sessions. */
export interface SamlLogoutRequest {
  readonly refusal?: never;
  readonly kind: 'request';
  readonly id: string;
  /** From then on it is refused in any case; milliseconds since the epoch. */
  readonly endsAtMs: number;
  readonly nameId: string;
  /** Empty: all sessions of that name. */
  readonly sessionIndexes: readonly string[];
}

/** The identity provider has ended its session, or not. */
export interface SamlLogoutAnswer {
  readonly refusal?: never;
  readonly kind: 'answer';
  /** ID of our request. */
  readonly requestId: string;
  readonly isSuccess: boolean;
}

export type SamlLogout = SamlLogoutRequest | SamlLogoutAnswer;

/** A text that is sent beside its signature (RSA-SHA256), or XML that gets the signature behind its issuer. */
export interface SamlSignatureJob {
  readonly text: string;
  readonly isXml: boolean;
  /** PEM. */
  readonly key: string;
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
  /** Where answers of log-out go, if it is another address; absent in what was read before. */
  readonly slo_redirect_answer_url?: string | null;
  readonly slo_post_answer_url?: string | null;
  /** They sign; of encryption alone are left out. */
  readonly certificates: readonly SamlCertificate[];
  readonly valid_until: string | null;
  readonly cache_seconds: number | null;
  /** URIs of the algorithms that it says it signs with; empty: it does not say. Absent in what was read before. */
  readonly signing_methods?: readonly string[];
  /** URI of the algorithm by which the metadata itself is signed. */
  readonly signed_with?: string | null;
}

export interface UnusableMetadata {
  /** Completes a sentence that begins with the metadata. */
  readonly fault: string;
}

/** Reading of SAML messages, in a thread that starts with the first job. */
export interface SamlReading {
  /** @throws CryptoPoolFullError when too many messages wait */
  verifySamlResponse(job: SamlResponseJob): Promise<SamlAssertion | RefusedSaml>;
  /** For operators, never for a sign-in. @throws CryptoPoolFullError */
  examineSamlResponse(job: SamlExaminationJob): Promise<ExaminedSaml>;
  /** Reads who a message is from, so that its keys can be found. @throws CryptoPoolFullError */
  peekSamlMessage(message: SamlMessage): Promise<UnverifiedMessage | RefusedSaml>;
  /** @throws CryptoPoolFullError */
  verifySamlLogout(job: SamlLogoutJob): Promise<SamlLogout | RefusedSaml>;
  /** @throws CryptoPoolFullError */
  signSaml(job: SamlSignatureJob): Promise<string>;
  /** @throws CryptoPoolFullError */
  readSamlMetadata(xml: string): Promise<SamlMetadata | UnusableMetadata>;
}
