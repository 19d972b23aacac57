/** Apple's client secret is a JWT that expires. The setting holds one, or the private key to sign them. */
import { importPKCS8, SignJWT } from 'jose';
import { ProviderFault } from './claims.js';
import type { ProviderSettings } from './contract.js';

/** Apple permits six months; secrets that are renewed every hour can expire much sooner. */
const LIFETIME_SECONDS = 86_400;
const RENEWAL_SECONDS = 3600;

/** Whether EXTERNAL_APPLE_SECRET is a private key (the .p8 file of Apple's console). */
export function isPrivateKey(secret: string): boolean {
  return secret.includes('-----BEGIN PRIVATE KEY-----');
}

/** https://developer.apple.com/documentation/accountorganizationaldatasharing/creating-a-client-secret */
export function openAppleSecret({ secret, clientIds, signingKey }: ProviderSettings): () => Promise<string> {
  if (!isPrivateKey(secret)) return async () => secret;
  let made: { readonly jwt: Promise<string>; readonly renewAtSeconds: number } | null = null;
  return () => {
    const nowSeconds = Math.floor(Date.now() / 1000);
    if (made === null || nowSeconds >= made.renewAtSeconds) {
      const jwt = sign(secret, clientIds[0]!, signingKey ?? { teamId: '', keyId: '' }, nowSeconds);
      jwt.catch(() => {
        made = null;
      });
      made = { jwt, renewAtSeconds: nowSeconds + RENEWAL_SECONDS };
    }
    return made.jwt;
  };
}

async function sign(
  pem: string,
  clientId: string,
  { teamId, keyId }: NonNullable<ProviderSettings['signingKey']>,
  nowSeconds: number,
): Promise<string> {
  // Environments often contain the line breaks of a key as \n.
  const key = await importPKCS8(pem.replaceAll('\\n', '\n'), 'ES256').catch(() => {
    // No cause: it may contain the key.
    throw new ProviderFault('AUTH_EXTERNAL_APPLE_SECRET is no private key that can be used for ES256');
  });
  return new SignJWT()
    .setProtectedHeader({ alg: 'ES256', kid: keyId })
    .setIssuer(teamId)
    .setSubject(clientId)
    .setAudience('https://appleid.apple.com')
    .setIssuedAt(nowSeconds)
    .setExpirationTime(nowSeconds + LIFETIME_SECONDS)
    .sign(key);
}
