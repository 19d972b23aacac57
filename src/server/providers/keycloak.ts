import { at, isTrueClaim, oneAddress, readSubject, textAt, withoutEmpty } from './claims.js';
import type { OAuth2Spec } from './contract.js';
import { readStandardClaims } from './oidc-claims.js';

/** https://www.keycloak.org/securing-apps/oidc-layers; the URL is that of a realm, and must be set. */
export const provider: OAuth2Spec = {
  protocol: 'oauth2',
  endpoints(url) {
    const realm = url ?? '';
    return {
      authorization: `${realm}/protocol/openid-connect/auth`,
      token: `${realm}/protocol/openid-connect/token`,
      api: realm,
    };
  },
  scopes: ['profile', 'email'],
  usesPkce: true,
  async readProfile({ endpoints, getJson }) {
    const user = await getJson(`${endpoints.api}/protocol/openid-connect/userinfo`);
    const subject = readSubject(at(user, 'sub'));
    const { name: _name, sub: _sub, email, email_verified: isVerified, ...rest } = user as Record<string, unknown>;
    return {
      subject,
      claims: withoutEmpty({
        iss: endpoints.api,
        sub: subject,
        name: textAt(user, 'name'),
        full_name: textAt(user, 'name'),
        provider_id: subject,
        custom_claims: rest,
      }),
      addresses: oneAddress(email, isTrueClaim(isVerified)),
    };
  },
  idTokens: {
    issuer: (url) => url ?? '',
    readClaims: readStandardClaims,
  },
};
