import { at, oneAddress, readSubject, textAt, withoutEmpty } from './claims.js';
import type { OAuth2Spec } from './contract.js';
import { readStandardClaims } from './oidc-claims.js';

const ISSUER_PATH = '/accounts/oauth2/token';
const QUERY = '{me { externalId displayName bitmoji { avatar id } email } }';

/** https://developers.snap.com/snap-kit/login-kit/overview; most users share no address. */
export const provider: OAuth2Spec = {
  protocol: 'oauth2',
  endpoints(url) {
    const base = url ?? 'https://accounts.snapchat.com';
    return {
      authorization: `${base}/accounts/oauth2/auth`,
      token: `${base}/accounts/oauth2/token`,
      api: url ?? 'https://kit.snapchat.com',
    };
  },
  scopes: [
    'https://auth.snapchat.com/oauth2/api/user.external_id',
    'https://auth.snapchat.com/oauth2/api/user.display_name',
    'https://auth.snapchat.com/oauth2/api/user.bitmoji.avatar',
  ],
  usesPkce: true,
  async readProfile({ endpoints, getJson }) {
    const answer = await getJson(`${endpoints.api}/v1/me?${new URLSearchParams({ query: QUERY })}`);
    const user = at(answer, 'data', 'me');
    const subject = readSubject(at(user, 'externalId'));
    const [name, avatar] = [textAt(user, 'displayName'), textAt(user, 'bitmoji', 'avatar')];
    return {
      subject,
      claims: withoutEmpty({
        iss: `https://accounts.snapchat.com${ISSUER_PATH}`,
        sub: subject,
        name,
        full_name: name,
        slug: name,
        picture: avatar,
        avatar_url: avatar,
        provider_id: subject,
      }),
      addresses: oneAddress(at(user, 'email'), true),
    };
  },
  idTokens: {
    issuer: (url) => `${url ?? 'https://accounts.snapchat.com'}${ISSUER_PATH}`,
    readClaims(claims) {
      return { ...readStandardClaims(claims), addresses: oneAddress(claims['email'], true) };
    },
  },
};
