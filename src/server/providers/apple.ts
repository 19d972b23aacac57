import { openAppleSecret } from './apple-secret.js';
import { oneAddress, ProviderFault, readSubject, textAt, withoutEmpty } from './claims.js';
import type { ExternalProfile, OidcSpec } from './contract.js';

const ISSUER = 'https://appleid.apple.com';
/** Tokens of both are signed with the keys of the first. */
const ISSUERS = [ISSUER, 'https://account.apple.com'];

/** https://developer.apple.com/documentation/signinwithapplerestapi */
export const provider: OidcSpec = {
  protocol: 'oidc',
  scopes: ['email', 'name'],
  ignoresScopes: true,
  // Neither its documentation nor its discovery document knows of code_challenge.
  usesPkce: false,
  authorizationEndpoint: (url) => (url === null ? `${ISSUER}/auth/authorize` : null),
  // Apple gives a name or an address only to a form.
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
        // Apple vouches for every address but those of schools and companies, which it marks.
        addresses: oneAddress(claims['email'], String(claims['email_verified'] ?? true) === 'true'),
      };
    },
  },
  complete: addName,
};

/** On the very first sign-in the form has `user`: the only time that Apple tells a name. */
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
