import { isTrueClaim, oneAddress, readSubject, textAt, withoutEmpty } from './claims.js';
import type { OidcSpec } from './contract.js';

const ISSUER = 'https://www.linkedin.com/oauth';

const baseOf = (url: string | null): string => url ?? 'https://api.linkedin.com';

/** https://learn.microsoft.com/en-us/linkedin/consumer/integrations/self-serve/sign-in-with-linkedin-v2 */
export const provider: OidcSpec = {
  protocol: 'oidc',
  scopes: ['openid', 'email', 'profile'],
  // Only for native apps that LinkedIn has approved; others get an error for code_verifier.
  usesPkce: false,
  // It drops a nonce: https://github.com/linkedin-developers/linkedin-api-js-client/issues/34
  sendsNonce: false,
  authorizationEndpoint: (url) => `${baseOf(url)}/oauth/v2/authorization`,
  tokenEndpoint: (url) => `${baseOf(url)}/oauth/v2/accessToken`,
  idTokens: {
    issuer: (url) => (url === null ? ISSUER : `${url}/oauth`),
    readClaims(claims) {
      const subject = readSubject(claims['sub']);
      const [given, family] = [textAt(claims, 'given_name'), textAt(claims, 'family_name')];
      const name = `${given} ${family}`.trim() || textAt(claims, 'name');
      const picture = textAt(claims, 'picture');
      return {
        subject,
        claims: withoutEmpty({
          iss: claims['iss'],
          sub: subject,
          name,
          full_name: name,
          given_name: given,
          family_name: family,
          locale: textAt(claims, 'locale'),
          picture,
          avatar_url: picture,
          provider_id: subject,
        }),
        addresses: oneAddress(claims['email'], isTrueClaim(claims['email_verified'])),
      };
    },
  },
};
