import { at, isTrueClaim, oneAddress, readSubject, textAt, withoutEmpty } from './claims.js';
import type { ExternalProfile, OidcSpec } from './contract.js';

const ISSUER = 'https://accounts.google.com';

/** https://developers.google.com/identity/openid-connect/openid-connect */
export const provider: OidcSpec = {
  protocol: 'oidc',
  scopes: ['email', 'profile'],
  usesPkce: true,
  authorizationEndpoint: (url) => (url === null ? `${ISSUER}/o/oauth2/v2/auth` : null),
  idTokens: {
    issuer: (url) => url ?? ISSUER,
    // Older tokens omit the scheme.
    isOwnIssuer: ({ iss }, issuer) => iss === issuer || (issuer === ISSUER && iss === 'accounts.google.com'),
    readClaims: (claims) => readProfile(claims, claims['sub'], issuerOf(claims['iss'])),
  },
  async readProfile({ settings, endpoints, getJson }) {
    const url = settings.url === '' ? 'https://www.googleapis.com/userinfo/v2/me' : endpoints.api;
    const user = await getJson(url);
    return readProfile(user, at(user, 'id'), url);
  },
};

const issuerOf = (iss: unknown): unknown => (iss === 'accounts.google.com' ? ISSUER : iss);

function readProfile(json: unknown, id: unknown, iss: unknown): ExternalProfile {
  const subject = readSubject(id);
  const name = textAt(json, 'name');
  const picture = textAt(json, 'picture');
  const hostedDomain = textAt(json, 'hd');
  return {
    subject,
    claims: withoutEmpty({
      iss,
      sub: subject,
      name,
      full_name: name,
      picture,
      avatar_url: picture,
      provider_id: subject,
      custom_claims: hostedDomain === '' ? null : { hd: hostedDomain },
    }),
    addresses: oneAddress(
      at(json, 'email'),
      isTrueClaim(at(json, 'email_verified')) || isTrueClaim(at(json, 'verified_email')),
    ),
  };
}
