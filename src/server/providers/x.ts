import { at, oneAddress, readSubject, textAt, withoutEmpty } from './claims.js';
import type { OAuth2Spec } from './contract.js';

const FIELDS = 'id,name,username,confirmed_email,profile_image_url,url,created_at';

/** https://docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code; X refuses a request without PKCE. */
export const provider: OAuth2Spec = {
  protocol: 'oauth2',
  endpoints(url) {
    const api = url ?? 'https://api.x.com';
    return { authorization: `${url ?? 'https://x.com'}/i/oauth2/authorize`, token: `${api}/2/oauth2/token`, api };
  },
  // Without tweet.read there is no profile.
  scopes: ['users.email', 'tweet.read', 'users.read', 'offline.access'],
  usesPkce: true,
  async readProfile({ endpoints, getJson }) {
    const user = at(await getJson(`${endpoints.api}/2/users/me?user.fields=${FIELDS}`), 'data');
    const subject = readSubject(at(user, 'id'));
    const [name, username, picture] = [
      textAt(user, 'name'),
      textAt(user, 'username'),
      textAt(user, 'profile_image_url'),
    ];
    return {
      subject,
      claims: withoutEmpty({
        iss: endpoints.api,
        sub: subject,
        name,
        full_name: name,
        preferred_username: username,
        user_name: username,
        profile: username === '' ? '' : `https://x.com/${username}`,
        website: textAt(user, 'url'),
        picture,
        avatar_url: picture,
        provider_id: subject,
        custom_claims: { created_at: textAt(user, 'created_at') },
      }),
      addresses: oneAddress(at(user, 'confirmed_email'), true),
    };
  },
};
