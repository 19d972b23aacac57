import { createHmac } from 'node:crypto';
import { at, oneAddress, readSubject, textAt, withoutEmpty } from './claims.js';
import type { OAuth2Spec } from './contract.js';

/** https://developers.facebook.com/docs/facebook-login/guides/advanced/manual-flow */
export const provider: OAuth2Spec = {
  protocol: 'oauth2',
  endpoints(url) {
    const graph = url ?? 'https://graph.facebook.com';
    return {
      authorization: `${url ?? 'https://www.facebook.com'}/dialog/oauth`,
      token: `${graph}/oauth/access_token`,
      api: graph,
    };
  },
  scopes: ['email'],
  // Only offered with the scope openid, "still in testing", which is not requested here.
  usesPkce: false,
  async readProfile({ endpoints, getJson, settings, token }) {
    const profileUrl = `${endpoints.api}/me?fields=email,first_name,last_name,name,picture`;
    // Proves that the token is used by the holder of our secret:
    // https://developers.facebook.com/docs/graph-api/guides/secure-requests
    const proof = createHmac('sha256', settings.secret).update(token.access_token).digest('hex');
    const user = await getJson(`${profileUrl}&appsecret_proof=${proof}`);
    const subject = readSubject(at(user, 'id'));
    const name = `${textAt(user, 'first_name')} ${textAt(user, 'last_name')}`.trim();
    const picture = textAt(user, 'picture', 'data', 'url');
    return {
      subject,
      claims: withoutEmpty({
        iss: profileUrl,
        sub: subject,
        name,
        full_name: name,
        nickname: textAt(user, 'name'),
        slug: textAt(user, 'name'),
        picture,
        avatar_url: picture,
        provider_id: subject,
      }),
      // Facebook only returns confirmed addresses.
      addresses: oneAddress(at(user, 'email'), true),
    };
  },
  idTokens: {
    issuer: (url) => url ?? 'https://www.facebook.com',
    // Tokens of Limited Login contain a nonce of Facebook's own library.
    checksNonce: false,
    readClaims(claims) {
      const subject = readSubject(claims['sub']);
      const [name, picture] = [textAt(claims, 'name'), textAt(claims, 'picture')];
      return {
        subject,
        claims: withoutEmpty({
          iss: textAt(claims, 'iss'),
          sub: subject,
          name,
          full_name: name,
          picture,
          avatar_url: picture,
          provider_id: subject,
        }),
        addresses: oneAddress(claims['email'], true),
      };
    },
  },
};
