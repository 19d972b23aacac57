import { openAppleSecret } from './apple-secret.js';
import { isTrueClaim, oneAddress, ProviderFault, readSubject, textAt, withoutEmpty } from './claims.js';
import type { ExternalProfile, OidcSpec } from './contract.js';

const ISSUER = 'https://appleid.apple.com';
/** Tokens of both are signed with the keys of the first. */
const ISSUERS = [ISSUER, 'https://account.apple.com'];

/** https://developer.apple.com/documentation/signinwithapplerestapi */
export const provider: OidcSpec = {
  protocol: 'oidc',
  scopes: ['email', 'name'],
  ignoresScopes: true,
  // Neither documentation nor discovery document mentions PKCE.
  usesPkce: false,
  authorizationEndpoint: (url) => (url === null ? `${ISSUER}/auth/authorize` : null),
  // Apple returns name and address only with form_post.
  authorizationParameters: { response_mode: 'form_post' },
  ignoresPassthrough: true,
  openSecret: openAppleSecret,
  idTokens: {
    title: 'Apple',
    issuer: (url) => url ?? ISSUER,
    isOwnIssuer: ({ iss }, issuer) => iss === issuer || (issuer === ISSUER && ISSUERS.includes(iss as string)),
    isMeantBy: (issuer, url) => (url === null ? ISSUERS.includes(issuer) : issuer === url),
    readClaims(claims) {
      const subject = readSubject(claims['sub']);
      const { is_private_email, auth_time, transfer_sub } = claims;
      const custom = withoutEmpty({ is_private_email, auth_time, transfer_sub });
      return {
        subject,
        claims: withoutEmpty({
          iss: claims['iss'],
          sub: subject,
          provider_id: subject,
          custom_claims: Object.keys(custom).length === 0 ? null : custom,
        }),
        // Apple verifies all addresses except those of managed accounts, which it marks.
        addresses: oneAddress(claims['email'], isTrueClaim(claims['email_verified'] ?? true)),
      };
    },
  },
  complete: addName,
};

/** Only the first sign-in has `user`, the only place of the name. */
function addName(profile: ExternalProfile, parameters: ReadonlyMap<string, string>): ExternalProfile {
  const text = parameters.get('user') ?? '';
  if (text === '') return profile;
  let user: unknown;
  try {
    user = JSON.parse(text);
  } catch {
    throw new ProviderFault('the field user of the callback is not JSON');
  }
  const name = `${textAt(user, 'name', 'firstName')} ${textAt(user, 'name', 'lastName')}`.trim();
  return { ...profile, claims: { ...profile.claims, ...withoutEmpty({ name, full_name: name }) } };
}
