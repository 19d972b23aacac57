/** Assertions by which clients prove who they are (RFC 7523): what a thread is asked, and answers, as plain data. */
import type { PublicJwk } from '../jws/public-jwk.js';

export interface ClientAssertionJob {
  readonly assertion: string;
  /** Of the client that it names. */
  readonly keys: readonly PublicJwk[];
}

/** An assertion that a key of the client has signed. Nobody has compared its claims with anything yet. */
export interface SignedAssertion {
  readonly refusal?: never;
  readonly claims: Readonly<Record<string, unknown>>;
}

export interface RefusedAssertion {
  /** Why it proves nothing, for the client. */
  readonly refusal: string;
  /** The client may have published another key meanwhile. */
  readonly isKeyUnknown: boolean;
}

/** Verification of assertions, in the thread of DPoP proofs. */
export interface AssertionVerification {
  /** @throws CryptoPoolFullError when too many wait */
  verifyClientAssertion(job: ClientAssertionJob): Promise<SignedAssertion | RefusedAssertion>;
}
