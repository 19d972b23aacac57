/** Algorithms of DPoP proofs and of assertions of clients: asymmetric ones only (RFC 9449 4.2, RFC 8725 3.1). */
export const PROOF_ALGORITHMS: readonly string[] = ['ES256', 'ES384', 'ES512', 'PS256', 'RS256', 'EdDSA', 'Ed25519'];
