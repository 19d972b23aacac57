import { at, isTrueClaim, oneAddress, readSubject, textAt, withoutEmpty } from './claims.js';
import type { OAuth2Spec } from './contract.js';

const ISSUER = 'https://kauth.kakao.com';

/** https://developers.kakao.com/docs/latest/kakaologin/rest-api */
export const provider: OAuth2Spec = {
  protocol: 'oauth2',
  endpoints(url) {
    const base = url ?? ISSUER;
    return {
      authorization: `${base}/oauth/authorize`,
      token: `${base}/oauth/token`,
      api: url ?? 'https://kapi.kakao.com',
    };
  },
  scopes: ['account_email', 'profile_image', 'profile_nickname'],
  // Its discovery document announces S256, and that the client is named in the form only.
  usesPkce: true,
  authenticatesBy: ['body'],
  async readProfile({ endpoints, getJson }) {
    const user = await getJson(`${endpoints.api}/v2/user/me`);
    const subject = readSubject(at(user, 'id'), { isNumeric: true });
    const account = at(user, 'kakao_account');
    const nickname = textAt(account, 'profile', 'nickname');
    const picture = textAt(account, 'profile', 'profile_image_url');
    const isVerified = isTrueClaim(at(account, 'is_email_valid')) && isTrueClaim(at(account, 'is_email_verified'));
    return {
      subject,
      claims: describe(endpoints.api, subject, nickname, picture),
      addresses: oneAddress(at(account, 'email'), isVerified),
    };
  },
  idTokens: {
    issuer: (url) => url ?? ISSUER,
    readClaims(claims) {
      const subject = readSubject(claims['sub']);
      return {
        subject,
        claims: describe(claims['iss'], subject, textAt(claims, 'nickname'), textAt(claims, 'picture')),
        // Kakao has accounts whose address is not verified, and its ID tokens do not say so (SEC-64).
        addresses: oneAddress(claims['email'], isTrueClaim(claims['email_verified'])),
      };
    },
  },
};

function describe(iss: unknown, subject: string, nickname: string, picture: string): Record<string, unknown> {
  return withoutEmpty({
    iss,
    sub: subject,
    name: nickname,
    full_name: nickname,
    preferred_username: nickname,
    user_name: nickname,
    picture,
    avatar_url: picture,
    provider_id: subject,
  });
}
