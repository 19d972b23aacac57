import { SignJWT } from 'jose';

export interface AdminTokenClaims {
  readonly role: string;
  readonly audience: string;
  /** Left out when empty. */
  readonly issuer: string;
  /** UUID of the user it stands for; null: nobody. */
  readonly subject: string | null;
  /** Null: the token never expires. */
  readonly expiresInSeconds: number | null;
}

/**
 * Signs a token for the admin endpoints (RFC 7519, HS256); shape as reference/core.md 6.5 accepts it.
 * @param secret taken byte for byte, as the server takes it
 * @param keyId the kid header; left out when empty
 * @param nowInSeconds becomes iat
 */
export async function signAdminToken(
  claims: AdminTokenClaims,
  secret: string,
  keyId: string,
  nowInSeconds: number,
): Promise<string> {
  const jwt = new SignJWT({ role: claims.role })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT', ...(keyId !== '' && { kid: keyId }) })
    .setAudience(claims.audience)
    .setIssuedAt(nowInSeconds);
  if (claims.issuer !== '') jwt.setIssuer(claims.issuer);
  if (claims.subject !== null) jwt.setSubject(claims.subject);
  if (claims.expiresInSeconds !== null) jwt.setExpirationTime(nowInSeconds + claims.expiresInSeconds);
  return jwt.sign(new TextEncoder().encode(secret));
}
