/** Algorithms of DPoP proofs: asymmetric ones only (RFC 9449 4.2). */
export const PROOF_ALGORITHMS: readonly string[] = ['ES256', 'ES384', 'ES512', 'PS256', 'RS256', 'EdDSA', 'Ed25519'];
