/** DPoP proofs (RFC 9449), whose signatures are verified in a thread of their own: its answers, as plain data. */

/** A proof that the key in its header has signed. Nobody has compared it with a request yet. */
export interface SignedProof {
  readonly refusal?: never;
  /** SHA-256 thumbprint of the key (RFC 7638), base64url. */
  readonly jkt: string;
  readonly jti: string;
  /** Method and address of the request that it is for. */
  readonly htm: string;
  readonly htu: string;
  /** Seconds since the epoch. */
  readonly iat: number;
  /** SHA-256 of the access token that comes along, base64url. */
  readonly ath: string | undefined;
  readonly nonce: string | undefined;
}

export interface RefusedProof {
  /** Why it is none, for the client. */
  readonly refusal: string;
}

/** Verification of proofs, in a thread that starts with the first one. */
export interface ProofVerification {
  /** @throws CryptoPoolFullError when too many proofs wait */
  verifyProof(proof: string): Promise<SignedProof | RefusedProof>;
}
